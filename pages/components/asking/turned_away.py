"""Why files were not taken in, for the page to say: the field that sends them knows no more than a number."""

from __future__ import annotations

import threading
from collections import OrderedDict

_MOST = 200  # tabs for which something is noted

_lock = threading.Lock()
_noted: OrderedDict[str, dict[str, None]] = OrderedDict()


def note(session: str, sentence: str) -> None:
    """Keep a sentence for a tab, each once; of very many tabs, those that have not asked for long are forgotten."""
    with _lock:
        _noted.setdefault(session, {})[sentence] = None
        while len(_noted) > _MOST:
            _noted.popitem(last=False)


def told(session: str) -> list[str]:
    """Return, once, what was noted for a tab.

    >>> note("a tab", "Too large.")
    >>> note("a tab", "Too large.")
    >>> told("a tab"), told("a tab")
    (['Too large.'], [])
    """
    with _lock:
        return list(_noted.pop(session, {}))
