"""What the class went through, judged: whether nothing was lost, nothing differs and nothing unexpected was shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from tools.load.report import spread

from .ledger import Happened, Ledger, Sample, Shown, Waited
from .plan import CLOCK, CUT, FULL, LOCKED, READ_ONLY, SCHEDULER, SERVER, SILENT, WORKER

AFTERWARDS = 20.0  # seconds in which a fault may still be felt,
_ALL_AT_ONCE = 35.0  # and where the server was started anew, to which everybody comes back at the same moment
_CUTS = (SERVER, READ_ONLY, CUT, SILENT)
# What may be shown because of which faults.
EXPECTED = {
    r"^connection: |^stream: a (socket|ticket) was ": _CUTS,
    r"The store of runs is locked": (LOCKED,),
    r"The store of runs cannot grow|cannot be read or written|[Tt]he server cannot keep files": (FULL, READ_ONLY),
    r"The store of runs cannot be (written|opened)": (READ_ONLY,),
    r"The cluster": (SCHEDULER, WORKER, SERVER, READ_ONLY),
    r"is no longer here: upload it again|is not among your files": (CLOCK, FULL, READ_ONLY),
}
# What the log may have of faults that happened; its own clock is set among other things, so no more is asked.
EXPECTED_IN_LOG = {r"event=upload \[Errno 28\]": FULL, r"event=upload \[Errno 30\]": READ_ONLY}
_MOST_GROWTH = {"megabytes": 500.0, "threads": 60.0, "handles": 250.0}  # in the second half of a server's life,
_MANY = 60  # samples of it that are needed to tell


@dataclass
class Verdict:
    """``wrong`` says what is, a sentence each; nothing if all is well."""

    wrong: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        return not self.wrong


def judge(
    ledger: Ledger, lost: Mapping[str, str], different: Sequence[str], tracebacks: Sequence[str], exit_code: int | None
) -> Verdict:
    """Judge by what was written down, the runs that cannot be reached, those with other bits, and the server's log."""
    unexpected = [each for each in ledger.errors if not is_expected(each, ledger.happened)]
    expected = [each for each in ledger.errors if is_expected(each, ledger.happened)]
    tracebacks = [each for each in tracebacks if not _is_expected_in_log(each, ledger.happened)]
    verdict = Verdict(facts={
        "runs_told": len(ledger.runs), "runs_owed": len(ledger.owed), "runs_lost": dict(lost),
        "bits_different": list(different),
        "errors_unexpected": _counted(unexpected), "errors_expected": _counted(expected),
        "refusals": _counted(ledger.refusals), "queued": ledger.queued,
        "tracebacks": dict(Counter(tracebacks).most_common()), "exit_code": exit_code,
        "waits": waits_by(ledger.waits, ledger.happened), "deeds": dict(sorted(ledger.done.items())),
        "server": _taken(ledger.samples),
    })  # fmt: skip
    wrong = verdict.wrong
    if lost:
        wrong.append(f"{len(lost)} of {len(ledger.owed)} runs were lost")
    if different:
        wrong.append(f"{len(different)} runs have other bits")
    if unexpected:
        wrong.append(f"{len(unexpected)} errors were shown that no fault explains")
    if tracebacks:
        wrong.append(f"{len(tracebacks)} tracebacks stand in the server's log")
    if exit_code != 0:
        wrong.append(f"the server ended with {exit_code}, not with 0")
    if not ledger.runs:
        wrong.append("nobody was told of any run")
    wrong += growing(ledger.samples)
    return verdict


def is_expected(shown: Shown, happened: Sequence[Happened]) -> bool:
    """Tell whether a fault explains what was shown."""
    kinds = {kind for words, some in EXPECTED.items() if re.search(words, shown.text) for kind in some}
    return any(each.kind in kinds and felt(each, shown.at) for each in happened)


def _is_expected_in_log(line: str, happened: Sequence[Happened]) -> bool:
    kinds = {each.kind for each in happened}
    return any(re.search(words, line) and kind in kinds for words, kind in EXPECTED_IN_LOG.items())


def felt(fault: Happened, begun: float, ended: float | None = None) -> bool:
    """Tell whether a fault may be felt at a moment, or in a stretch of time."""
    afterwards = _ALL_AT_ONCE if fault.kind in (SERVER, READ_ONLY) else AFTERWARDS
    return fault.begun <= (begun if ended is None else ended) and begun <= fault.ended + afterwards


def waits_by(waits: Sequence[Waited], happened: Sequence[Happened]) -> dict[str, dict[str, Any]]:
    """Return the spread of each kind of wait, apart for quiet times and for those with faults."""
    found: dict[str, dict[str, list[float]]] = {}
    for each in waits:
        when = "faults" if any(felt(fault, each.at, each.at + each.seconds) for fault in happened) else "quiet"
        found.setdefault(each.what, {"quiet": [], "faults": []})[when].append(each.seconds)
    return {what: {when: spread(seconds) for when, seconds in parts.items()} for what, parts in sorted(found.items())}


def growing(samples: Sequence[Sample]) -> list[str]:
    """Say what grows without end: in the life of a server that was long enough, from its second to its last quarter."""
    lives: dict[int, list[Sample]] = {}
    for sample in samples:
        lives.setdefault(sample.pid, []).append(sample)
    found = []
    for life in lives.values():
        if len(life) < _MANY:
            continue
        quarter = len(life) // 4
        for name, most in _MOST_GROWTH.items():
            before, after = (
                median(getattr(each, name) for each in part) for part in (life[quarter : 2 * quarter], life[-quarter:])
            )
            if after - before > most:
                found.append(f"{name} of a server grew from {before:,.0f} to {after:,.0f}")
    return found


def _taken(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
    names = (*_MOST_GROWTH, "load")
    return {name: spread([getattr(each, name) for each in samples]) or {} for name in names}


def _counted(shown: Sequence[Shown]) -> dict[str, int]:
    return dict(Counter(_plain(each.text) for each in shown).most_common())


def _plain(text: str) -> str:
    """Leave out what differs from one of a kind to the next."""
    return re.sub(r"\b[0-9a-f]{6}\b(?=\.)", "…", text)[:300]
