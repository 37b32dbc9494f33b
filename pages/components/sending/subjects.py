"""What a live element can listen to: a run, its sharpening, a study, an answer, the server, a place in the line.

A subject is asked in the studio's thread, again and again. It answers with what can be read and seen now, and with
whether the page is still right about it: ``settled`` is empty while something is under way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Protocol

from cvar_core.cluster import Cluster
from cvar_core.jobs import Manager
from cvar_core.jobs.sharpener import Key
from cvar_core.lessons.your_model import DigitStudy, shipped_study
from cvar_core.own_model.growing_study import SoFar
from cvar_core.results import Criterion
from cvar_core.specs import SweepSpec

from ..drawing.look import Look
from ..drawing.run_picture import PARTS, STUDY, known, picture
from ..drawing.sharpening_words import sharpening
from ..drawing.status import status, study_status
from ..drawing.study_picture import study_picture
from .answers import Answers, answers_named
from .pinned_runs import pinned_runs
from .server import Shared
from .studies import DONE, SHIPPED, StudyView

Tell = Callable[[], None]
Unwatch = Callable[[], None]


@dataclass(frozen=True)
class Seen:
    """What a subject shows: words that are sent each time, and a picture that is sent when its name has changed."""

    words: str = ""
    settled: str = ""
    soon: bool = False  # there is hardly anything to see yet, but there will be in a moment
    name: Hashable = None
    picture: Callable[[], bytes] | None = None


class Subject(Protocol):
    """
    Attributes
    ----------
    parts
        What of it can be shown.
    restless
        Whether it has to be asked with each heartbeat, because it tells nobody of its changes.
    """

    parts: tuple[str, ...]
    restless: bool

    def watch(self, tell: Tell) -> Unwatch:
        """Have ``tell`` called, by any thread, when there may be something new."""

    def seen(self, part: str, look: Look) -> Seen: ...


class Run:
    """A run as one visitor sees it."""

    parts = (*PARTS, "status")

    def __init__(self, shared: Shared, page: str, visitor: str, run_id: str) -> None:
        self.restless = False  # until a run is pinned that is under way
        self._manager, self._pictures = shared.manager, shared.pictures
        self._page, self._visitor, self._id = page, visitor, run_id
        self._spec: SweepSpec | None = None

    def watch(self, tell: Tell) -> Unwatch:
        return self._manager.watch(self._id, tell)

    def seen(self, part: str, look: Look) -> Seen:
        self._spec = self._spec or self._manager.spec_of(self._id)
        view = None if self._spec is None else self._manager.view(self._spec, self._visitor)
        if view is None:
            return Seen("", "deleted")
        settled = "" if view.live else view.status
        words = status(view) if part in ("study", "status") else ""
        if part == "status":
            return Seen(words, settled)
        pinned = pinned_runs(self._manager, self._visitor, view.spec, look.pinned) if part == STUDY else []
        self.restless = any(run.live for run in pinned)
        ghosts = [run.drawn for run in pinned]
        name = self._id, self._page, part, look.of(part), known(view, part), *(run.known for run in pinned)
        draw = partial(picture, view, self._page, part, look, ghosts)
        soon = view.live and view.result is None and not (view.early is not None and view.early.started)
        return Seen(words, settled, soon, name, partial(self._pictures.get, name, draw))


class Sharpening:
    """A sharpening of one visitor's."""

    parts = ("sharpening",)
    restless = False

    def __init__(self, manager: Manager, visitor: str, run_id: str, measure: str, closed: str) -> None:
        self._sharpener = manager.sharpener
        self._key = Key(visitor, run_id, Criterion(measure, float(closed)))

    def watch(self, tell: Tell) -> Unwatch:
        return self._sharpener.watch(self._key, tell)

    def seen(self, part: str, look: Look) -> Seen:
        view = self._sharpener.seen(self._key)
        if view is None:
            return Seen("", "forgotten")
        return Seen(sharpening(view), "" if view.live else view.status)


