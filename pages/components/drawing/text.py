"""Words on the page: sentences that begin with a capital, and what visitors typed without any power over the page."""

from __future__ import annotations

import re

_LONGEST = 300  # of a sentence that quotes what was typed


def capital(words: str) -> str:
    return words[:1].upper() + words[1:] if words[:1].isascii() else words  # a λ stays a λ


def plain(text: str, longest: int = _LONGEST) -> str:
    """Return text that Markdown shows as it is: no link, no picture, no formula.

    >>> plain("[log in](https://example.org)")
    '\\\\[log in\\\\]\\\\(https\\\\://example\\\\.org\\\\)'
    """
    cut = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return re.sub(r"([\\`*_{}\[\]()<>#+.!|$:~^&-])", r"\\\1", " ".join(cut.split()))


def fault(sentence: str) -> str:
    """Return the red sentence that stands beside a control that is wrong."""
    return f":red[:material/error: {plain(capital(sentence))}.]"
