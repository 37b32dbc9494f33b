"""What the server's log has of errors: where a traceback ends, or the line of one that was written on one line."""

from __future__ import annotations

import re
from pathlib import Path

_ENDS = re.compile(r"^[\w.]*(Error|Exception|Exit|Interrupt|Disconnected?|Closed\w*)\b")
_BEGINS = re.compile(r"^Traceback \(most recent call last\)")
_ON_ONE_LINE = re.compile(r"\blevel=(error|critical)\b")


def tracebacks(log: Path) -> list[str]:
    """Return a line for each, without the time."""
    found, inside = [], False
    for line in log.read_text(errors="replace").splitlines():
        if _BEGINS.match(line):
            inside = True
        elif inside and _ENDS.match(line):
            inside = False
            found.append(line[:300])
        elif _ON_ONE_LINE.search(line):
            found.append(re.sub(r"^time=\S+ |\b(run|number|visitor)=\w+", "", line)[:400])
    return found
