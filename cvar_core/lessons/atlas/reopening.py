"""How a problem of the atlas is computed again: as a run on Explore or Data, or by a command."""

from __future__ import annotations

import shlex

from ...data import Recipe
from .entries import STANDARDISED, Entry
from .table_sets import SETS


def recipe(entry: Entry) -> Recipe | None:
    """Return how the data of a problem are made of a named set or of one file; ``None`` where that is not enough.

    A synthetic problem needs no data, and the table of a package is made ready by more than a recipe says.
    """
    chosen = SETS.get(entry.table or "")
    if chosen is None or chosen.package is not None:
        return None
    return Recipe(
        chosen.file,
        chosen.target,
        standardise=entry.prepared == STANDARDISED,
        intercept=True,
        positive=chosen.positive,
        keep=chosen.keep,
    )


def command(entry: Entry) -> str:
    return f"python -m cvar_core atlas --only {shlex.quote(entry.name)}"
