"""The dashboard's pages, and what they share."""
