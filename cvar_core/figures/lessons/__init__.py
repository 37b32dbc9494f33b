"""The charts of the lessons, each beside the lesson whose numbers it draws."""
