"""The atlas as tables: problems × methods at each one's single λ, and every number with every λ as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...results import EDGE, NOT_SAFE, SAFE, SO_FAR, UNKNOWN
from .atlas_sentences import ranked, share_left
from .charted import STATES
from .entries import LAMBDAS, METHODS
from .shares import View

if TYPE_CHECKING:
    import pandas as pd

SIGNS = {SAFE: "✓", SO_FAR: "✓", EDGE: "≈", NOT_SAFE: "✗", UNKNOWN: "?"}


def failures_first(view: View) -> list[int]:
    """Return the places of a view's problems: those first on which the best method fails, worst first.

    Among the others, those on which most methods fail.
    """
    singles = [view.shares(name).best for name in METHODS]
    states, left = (each[:, range(len(METHODS)), singles] for each in (view.states, view.left))
    first = METHODS.index(ranked(view)[0])
    fine = (states >= STATES.index(SO_FAR)).sum(axis=1)
    return [int(k) for k in np.lexsort((-left[:, first], fine, states[:, first]))]


def cells(view: View, method: str) -> list[str]:
    """Return what became of each problem at a method's single λ: a sign, the verdict, and the share that is left."""
    m, place = METHODS.index(method), view.shares(method).best
    states = [STATES[k] for k in view.states[:, m, place].tolist()]
    rows = zip(states, view.left[:, m, place].tolist(), strict=True)
    return [f"{SIGNS[state]} {state}, {share_left(left)}" for state, left in rows]


def every_number(view: View) -> pd.DataFrame:
    """Return one row for each problem, method and λ: the verdict, and the median share of the gap that is left."""
    import pandas as pd

    each, inner = len(METHODS) * len(LAMBDAS), len(LAMBDAS)
    about = {
        name: np.repeat([getattr(entry, name) for entry in view.entries], each)
        for name in ("name", "origin", "kind", "role", "loss", "beta", "prepared")
    }
    return pd.DataFrame(
        {
            "problem": about.pop("name"),
            **about,
            "measure": view.measure,
            "method": np.tile(np.repeat(METHODS, inner), len(view)),
            "lambda": np.tile(LAMBDAS, len(view) * len(METHODS)),
            "state": np.array(STATES)[view.states.ravel()],
            "left": view.left.ravel(),
        }
    )
