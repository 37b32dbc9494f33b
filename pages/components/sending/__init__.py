"""What the server sends while nobody asks: what all visitors share, and the stream that every live element hears."""
