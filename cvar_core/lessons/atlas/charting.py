"""Computing the atlas, as anyone can: the one way in which the shipped one was made. It goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...cancel import Stop
from ...processors import processors
from ...scheduling import Progress, run
from ...specs import SpecError
from .atlas_file import read, versions, write
from .charted import Atlas, charted
from .entries import METHODS, Entry, sweep_of
from .origins import Missing
from .taken_apart import beside, only


class Step(NamedTuple):
    """What became of one problem: its part of the atlas, or why there is none."""

    entry: Entry
    found: Atlas | None
    known: bool = False  # from an earlier computation
    why: str = ""


def chart(
    entries: Sequence[Entry],
    parts: Path,
    folder: str | None = None,
    workers: int | None = None,
    report: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    shipped: Atlas | None = None,
) -> Iterator[Step]:
    """Compute problem after problem, and yield each as soon as it is there.

    Parameters
    ----------
    parts
        A folder that keeps what is computed, one file for a method on a problem; what is there is not computed again.
    folder
        Where the files are that do not ship.
    report
        Told the share of all problems that is done.
    shipped
        An atlas whose numbers, if they are of the same versions, are taken instead of computed again.
    """
    parts.mkdir(parents=True, exist_ok=True)
    for k, entry in enumerate(entries):
        tell = None if report is None else _overall(report, entry.name, k, len(entries))
        try:
            yield _step(entry, parts, folder, workers, tell, stop, shipped)
        except Missing as why:
            yield Step(entry, None, why=str(why))


def _step(
    entry: Entry,
    parts: Path,
    folder: str | None,
    workers: int | None,
    report: Callable[[Progress], None] | None,
    stop: Stop | None,
    shipped: Atlas | None,
) -> Step:
    problem = entry.make(folder)
    places = {name: parts / f"{sweep_of(problem.spec, (name,)).id}.npz" for name in METHODS}
    known = {name: _known(place, entry, name) for name, place in places.items()}
    if shipped is not None:
        known = {name: each or _cell(shipped, entry, name) for name, each in known.items()}
    missing = tuple(name for name, each in known.items() if each is None)
    if missing:
        result = run(problem, sweep_of(problem.spec, missing), workers or processors(), report, stop)
        found = charted(entry, result, versions())
        for name in missing:
            known[name] = only(found, (name,))
            write(places[name], only(found, (name,)))
    return Step(entry, beside([each for each in known.values() if each is not None]), known=not missing)


def _known(place: Path, entry: Entry, method: str) -> Atlas | None:
    """Return what an earlier computation left of a method on a problem, if it is whole and of the same versions."""
    try:
        return _cell(read(place), entry, method)
    except (OSError, SpecError):
        return None


def _cell(atlas: Atlas, entry: Entry, method: str) -> Atlas | None:
    """Return the part of an atlas that is one method on one problem, if it has that, and the same versions."""
    place = next((k for k, each in enumerate(atlas.problems) if each.entry == entry), None)
    if place is None or atlas.versions != versions() or method not in atlas.methods:
        return None
    return only(atlas.at(place), (method,))


def _overall(report: Callable[[Progress], None], stage: str, done: int, count: int) -> Callable[[Progress], None]:
    return lambda progress: report(Progress(stage, (done + progress.share) / count, progress.updates))
