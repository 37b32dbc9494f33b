"""What a server says when it does not do what a visitor asks."""


class Refused(Exception):
    """What the server does not take. The message is for the visitor."""
