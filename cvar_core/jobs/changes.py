"""Which runs have changed, and who is told."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from .guard import Guard

_MOST = 10_000  # runs whose last change is known exactly

Tell = Callable[[], None]


class Changes:
    """Counts the changes of runs and tells watchers of them, once the lock is free."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._count = 0
        self._last: OrderedDict[str, int] = OrderedDict()  # those that changed last stand at the end
        self._older = 0  # the last change of any run that is not in there
        self._watchers: dict[str, dict[object, Tell]] = {}

    def note(self, run_id: str) -> None:
        """A viewer may see something else of a run from now on."""
        with self._guard:
            self._count += 1
            self._last[run_id] = self._count
            self._last.move_to_end(run_id)
            if len(self._last) > _MOST:
                _, self._older = self._last.popitem(last=False)
            self._guard.afterwards(self._watchers.get(run_id, {}).values())

    def revision(self, run_id: str) -> int:
        """Return a number that grows with each change of a run, and now and then with those of others."""
        with self._guard:
            return self._last.get(run_id, self._older)

    def watch(self, run_id: str, tell: Tell) -> Callable[[], None]:
        """Call ``tell`` after changes of a run, until what is returned is called."""
        key = object()  # one may watch with the same function twice

        def stop() -> None:
            with self._guard:
                watchers = self._watchers.get(run_id, {})
                watchers.pop(key, None)
                if not watchers:
                    self._watchers.pop(run_id, None)

        with self._guard:
            self._watchers.setdefault(run_id, {})[key] = tell
        return stop
