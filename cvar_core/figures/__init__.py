"""Figures: results as charts, in plotly's JSON form."""

from .beginning import beginning
from .curves import curves
from .data_measures import WORDS, measures_along, measures_by_lambda, shown_measures
from .density import density
from .frame import Figure, without_title
from .how_strict import how_strict
from .iterations import iterations_to
from .palette import DARK, FONT, LIGHT, Style, Theme, glyph, ink, light_of_dark, style, theme_named, translucent
from .parts import parts
from .sensitivity import sensitivity
from .tail_charts import loss_spread, tail_differences, weights
from .target import target

__all__ = [
    "DARK",
    "FONT",
    "LIGHT",
    "WORDS",
    "Figure",
    "Style",
    "Theme",
    "beginning",
    "curves",
    "density",
    "glyph",
    "how_strict",
    "ink",
    "iterations_to",
    "light_of_dark",
    "loss_spread",
    "measures_along",
    "measures_by_lambda",
    "parts",
    "sensitivity",
    "shown_measures",
    "style",
    "tail_differences",
    "target",
    "theme_named",
    "translucent",
    "weights",
    "without_title",
]
