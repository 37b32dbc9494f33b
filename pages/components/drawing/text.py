"""Words on the page: sentences that begin with a capital, and what visitors typed without any power over the page."""

from __future__ import annotations

import re

_LONGEST = 300  # of a sentence that quotes what was typed
_WORD = re.compile(r"[a-z]+(?:[ ,:;']|$)")


def capital(words: str) -> str:
    """Begin a sentence with a capital, unless its first word is a name: a file's, or one with a λ.

    >>> capital("the target is constant"), capital("wine.csv is empty"), capital("λ = 1 is safe")
    ('The target is constant', 'wine.csv is empty', 'λ = 1 is safe')
    """
    return words[:1].upper() + words[1:] if _WORD.match(words) else words


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
