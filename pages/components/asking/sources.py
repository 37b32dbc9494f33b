"""Where the data of a visitor's run come from: their own files and the named sets, and nothing else on the server."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

from cvar_core import Problem, ProblemSpec
from cvar_core.catalogue import losses
from cvar_core.data import DataError, Dataset, Preview, Recipe, missing, sets, table_columns
from cvar_core.jobs import Limits, Shelf, Upload, Uploads


class _Stamp(NamedTuple):
    """Tells a visitor's file from all others, and from what it was before."""

    path: str
    until: float


class Sources:
    """What one visitor can run on. What was read once is kept on the server's shelf, but not longer than its file."""

    def __init__(self, files: Uploads, shelf: Shelf, limits: Limits, visitor: str) -> None:
        self._files, self._shelf, self._limits, self._visitor = files, shelf, limits, visitor
        now = time.time()
        shelf.drop(lambda key: any(stamp.until <= now for stamp in _stamps_in(key)))
        self.own: dict[str, Upload] = {each.name: each for each in files.of(visitor)}

    @property
    def names(self) -> list[str]:
        """The visitor's files, the latest first, and the named sets: those first that are here at once."""
        ready = sorted(sets, key=lambda each: (each.make is None, bool(missing(each))))
        return [*self.own, *(each.name for each in ready if each.name not in self.own)]

    def has(self, name: str) -> bool:
        return name in self.own or (name in sets and not missing(sets[name]))

    def remove(self, name: str) -> None:
        """Delete a file of the visitor's, and what was read of it."""
        path = str(self.own[name].path)
        self._files.remove(self._visitor, name)
        self._shelf.drop(lambda key: any(stamp.path == path for stamp in _stamps_in(key)))

    def columns(self, name: str) -> tuple[str, ...] | None:
        """Return the columns of a CSV file of the visitor's; ``None`` for anything else."""
        if name not in self.own:
            return None
        found: tuple[str, ...] | None = self._shelf.get(
            ("columns", self._stamp(name)), lambda: (table_columns(self._find(name), self._limits.file), 1_000)
        )
        return found

    def data(self, recipe: Recipe) -> tuple[Dataset, Preview]:
        """Return the data that a recipe makes, and what to show of them."""
        made = replace(recipe, positive=None)  # which label is which is the problem's business

        def make() -> tuple[Any, int]:
            limits = self._limits.file if made.data in self.own else None
            data = made.load(self._find, limits)
            return (data, Preview.of(data)), data.bytes

        found: tuple[Dataset, Preview] = self._shelf.get(("data", *self._stamps(made), made), make)
        return found

    def problem(self, recipe: Recipe, loss: str) -> Problem:
        """Return a problem on the data for some loss of the task that ``loss`` has, to be put ``under`` another."""
        task = losses[loss].task

        def make() -> tuple[Any, int]:
            data, _ = self.data(recipe)
            return data.problem(loss, positive=recipe.positive), data.bytes

        found: Problem = self._shelf.get(("problem", *self._stamps(recipe), recipe, task), make)
        return found

    def rows(self, recipe: Recipe, spec: ProblemSpec) -> tuple[Dataset, Problem]:
        """Return the data that a recipe makes, and the problem on them that has this spec."""
        problem = self.problem(recipe, spec.loss).under(spec.loss, spec.beta, spec.scale, spec.start)
        return self.data(recipe)[0], problem

    def _find(self, name: str) -> str | BinaryIO:
        """Return a file to read, or the name of a set; a path never comes through here."""
        if name in self.own:
            content = io.BytesIO(self.own[name].path.read_bytes())
            content.name = name  # type: ignore[attr-defined]
            return content
        if name in sets:
            return name
        raise DataError(f"{name} is not among your files: upload it, or choose another")

    def _stamps(self, recipe: Recipe) -> tuple[Any, ...]:
        return tuple(self._stamp(name) for name in (recipe.data, recipe.test) if name is not None)

    def _stamp(self, name: str) -> _Stamp | str:
        return _Stamp(str(self.own[name].path), self.own[name].until) if name in self.own else name


def _stamps_in(key: Iterable[object]) -> list[_Stamp]:
    return [part for part in key if isinstance(part, _Stamp)]
