"""What Explore and Data have in common: a run is started, watched, studied, compared and kept."""
