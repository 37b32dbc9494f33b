"""How a visitor looks at a run: what changes the picture and not the run."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from cvar_core.catalogue import methods
from cvar_core.figures.ghosts import MOST_PINNED
from cvar_core.jobs import LONGEST_NAME
from cvar_core.results import MEASURES, Criterion

_MOST = 1e300  # a whole number may be beyond all floats
THEMES = ("light", "dark")


class Pin(NamedTuple):
    """A pinned run by its id, and what it is called; nothing where it is known by what sets it apart."""

    id: str
    name: str = ""


@dataclass(frozen=True)
class Look:
    """
    Attributes
    ----------
    lam
        The visitor's step size; ``None`` where the field holds none.
    measure, closed
        By what runs are judged, and the share of the gap that a usable λ closes.
    at
        The step size of the curves; ``None`` for each method's best.
    pinned
        Runs that stand as ghosts behind it, where the visitor may see them.
    hidden
        Methods that the visitor does not see: no title is about them.
    """

    lam: float | None = None
    measure: str = Criterion().measure
    closed: float = Criterion().closed
    at: float | None = None
    theme: str = THEMES[0]
    pinned: tuple[Pin, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def by(self) -> Criterion:
        return Criterion(self.measure, self.closed)

    def of(self, part: str) -> Hashable:
        """Return what a part of the page shows of it: who differs in the rest sees the same picture."""
        return {
            "parts": (self.measure, self.at, self.theme),
            "iterations": (self.by, self.at, self.theme, self.hidden),
            "strictness": (self.by, self.theme, self.hidden),
            "measures": (self.at, self.theme, self.hidden),
        }.get(part, self)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, sent: object) -> Look:
        """Return what a browser says; what cannot be is as if it had not been said.

        >>> Look.read({"lam": 0.5, "measure": "beauty", "closed": 2, "at": "0.1", "theme": "dark"})
        Look(lam=0.5, measure='risk', closed=0.9, at=None, theme='dark', pinned=(), hidden=())
        """
        given = sent if isinstance(sent, dict) else {}
        usual = cls()
        measure, closed, theme = (given.get(name) for name in ("measure", "closed", "theme"))
        share = _positive(closed)
        return cls(
            lam=_positive(given.get("lam")),
            measure=measure if measure in MEASURES else usual.measure,
            closed=share if share is not None and share < 1 else usual.closed,
            at=_positive(given.get("at")),
            theme=theme if theme in THEMES else usual.theme,
            pinned=_pins(given.get("pinned")),
            hidden=_methods(given.get("hidden")),
        )


def _pins(sent: object) -> tuple[Pin, ...]:
    """Return the pins that a browser sends: a list of pairs of texts."""
    pairs = [each for each in sent if isinstance(each, list) and len(each) == 2] if isinstance(sent, list) else []
    texts = [(run, name) for run, name in pairs if isinstance(run, str) and isinstance(name, str)]
    return tuple(Pin(run[:16], name[:LONGEST_NAME]) for run, name in texts[:MOST_PINNED])


def _methods(sent: object) -> tuple[str, ...]:
    """Return the methods that a browser names, in the order in which all are."""
    return tuple(name for name in methods.names() if name in sent) if isinstance(sent, list) else ()


def _positive(sent: object) -> float | None:
    number = isinstance(sent, int | float) and not isinstance(sent, bool)
    return float(sent) if number and 0 < sent < _MOST else None  # type: ignore[operator,arg-type]
