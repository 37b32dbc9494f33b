"""Words that come from a visitor's file, as a chart shows them."""

from __future__ import annotations

LONGEST = 18  # of a name beside an axis


def cut(text: str, longest: int = LONGEST) -> str:
    """Return a text that is not too long.

    >>> cut("concave points error", 10)
    'concave p…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def as_text(text: str) -> str:
    """Return a text whose tags plotly does not read."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