class Answer:
    """Something that is being computed for a page; the page is drawn anew when it is there."""

    parts = ("answer",)
    restless = False

    def __init__(self, answers: Answers, name: str) -> None:
        self._answers, self._name = answers, name

    def watch(self, tell: Tell) -> Unwatch:
        return self._answers.watch(tell)

    def seen(self, part: str, look: Look) -> Seen:
        return Seen("", "there" if self._answers.there(self._name) else "")


class NetworkStudy:
    """A study of a network: that which ships, or one that is computed here."""

    parts = ("network",)
    restless = False

    def __init__(self, shared: Shared, page: str, asked: DigitStudy | None) -> None:
        self._studies, self._pictures, self._page, self._asked = shared.studies, shared.pictures, page, asked

    def watch(self, tell: Tell) -> Unwatch:
        return (lambda: None) if self._asked is None else self._studies.watch(tell)

    def seen(self, part: str, look: Look) -> Seen:
        if self._asked is None:
            view = StudyView(DONE, SoFar.whole(shipped_study()), 1.0)
        else:
            view = self._studies.view(self._asked)
        so_far, seen_so = view.so_far, Look(closed=look.closed, theme=look.theme)
        name = "network", self._page, self._asked, seen_so, None if so_far is None else so_far.trainings
        draw = partial(study_picture, so_far, self._page, seen_so)
        words = "" if self._asked is None else study_status(view.status, view.share, view.seconds_left, view.others)
        settled = "" if view.live else view.status
        return Seen(words, settled, so_far is None, name, partial(self._pictures.get, name, draw))


class Place:
    """Whether the server would take another run of a visitor's now."""

    parts = ("status",)
    restless = True

    def __init__(self, manager: Manager, visitor: str) -> None:
        self._manager, self._visitor = manager, visitor

    def watch(self, tell: Tell) -> Unwatch:
        return lambda: None  # every heartbeat looks

    def seen(self, part: str, look: Look) -> Seen:
        return Seen("", "free" if self._manager.has_place_for(self._visitor) else "")


class Server:
    """How busy the server is."""

    parts = ("server",)
    restless = True

    def __init__(self, manager: Manager, cluster: Cluster | None) -> None:
        self._manager, self._cluster = manager, cluster

    def watch(self, tell: Tell) -> Unwatch:
        return lambda: None

    def seen(self, part: str, look: Look) -> Seen:
        jobs, waiting = self._manager, self._manager.jobs_in_line
        figures = {
            "runs being computed": f"{jobs.open_jobs - waiting:,}",
            "runs in line": f"{waiting:,}",
            "workers": f"{jobs.workers:,}",
            "stored runs": f"{jobs.store.size() / 2**20:,.1f} MB",
        }
        if self._cluster is not None:
            workers, threads, memory = self._cluster.seen
            figures |= {
                "workers": f"{workers:,} <small>with {threads:,} threads</small>",
                "their memory": f"{memory / 2**30:,.1f} GB",
                "pieces a second": f"{self._cluster.pieces_a_second:,.1f}",
            }
        boxes = "".join(f"<div class='cvar-figure'><small>{name}</small>{text}</div>" for name, text in figures.items())
        told = filter(None, (jobs.store.trouble, jobs.store.notice, jobs.trouble))
        trouble = "".join(f'<p class="cvar-note">{escape(words)}</p>' for words in told)
        return Seen(f'<div class="cvar-figures">{boxes}</div>{trouble}')


def subject_of(said: tuple[str, ...], shared: Shared) -> Subject | None:
    """Return what a ticket is for, if this server knows such a thing."""
    match said:
        case ("run", page, visitor, run_id):
            return Run(shared, page, visitor, run_id)
        case ("sharpening", visitor, run_id, measure, closed):
            return Sharpening(shared.manager, visitor, run_id, measure, closed)
        case ("answer", name, key):
            answers = answers_named(name)
            return None if answers is None else Answer(answers, key)
        case ("network", page, text):
            asked = DigitStudy.read(text)
            return None if asked is None and text != SHIPPED else NetworkStudy(shared, page, asked)
        case ("place", visitor):
            return Place(shared.manager, visitor)
        case ("server",):
            return Server(shared.manager, shared.cluster)
    return None
