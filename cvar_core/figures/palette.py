"""One visual language: a colour, a dash and a marker for each method, which it brings, and the two themes.

Methods' colours are Okabe and Ito's, safe for colour-blind readers; on dark they are lightened within the same hue.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..catalogue import Look, methods

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
TEXT_SIZE = 15  # px; charts are shown on projectors
TITLE_SIZE = 17
BAND_OPACITY = 0.16
PALE = 0.65  # the opacity of the second of two runs
READABLE = 4.5  # the contrast, as WCAG 2 counts it, that text needs; a line needs 3


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
    zone: str  # behind what is usable: a hue that no method has


LIGHT = Theme(
    "light", "#1b1f24", "#5b6470", "#e6e8eb", "#ffffff", "rgba(91, 100, 112, 0.07)", "rgba(240, 228, 66, 0.17)"
)
DARK = Theme(
    "dark", "#eceef1", "#a3acb8", "#2c323b", "#0e1117", "rgba(163, 172, 184, 0.09)", "rgba(240, 228, 66, 0.09)"
)
_THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
CLEAR = "rgba(0, 0, 0, 0)"

# Of methods that bring no look of their own.
_OTHERS = (
    Look("#882255", "#E0709F", "dashdot", "star"),
    Look("#5F6B6D", "#B8C2C4", "longdash", "hexagon"),
    Look("#117733", "#7FC796", "longdashdot", "triangle-up"),
)
_USUAL = {  # what people use instead, in a study of their own model
    "sgd-mean": Look("#5F6B6D", "#B8C2C4", "solid", "x"),
    "sgd-topk": Look("#5F6B6D", "#B8C2C4", "dash", "star"),
    "sgd-ru": Look("#5F6B6D", "#B8C2C4", "dot", "hexagon"),
    "adam-mean": Look("#882255", "#E0709F", "solid", "x"),
    "adam-topk": Look("#882255", "#E0709F", "dash", "star"),
    "adam-ru": Look("#882255", "#E0709F", "dot", "hexagon"),
}
GLYPHS = {
    "square": "■",
    "circle": "●",
    "diamond": "◆",
    "cross": "✚",
    "pentagon": "⬟",
    "x": "✖",
    "star": "★",
    "hexagon": "⬢",
    "triangle-up": "▲",
}


def theme_named(name: str) -> Theme:
    """Return the theme "light" or "dark"."""
    if name not in _THEMES:
        raise ValueError(f"theme is {name!r}, but it must be one of {', '.join(_THEMES)}")
    return _THEMES[name]


def style(method: str, theme: str = "light") -> Style:
    """Return how a method is drawn; those that bring no look take turns in further colours.

    >>> style("spl+")
    Style(colour='#009E73', dash='solid', marker='diamond')
    """
    own = methods[method].look if method in methods else None
    light, dark, dash, marker = own or _USUAL.get(method) or _OTHERS[_turn(method) % len(_OTHERS)]
    return Style(dark if theme_named(theme) is DARK else light, dash, marker)


def glyph(method: str) -> str:
    """Return the method's marker as a character, for tables."""
    return GLYPHS[style(method).marker]


@lru_cache(maxsize=256)
def ink(method: str, theme: str = "light") -> str:
    """Return the colour of words about a method: that of its line, made stronger where that is too faint to read.

    >>> ink("spl"), ink("sgm")
    ('#0072B2', '#b95505')
    """
    look, page = style(method, theme), theme_named(theme)
    steps = (_mixed(look.colour, page.text, k / 20) for k in range(1, 20))
    readable = (colour for colour in steps if contrast(colour, page.surface) >= READABLE)
    return look.colour if contrast(look.colour, page.surface) >= READABLE else next(readable, page.text)


def contrast(colour: str, other: str) -> float:
    """Return the contrast of two ``#rrggbb`` colours as WCAG 2 counts it, from 1 to 21."""
    high, low = sorted(map(_luminance, (colour, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in _parts(colour)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round((1 - share) * one + share * two):02x}" for one, two in pairs)


def _parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def translucent(colour: str, opacity: float = BAND_OPACITY) -> str:
    """Return a ``#rrggbb`` colour at an opacity."""
    red, green, blue = _parts(colour)
    return f"rgba({red}, {green}, {blue}, {opacity})"


def light_of_dark() -> dict[str, str]:
    """Return for each colour of the dark theme that of the light one, also of those at an opacity.

    >>> light_of_dark()["#0e1117"], light_of_dark()["rgba(14, 17, 23, "]
    ('#ffffff', 'rgba(255, 255, 255, ')
    """
    looks = [*(look for method in methods if (look := method.look)), *_OTHERS, *_USUAL.values()]
    pairs = {look.dark: look.light for look in looks}
    pairs |= {
        getattr(DARK, part): getattr(LIGHT, part) for part in ("text", "quiet", "grid", "surface", "strip", "zone")
    }
    solid = {dark: light for dark, light in pairs.items() if dark.startswith("#")}
    return pairs | {_opened(dark): _opened(light) for dark, light in solid.items()}


def _opened(colour: str) -> str:
    return translucent(colour, 0).removesuffix("0)")


def _turn(method: str) -> int:
    others = [each.name for each in methods if each.look is None]
    return others.index(method) if method in others else sum(method.encode())
