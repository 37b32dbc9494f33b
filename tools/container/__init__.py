"""What the image runs: its main process and its health check."""
