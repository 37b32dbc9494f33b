"""What the pages that teach share."""
