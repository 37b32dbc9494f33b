"""Where a visitor works: a page with its controls, the run that it shows, and the manager of all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import streamlit as st

from cvar_core import SweepSpec
from cvar_core.data import Recipe
from cvar_core.jobs import Entry, Manager, View


class Controls(Protocol):
    """What a page's controls can do beside asking."""

    @property
    def keys(self) -> dict[str, None]: ...

    def open(self, spec: SweepSpec, recipe: Recipe | None = None) -> None: ...

    def picked(self) -> bool: ...


class Shown(NamedTuple):
    """A run, and how its data were made if it is on data."""

    spec: SweepSpec
    recipe: Recipe | None = None


@dataclass(frozen=True)
class Session:
    """A page on synthetic problems, or one on data: either has the runs of its kind."""

    page: str
    manager: Manager
    visitor: str
    controls: Controls
    on_data: bool = False

    @property
    def shown(self) -> Shown | None:
        found: Shown | None = st.session_state.get(f"{self.page}-shown")
        return found

    def show(self, run: Shown | None) -> None:
        """Note which run the page shows."""
        st.session_state[f"{self.page}-shown"] = run

    def view(self, spec: SweepSpec) -> View | None:
        """Return a run as it is now; ``None`` if nobody has asked for it, or this visitor has deleted it."""
        return None if self.deleted(spec) else self.manager.view(spec, self.visitor)

    def deleted(self, spec: SweepSpec) -> bool:
        """Tell whether the visitor has deleted a run, and not asked for it since."""
        return self.manager.store.was_deleted(self.visitor, spec.id)

    def name(self, run_id: str) -> str:
        """Return what the visitor calls a run, if anything."""
        visited = self.manager.store.visited(self.visitor, run_id)
        return "" if visited is None else visited[1] or ""

    def recipe(self, run_id: str) -> Recipe | None:
        """Return how the visitor made the data of a run, if it has any."""
        visited = self.manager.store.visited(self.visitor, run_id)
        return None if visited is None or visited[0] is None else Recipe.from_json(visited[0])

    def history(self) -> list[Entry]:
        return self.manager.history(self.visitor, on_data=self.on_data)

    def open(self, run: Entry) -> None:
        """Show a run of the history, and set the controls to it; to be called by a callback."""
        recipe = None if run.recipe is None else Recipe.from_json(run.recipe)
        self.show(Shown(run.spec, recipe))
        self.controls.open(run.spec, recipe)
