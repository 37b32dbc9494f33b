"""The pinned runs that a visitor may see."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from cvar_core import SweepSpec
from cvar_core.data import Recipe
from cvar_core.figures.ghosts import Pinned
from cvar_core.jobs import Manager

from ..drawing.look import Pin
from ..drawing.run_names import apart


class PinnedRun(NamedTuple):
    """
    Attributes
    ----------
    known
        What tells it from another, and from itself with other records: with the same, the same is drawn.
    """

    drawn: Pinned
    known: Hashable
    live: bool


def pinned_runs(manager: Manager, visitor: str, shown: SweepSpec, pins: Sequence[Pin]) -> list[PinnedRun]:
    """Return what can be drawn behind the run that is shown; what the visitor may not see is left out."""
    found = []
    for pin in pins:
        view = None if pin.id == shown.id else manager.seen_by(pin.id, visitor)
        if view is not None and view.result is not None:
            theirs, ours = (_recipe(manager, visitor, each) for each in (pin.id, shown.id))
            name = pin.name or apart(view.spec, theirs, shown, ours)
            known = pin.id, name, view.result.recorded.tobytes()
            found.append(PinnedRun(Pinned(name, view.result), known, view.live))
    return found


def _recipe(manager: Manager, visitor: str, run_id: str) -> Recipe | None:
    visited = manager.store.visited(visitor, run_id)
    return None if visited is None or visited[0] is None else Recipe.from_json(visited[0])
