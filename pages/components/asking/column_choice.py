"""Which columns of a table are used: all but those that are left out by themselves, unless somebody says otherwise."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from cvar_core.data import Column


class Told(NamedTuple):
    """A choice as links and recipes tell it: what is left out and what is put back, or what is used if that is less."""

    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnChoice:
    """What the visitor says of columns: those of use that are dropped, and those of no use that are kept even so."""

    columns: tuple[Column, ...]
    dropped: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()

    @classmethod
    def of(cls, columns: tuple[Column, ...], told: Told) -> ColumnChoice:
        """Return the choice that is told; names that no column has are passed over."""
        choice = cls(columns)
        return choice.using({each.name: choice._meant(each, told) for each in columns})

    @staticmethod
    def _meant(column: Column, told: Told) -> bool:
        if told.only:
            return column.name in told.only
        return column.name not in told.drop and (column.left_out is None or column.name in told.keep)

    def using(self, wanted: dict[str, bool]) -> ColumnChoice:
        """Return the choice in which these columns are used, or are not."""
        of_use = {each.name: each.left_out is None for each in self.columns}
        dropped = {name for name, use in wanted.items() if of_use[name] and not use}
        kept = {name for name, use in wanted.items() if not of_use[name] and use}
        return ColumnChoice(self.columns, (self.dropped - wanted.keys()) | dropped, (self.kept - wanted.keys()) | kept)

    def uses(self, column: Column) -> bool:
        return column.name in self.kept if column.left_out else column.name not in self.dropped

    def features(self, target: str) -> tuple[Column, ...]:
        """Return the columns that are used beside the target, which is never left out."""
        return tuple(each for each in self.columns if each.name != target and self.uses(each))

    def told(self, target: str) -> Told:
        features = self.features(target)
        drop, keep = (self._named(names - {target}) for names in (self.dropped, self.kept))
        if 0 < len(features) < len(drop) + len(keep):
            return Told(only=tuple(each.name for each in features))
        return Told(drop, keep)

    def _named(self, names: Collection[str]) -> tuple[str, ...]:
        return tuple(each.name for each in self.columns if each.name in names)
