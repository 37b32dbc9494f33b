"""What a server is told by its environment: where it keeps runs, how many workers it has, and what it allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import NamedTuple

import platformdirs

from ..processors import processors
from ..reading import whole
from ..specs import SpecError
from .limits import Limits

_PREFIX = "CVAR_MAX_"
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}
_BYTES = ("memory", "store", "upload", "upload_store", "upload_memory", "data")


class Row(NamedTuple):
    """A variable as the documentation lists it."""

    variable: str
    usual: str
    about: str


@dataclass(frozen=True)
class Settings:
    folder: Path = field(default_factory=lambda: platformdirs.user_data_path("cvar_core"))
    workers: int = field(default_factory=processors)
    proxies: int = 0
    scheduler: str = ""
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Read the variables; one that is not set, or empty, has its usual value."""
        given = {name: text for name, text in environment.items() if name.startswith("CVAR_") and text.strip()}
        bounds = {each.name: f"{_PREFIX}{each.name.upper()}" for each in fields(Limits)}
        for unknown in (name for name in given if name.startswith(_PREFIX) and name not in bounds.values()):
            raise SpecError(f"{unknown} is set, but there is no such limit; there are {', '.join(bounds.values())}")
        found = {name: _count(variable, given[variable]) for name, variable in bounds.items() if variable in given}
        usual = cls(limits=Limits(**found))
        return cls(
            Path(given["CVAR_DATA_DIR"]) if "CVAR_DATA_DIR" in given else usual.folder,
            _count("CVAR_WORKERS", given["CVAR_WORKERS"]) if "CVAR_WORKERS" in given else usual.workers,
            _count("CVAR_PROXIES", given["CVAR_PROXIES"], least=0) if "CVAR_PROXIES" in given else usual.proxies,
            given.get("CVAR_SCHEDULER", usual.scheduler).strip(),
            usual.limits,
        )

    @property
    def rows(self) -> list[Row]:
        """All variables, with the values of these settings."""
        return [
            Row(
                "CVAR_DATA_DIR",
                str(self.folder),
                "folder of the stored runs, of visitors' files and of fetched data sets",
            ),
            Row("CVAR_WORKERS", str(self.workers), "threads that compute, for all visitors together"),
            Row("CVAR_SCHEDULER", self.scheduler or "none", "dask scheduler whose workers compute instead of threads"),
            Row("CVAR_PROXIES", str(self.proxies), "proxies before the server, by whose word addresses are told apart"),
            *(
                Row(f"{_PREFIX}{each.name.upper()}", _written(each.name, self.limits), each.metadata["about"])
                for each in fields(Limits)
            ),
        ]


def _count(variable: str, text: str, least: int = 1) -> int:
    """Read a whole number, with K, M or G for powers of 1,024.

    >>> _count("CVAR_MAX_STORE", "512M")
    536870912
    """
    unit = _UNITS.get(text.strip()[-1:].upper(), 1)
    digits = text.strip()[:-1] if unit > 1 else text.strip()
    try:
        value = whole(variable, digits) * unit
    except (SpecError, OverflowError):
        value = -1
    if not least <= value <= 2**53:
        such = "above 0, such as 1000 or 64M" if least else "such as 0 or 1"
        raise SpecError(f"{variable} is {text!r}, but it must be a whole number {such}")
    return value


def _written(name: str, limits: Limits) -> str:
    value = int(getattr(limits, name))
    if name in _BYTES:
        for letter, unit in reversed(_UNITS.items()):
            if value % unit == 0:
                return f"{value // unit}{letter}"
    return f"{value:,}"
