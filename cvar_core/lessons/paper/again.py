"""Computing panels again for one visitor, one after another, so that the others keep their share of the server."""

from __future__ import annotations

from collections.abc import Iterable

from ...jobs import Manager, Refused, View
from ...results import Result
from ...specs import SweepSpec
from .difference import difference
from .nine_panels import name

_STANDS = {
    "queued": "Waits for memory.",
    "running": "Is being computed; this is still the shipped result.",
    "failed": "Could not be computed. {error} This is the shipped result.",
    "cancelled": "Stopped at {share}; this is the shipped result.",
    "interrupted": "Interrupted at {share}, because the server stopped; this is the shipped result.",
}


class Recomputation:
    """The panels that a visitor wants computed again. Something has to call ``move`` now and then.

    Attributes
    ----------
    waiting
        What is to be submitted, in this order.
    current
        What is being computed.
    refused
        Why the server did not take the next one, in a sentence for the visitor. It is asked again at the next move.
    """

    def __init__(self) -> None:
        self.waiting: list[SweepSpec] = []
        self.current: SweepSpec | None = None
        self.refused: str | None = None
        self._asked: set[str] = set()

    @property
    def busy(self) -> bool:
        return self.current is not None or bool(self.waiting)

    def ask(self, specs: Iterable[SweepSpec]) -> None:
        self.refused = None
        self.waiting += [spec for spec in specs if spec not in self.waiting and spec != self.current]

    def move(self, manager: Manager, visitor: str) -> bool:
        """Submit the next panel if none is being computed; tell whether the picture of any panel has changed."""
        changed = False
        if self.current is not None:
            view = manager.view(self.current, visitor)
            if view is not None and view.live and view.watched:
                return False
            self.current, changed = None, True
        while self.waiting and self.current is None:
            try:
                view = manager.submit(self.waiting[0], visitor)
            except Refused as why:
                self.refused = str(why)
                if manager.limits.faults(self.waiting[0].to_dict()):
                    self.waiting.clear()  # to ask again is of no use
                return changed
            spec, self.refused, changed = self.waiting.pop(0), None, True
            self._asked.add(spec.id)
            self.current = spec if view.live else None  # else the server has it, and there is nothing to wait for
        return changed

    def stop(self, manager: Manager, visitor: str) -> None:
        """Leave what is being computed, and compute no more; what is done stays."""
        self.waiting.clear()
        self.refused = None
        if self.current is not None:
            manager.cancel(self.current.id, visitor)
            self.current = None

    def result(self, spec: SweepSpec, manager: Manager, visitor: str) -> Result | None:
        """Return what was computed again, once it is complete."""
        view = self._view(spec, manager, visitor)
        return view.result if view is not None and view.status == "done" else None

    def progress(self) -> str:
        """Say what is being computed, and what is still to come."""
        now = "" if self.current is None else name(self.current).capitalize()
        return " · ".join(filter(None, (now, f"{len(self.waiting)} more to come" if self.waiting else "")))

    def words(self, known: Result, manager: Manager, visitor: str) -> str:
        """Say how the computing of a panel stands, or how what came out compares with the shipped result."""
        if known.spec in self.waiting:
            return "Waits for its turn; this is the shipped result."
        view = self._view(known.spec, manager, visitor)
        if view is None:
            return "Shipped with the project."
        if view.status == "done" and view.result is not None:
            seconds = view.result.timings.get("total")
            took = "" if seconds is None else f" in {seconds:.1f} s"
            return f"Computed here{took}: {difference(known, view.result).words()}."
        return _STANDS[view.status].format(error=view.error, share=f"{100 * view.progress:.0f}%")

    def _view(self, spec: SweepSpec, manager: Manager, visitor: str) -> View | None:
        return manager.view(spec, visitor) if spec.id in self._asked else None
