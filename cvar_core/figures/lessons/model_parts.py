"""What the pictures of Models have in common."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..palette import CLEAR, FONT, TEXT_SIZE, Theme

Trace = dict[str, Any]
Array = NDArray[np.float64]


def short(values: Array, span: float = 1.0) -> list[float]:
    """Return numbers with as many digits as can be seen on an axis of this span."""
    digits = 4 - math.floor(math.log10(span))
    found: list[float] = np.asarray(values, dtype=float).round(min(max(digits, 0), 12)).tolist()
    return found


def still(uid: str) -> Trace:
    """Return the beginning of a trace that says nothing to the pointer."""
    return {"type": "scatter", "uid": uid, "hoverinfo": "skip", "showlegend": False}


def bare_layout(look: Theme) -> dict[str, Any]:
    """Return a layout without axes."""
    return {
        "font": {"family": FONT, "size": TEXT_SIZE, "color": look.text},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "hovermode": "closest",
        "dragmode": "zoom",
        "showlegend": False,
        "uirevision": "models",
    }


def small_axis(title: str, side: tuple[float, float], look: Theme) -> dict[str, Any]:
    """Return an axis for a small picture."""
    return {
        "title": {"text": title, "font": {"size": TEXT_SIZE + 1}, "standoff": 4},
        "range": list(side),
        "tickfont": {"size": TEXT_SIZE},
        "nticks": 6,
        "tickangle": 0,
        "ticks": "outside",
        "tickcolor": look.quiet,
        "linecolor": look.quiet,
        "showline": True,
        "showgrid": False,
        "zeroline": False,
    }
