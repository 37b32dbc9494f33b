"""One visual language: a colour, a dash and a marker for each method, and the two themes.

The colours are Okabe and Ito's, safe for colour-blind readers; on dark they are lightened within the same hue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..catalogue import methods

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
TEXT_SIZE = 15  # px; charts are shown on projectors
TITLE_SIZE = 17
BAND_OPACITY = 0.16
PALE = 0.65  # the opacity of the second of two runs


class Style(NamedTuple):
    """How a method is drawn."""

    colour: str
    dash: str
    marker: str


@dataclass(frozen=True)
class Theme:
    """The colours of everything that is not a method."""

    name: str
    text: str
    quiet: str  # labels and lines that should not draw the eye
    grid: str
    surface: str  # behind text that floats: the page's background
    strip: str  # behind the rows of triangles


LIGHT = Theme("light", "#1b1f24", "#5b6470", "#e6e8eb", "#ffffff", "rgba(91, 100, 112, 0.07)")
DARK = Theme("dark", "#eceef1", "#a3acb8", "#2c323b", "#0e1117", "rgba(163, 172, 184, 0.09)")
_THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
CLEAR = "rgba(0, 0, 0, 0)"

# Light and dark colour, dash, marker.
_KNOWN = {
    "sgm": ("#D55E00", "#FF8A3D", "dot", "square"),
    "spl": ("#0072B2", "#56B4E9", "dash", "circle"),
    "spl+": ("#009E73", "#2BC79A", "solid", "diamond"),
    "sgm-u": ("#8C6D00", "#E6C229", "longdash", "pentagon"),
    "spl-u": ("#AA4499", "#DD8FCF", "dashdot", "cross"),
}
_OTHERS = (
    ("#332288", "#A59BEF", "longdashdot", "x"),
    ("#882255", "#E0709F", "dashdot", "star"),
    ("#5F6B6D", "#B8C2C4", "longdash", "hexagon"),
)
GLYPHS = {
    "square": "■",
    "circle": "●",
    "diamond": "◆",
    "cross": "✚",
    "pentagon": "⬟",
    "x": "✖",
    "star": "★",
    "hexagon": "⬢",
}


def theme_named(name: str) -> Theme:
    """Return the theme "light" or "dark"."""
    if name not in _THEMES:
        raise ValueError(f"theme is {name!r}, but it must be one of {', '.join(_THEMES)}")
    return _THEMES[name]


def style(method: str, theme: str = "light") -> Style:
    """Return how a method is drawn; those added to the registry later take turns in further colours.

    >>> style("spl+")
    Style(colour='#009E73', dash='solid', marker='diamond')
    """
    light, dark, dash, marker = _KNOWN.get(method) or _OTHERS[_turn(method) % len(_OTHERS)]
    return Style(dark if theme_named(theme) is DARK else light, dash, marker)


def glyph(method: str) -> str:
    """Return the method's marker as a character, for tables."""
    return GLYPHS[style(method).marker]


def translucent(colour: str, opacity: float = BAND_OPACITY) -> str:
    """Return a ``#rrggbb`` colour at an opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def _turn(method: str) -> int:
    others = [name for name in methods.names() if name not in _KNOWN]
    return others.index(method) if method in others else sum(method.encode())
