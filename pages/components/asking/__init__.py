"""What a page asks: the controls of the sidebar, the link that they stand in, the visitor and the visitor's files."""
