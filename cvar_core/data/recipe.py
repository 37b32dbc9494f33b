"""How data are made: which file or set, and what is done to it. One form for links, histories and commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from .bounds import DataError, Limits
from .content import Source
from .dataset import Dataset
from .gaps import FILL
from .load import load
from .table import Table

_LISTS = ("drop", "keep", "only")


@dataclass(frozen=True)
class Recipe:
    """The choices of ``load`` and of ``Dataset.problem``, with files by their names."""

    data: str
    target: str | None = None
    test: str | None = None
    holdout: float | None = None
    seed: int = 0
    standardise: bool = False
    intercept: bool = False
    positive: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    missing: str = FILL
    standardise_target: bool = False

    def __post_init__(self) -> None:
        for name in _LISTS:
            given = getattr(self, name)
            if isinstance(given, str) or not all(isinstance(each, str) for each in given):
                raise TypeError(f"{name} is {given!r}, but it must be a list of names")
            object.__setattr__(self, name, tuple(given))

    def load(
        self,
        find: Callable[[str], Source | Table] = lambda name: name,
        limits: Limits | None = None,
        progress: bool = False,
    ) -> Dataset:
        """Load the data; ``find`` says where a file of that name is, or gives the table that was read of it."""
        return load(
            find(self.data),
            self.target,
            drop=self.drop,
            keep=self.keep,
            only=self.only,
            missing=self.missing,
            test=None if self.test is None else find(self.test),
            holdout=self.holdout,
            seed=self.seed,
            standardise=self.standardise,
            standardise_target=self.standardise_target,
            intercept=self.intercept,
            limits=limits,
            progress=progress,
        )

    @property
    def changed(self) -> dict[str, Any]:
        """The choices that differ from their defaults, the data apart.

        >>> Recipe("cars.csv", holdout=0.2, drop=("id",)).changed
        {'holdout': 0.2, 'drop': ('id',)}
        """
        usual = {each.name: each.default for each in fields(self)}
        return {name: value for name, value in asdict(self).items() if name != "data" and value != usual[name]}

    def to_json(self) -> str:
        return json.dumps({"data": self.data, **self.changed}, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        try:
            return cls(**json.loads(text))
        except (TypeError, ValueError) as problem:
            raise DataError(f"the recipe of these data cannot be read ({problem})") from None
