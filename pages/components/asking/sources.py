"""Where the data of a visitor's run come from: their own files and the named sets, and nothing else on the server."""

from __future__ import annotations

import io
import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

from cvar_core import Problem, ProblemSpec
from cvar_core.catalogue import losses
from cvar_core.data import (
    Column,
    DataError,
    Dataset,
    Preview,
    Recipe,
    Table,
    columns,
    load,
    missing,
    read_table,
    sets,
)
from cvar_core.jobs import Limits, Shelf, Upload, Uploads

log = logging.getLogger(__name__)

_TEXT = 8  # times as many bytes as a number


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

    def add(self, name: str, content: bytes) -> str:
        """Keep a file of the visitor's, and return what it is called; one that cannot be read is refused."""
        table = read_table(_opened(name, content), self._limits.file)
        if table is None:
            load(_opened(name, content), limits=self._limits.file)
        kept = self._files.add(self._visitor, name, content)
        self.own = {each.name: each for each in self._files.of(self._visitor)}
        self._shelf.get(("table", self._stamp(kept.name)), lambda: (table, _bytes(table)))
        return kept.name

    def remove(self, name: str) -> None:
        """Delete a file of the visitor's, and what was read of it."""
        path = str(self.own[name].path)
        self._files.remove(self._visitor, name)
        self._shelf.drop(lambda key: any(stamp.path == path for stamp in _stamps_in(key)))

    def columns(self, name: str) -> tuple[Column, ...]:
        """Return what is known of the columns of a visitor's table; nothing of anything else."""
        if name not in self.own:
            return ()

        def make() -> tuple[Any, int]:
            try:
                table = self._table(name)
            except DataError:
                table = None  # whoever loads it is told why
            found = () if table is None else columns(table)
            return found, 1_000 * (1 + len(found))

        found: tuple[Column, ...] = self._shelf.get(("columns", self._stamp(name)), make)
        return found

    def _table(self, name: str) -> Table | None:
        """Return what was read of a visitor's table, whatever is then done to it; ``None`` if the file is none."""

        def make() -> tuple[Any, int]:
            table = read_table(self._find(name), self._limits.file)
            return table, _bytes(table)

        found: Table | None = self._shelf.get(("table", self._stamp(name)), make)
        return found

    def data(self, recipe: Recipe) -> tuple[Dataset, Preview]:
        """Return the data that a recipe makes, and what to show of them, but for what is the problem's business."""
        made = replace(recipe, positive=None, standardise_target=False)

        def make() -> tuple[Any, int]:
            own = made.data in self.own
            table = self._table(made.data) if own else None
            data = made.load(
                lambda name: table if table is not None and name == made.data else self._find(name),
                self._limits.file if own else None,
            )
            return (data, Preview.of(data)), data.bytes

        found: tuple[Dataset, Preview] = self._shelf.get(("data", *self._stamps(made), made), make)
        return found

    def problem(self, recipe: Recipe, loss: str) -> Problem:
        """Return a problem on the data for some loss of the task that ``loss`` has, to be put ``under`` another."""
        task = losses[loss].task

        def make() -> tuple[Any, int]:
            data = self._in_unit(recipe)
            return data.problem(loss, positive=recipe.positive), data.bytes

        found: Problem = self._shelf.get(("problem", *self._stamps(recipe), recipe, task), make)
        return found

    def rows(self, recipe: Recipe, spec: ProblemSpec) -> tuple[Dataset, Problem]:
        """Return the data that a recipe makes, and the problem on them that has this spec."""
        problem = self.problem(recipe, spec.loss)
        chosen = (spec.loss, spec.beta, spec.scale, spec.start, spec.loss_params, spec.mix)
        return self._in_unit(recipe), problem.under(*chosen)

    def _in_unit(self, recipe: Recipe) -> Dataset:
        """Return the data with the target in the unit that the recipe says."""
        data, _ = self.data(recipe)
        return data.standardise_target() if recipe.standardise_target else data

    def _find(self, name: str) -> str | BinaryIO:
        """Return a file to read, or the name of a set; a path never comes through here."""
        if name in self.own:
            try:
                return _opened(name, self.own[name].path.read_bytes())
            except OSError:  # its time was over just now; or the disk fails, which is for the log
                log.warning("upload cannot be read", exc_info=True)
                raise DataError(f"{name} is no longer here: upload it again, or choose another") from None
        if name in sets:
            return name
        raise DataError(f"{name} is not among your files: upload it, or choose another")

    def _stamps(self, recipe: Recipe) -> tuple[Any, ...]:
        return tuple(self._stamp(name) for name in (recipe.data, recipe.test) if name is not None)

    def _stamp(self, name: str) -> _Stamp | str:
        return _Stamp(str(self.own[name].path), self.own[name].until) if name in self.own else name


def _bytes(table: Table | None) -> int:
    """Return about what a table holds: a text takes more than the eight bytes that point to it."""
    if table is None:
        return 0
    return sum(column.nbytes * (1 if column.dtype.kind == "f" else _TEXT) for _, column in table.frame.items())


def _opened(name: str, content: bytes) -> BinaryIO:
    file = io.BytesIO(content)
    file.name = name  # type: ignore[attr-defined]
    return file


def _stamps_in(key: Iterable[object]) -> list[_Stamp]:
    return [part for part in key if isinstance(part, _Stamp)]
