"""The manager of all runs on a server: it admits them to the scheduler, shows them and keeps what they find."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import cast

from ..engine import Cost, cost, memory
from ..keeping import Kept
from ..problem import Problem
from ..results import Early, Gathered, Result
from ..scheduling import Piece, Preparation, Run, Scheduler, Step, Work, clock, left, progress
from ..specs import ProblemSpec, SpecError, SweepSpec
from ..store import Progressed, Store
from .changes import Changes
from .guard import Guard
from .job import Job
from .limits import Limits
from .refused import Refused
from .sharpener import Sharpener
from .view import Entry, View
from .whereabouts import Whereabouts

log = logging.getLogger(__name__)

_RESULTS = 64 * 2**20  # bytes of finished runs that are kept at hand
LONGEST_NAME = 60  # letters of what a visitor calls a run
_MOST_PASSES = 50  # runs that may be admitted before one that came earlier and waits for memory


class Manager:
    """Runs jobs on an executor and keeps them in a store. All methods may be called from any thread."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        workers: int | Callable[[], int],
        limits: Limits | None = None,
        whereabouts: Whereabouts | None = None,
        ahead: int = 1,
        trouble: Callable[[], str] = str,
    ) -> None:
        """``workers`` and ``ahead`` are those of ``Scheduler``; ``trouble`` says why the workers cannot be reached."""
        self.store = store
        self._workers = workers
        self._trouble = trouble
        self.limits = limits or Limits()
        self._whereabouts = whereabouts or Whereabouts()
        self._executor = executor
        self._submitting = threading.Lock()  # one at a time: it reads and writes much, which the lock must not wait for
        self._lock = Guard()
        self._changes = Changes(self._lock)
        self._scheduler = Scheduler(executor, workers, self._lock, self, ahead)
        self._jobs: dict[str, Job] = {}  # live, or ended with pieces that are still being worked on
        self._waiting: list[Job] = []  # as they came
        self._admission_due = False  # somebody has come, or memory may have become free
        self._problems: weakref.WeakValueDictionary[ProblemSpec, Preparation] = weakref.WeakValueDictionary()
        self._last_problem: Preparation | None = None  # the next run is often on the same problem
        self._results: Kept[str, Result] = Kept(_RESULTS, size=_bytes)
        self.sharpener = Sharpener(self)

    @property
    def workers(self) -> int:
        """How many pieces are worked on at a time."""
        return self._workers if isinstance(self._workers, int) else self._workers()

    @property
    def trouble(self) -> str:
        """Why runs wait that could go on, in a sentence; empty if they do not."""
        return self._trouble()

    # What a visitor does.

    def submit(
        self,
        spec: SweepSpec,
        visitor: str,
        problem: Problem | None = None,
        recipe: str | None = None,
        *,
        listed: bool = True,
        behind: float = 0.0,
    ) -> View:
        """Start a run, resume it where it stopped, join it if somebody else has started it, or open what is stored.

        What any stored run has of its trajectories is taken from there, and not computed again. A run on data needs
        the ``problem`` that holds them; ``recipe`` says in the visitor's history how it was made. One that is not
        ``listed`` is in no history; it is ranked ``behind`` others by so many seconds, that its owner has had before.
        """
        with self._submitting:
            view = None
            while view is None:
                here = spec.id in self._jobs
                known = None if here else self._known(spec, visitor, problem)
                view = self._submit(spec, visitor, problem, known, here, listed, behind)
            if listed:
                self.store.visit(visitor, spec.id, recipe)
            return view

    def _known(self, spec: SweepSpec, visitor: str, problem: Problem | None) -> Progressed | None:
        """Return what is stored of a run that is to be started, its own and others'; nothing if it is done."""
        stored = self.store.run(spec.id)
        view = self._stored_view(spec) if stored is not None and stored.status == "done" else None
        if view is not None and view.status == "done":
            return None
        with self._lock:
            self._ensure_allowed(spec, visitor)
            self._ensure_data(spec, problem)
        self.store.complete(spec)
        return self.store.load(spec.id)

    def _submit(
        self,
        spec: SweepSpec,
        visitor: str,
        problem: Problem | None,
        known: Progressed | None,
        here: bool,
        listed: bool,
        behind: float,
    ) -> View | None:
        with self._lock:
            job = self._jobs.get(spec.id)
            if here and job is None:
                return None  # its last piece came back meanwhile
            if known is not None or (job is not None and not job.live):
                self._ensure_allowed(spec, visitor)
                job = job or self._make(spec, problem, known or Progressed({}, {}), listed)
                self.store.add(spec)
                job.status, job.error = "queued", None
                job.visitors = {visitor: self._whereabouts.of(visitor)}
                job.behind = behind
                job.preparation.enter(job.id)
                self._waiting.append(job)
                self._admission_due = True
                self.store.set_status(spec.id, "queued")
                log.info("queued run=%s visitor=%s", spec.id, visitor[:8])
            elif job is not None:
                job.visitors[visitor] = self._whereabouts.of(visitor)
            self._changes.note(spec.id)
            self._scheduler.move()
            view = self.view(spec, visitor)
            assert view is not None
            return view

    def open(self, spec: SweepSpec, visitor: str, recipe: str | None = None) -> View | None:
        """Look at a run that somebody made: it joins the visitor's history. Who wants it to go on submits it, too."""
        view = self.view(spec, visitor)
        if view is not None:
            self.store.visit(visitor, spec.id, recipe)
        return view

    def cancel(self, run_id: str, visitor: str) -> bool:
        """Stop a run and keep what it has; if others want it, only this visitor leaves, and the answer is false."""
        with self._lock:
            job = self._jobs.get(run_id)
            if job is None or not job.live:
                return True
            job.visitors.pop(visitor, None)
            self._changes.note(run_id)
            if job.visitors:
                return False
            self._end(job, "cancelled")
            self._scheduler.move()  # it may have held memory that others wait for
            return True

    def forget(self, run_id: str, visitor: str) -> None:
        """Take a run out of a visitor's history; if it is in no other, it is stopped and deleted."""
        with self._lock:
            self.cancel(run_id, visitor)
            job = self._jobs.get(run_id)
            if job is None or job.live:
                self.store.forget(visitor, run_id)
            else:
                with job.saving:
                    self.store.forget(visitor, run_id)
                    job.deleted = self.store.run(run_id) is None
                if job.deleted:
                    del self._jobs[run_id]
            if self.store.run(run_id) is None:
                self._results.drop(run_id.__eq__)
            self._changes.note(run_id)

    def delete(self, run_id: str, visitor: str) -> None:
        """Forget a run because the visitor says so: nothing shows it to them again until they ask for it."""
        self.forget(run_id, visitor)
        self.store.note_deleted(visitor, run_id)

    def rename(self, run_id: str, visitor: str, name: str) -> None:
        """Keep what a visitor calls a run; nothing, or what is too long, is cut."""
        self.store.rename(visitor, run_id, " ".join(name.split())[:LONGEST_NAME].strip() or None)

    def view(self, spec: SweepSpec, visitor: str) -> View | None:
        """Return the run of a spec as it is now, or ``None`` if nobody has asked for it."""
        with self._lock:
            revision, job = self._changes.revision(spec.id), self._jobs.get(spec.id)
            view = None if job is None else self._live_view(job, visitor)
        if job is None or view is None:
            view = self._stored_view(spec)
            return None if view is None else replace(view, revision=revision)
        result, early = job.shown()
        return replace(view, revision=revision, result=result, early=early)

    def seen_by(self, run_id: str, visitor: str) -> View | None:
        """Return a run by its id as it is now, if the visitor may see it: one on data only who has run it."""
        spec, store = self.spec_of(run_id), self.store
        if spec is None or spec.id != run_id or store.was_deleted(visitor, run_id):
            return None
        if spec.problem.data is not None and store.visited(visitor, run_id) is None:
            return None
        return self.view(spec, visitor)

    def watch(self, run_id: str, tell: Callable[[], None]) -> Callable[[], None]:
        """Have ``tell`` called, from any thread, whenever a run may have changed; what is returned ends that.

        It is called after changes, not once for each, and with no lock held.
        """
        return self._changes.watch(run_id, tell)

    def history(self, visitor: str, most: int = 20, on_data: bool | None = None) -> list[Entry]:
        """Return the visitor's runs, the latest first; only those on data, or only the others."""
        entries = []
        for run in self.store.history(visitor, most, on_data):
            job = self._jobs.get(run.id)
            status = run.status if job is None else job.status
            entries.append(Entry(run.id, run.spec, status, run.created, run.recipe, run.name))
        return entries

    def estimate(self, spec: SweepSpec) -> float:
        """Return about how many seconds a run would take if it were started now, with what is stored of it."""
        reached = self.store.reached(spec)
        solved = self.store.optimum_of(spec.problem) is not None
        with self._lock:
            known = self._problems.get(spec.problem)
            drawn = known is not None and known.drawn
            solved |= known is not None and known.optimum is not None
            work = left(spec, reached, drawn, solved)
            return self._clock(work, cost(spec), spec.id)

    def spec_of(self, run_id: str) -> SweepSpec | None:
        """Return the spec of a run that somebody has asked for."""
        job = self._jobs.get(run_id)
        if job is not None:
            return job.spec
        stored = self.store.run(run_id)
        return None if stored is None else stored.spec

    def has_place_for(self, visitor: str) -> bool:
        """Tell whether another run of a visitor's would be taken now."""
        with self._lock:
            return self._full(visitor) is None

    def is_live(self, run_id: str) -> bool:
        """Tell whether a run is waiting or being computed."""
        with self._lock:
            job = self._jobs.get(run_id)
            return job is not None and job.live

    @property
    def open_jobs(self) -> int:
        with self._lock:
            return sum(job.live for job in self._jobs.values())

    @property
    def jobs_in_line(self) -> int:
        with self._lock:
            return len(self._waiting)

    def look_again(self) -> None:
        """Workers came or went, or cannot be reached: give those who are there something to do, and tell who waits."""
        with self._lock:
            for job in self._jobs.values():
                self._changes.note(job.id)
            self._scheduler.move()

    def close(self) -> None:
        """Stop all work; what is running is interrupted, and can be resumed."""
        self.sharpener.close()
        with self._lock:
            self._scheduler.closed = True
            for job in list(self._jobs.values()):
                if job.live:
                    self._end(job, "interrupted")
        self._executor.shutdown(wait=True)
        self.store.close()

    # How runs come in and go out.

    def _ensure_allowed(self, spec: SweepSpec, visitor: str) -> None:
        if self._scheduler.closed:
            raise Refused("The server is shutting down.")
        for fault in self.limits.faults(spec.to_dict()).values():
            raise Refused(f"This run is too large: {fault}.")
        if (why := self._full(visitor)) is not None:
            raise Refused(why)

    def _full(self, visitor: str) -> str | None:
        """Return why there is no place for another run of a visitor's, if there is none."""
        limits, address = self.limits, self._whereabouts.of(visitor)
        open_jobs = [job for job in self._jobs.values() if job.live]
        if sum(visitor in job.visitors for job in open_jobs) >= limits.jobs_per_visitor:
            runs = "1 run" if limits.jobs_per_visitor == 1 else f"{limits.jobs_per_visitor} runs"
            return f"You have {runs} open, which is the most at a time. Cancel one, or wait for it."
        if len(open_jobs) >= limits.jobs:
            return f"The server has {len(open_jobs)} runs open, which is the most it takes. Try again soon."
        theirs = sum(address in job.visitors.values() for job in open_jobs) if address else 0
        if theirs >= limits.jobs_per_address:
            return f"{theirs} runs are open from your address, which is the most at a time. Try again soon."
        return None

    def _ensure_data(self, spec: SweepSpec, problem: Problem | None) -> None:
        if problem is None and spec.problem.data is not None and spec.problem not in self._problems:
            raise Refused("The data of this run are not here. Choose them again to run it.")

    def _make(self, spec: SweepSpec, problem: Problem | None, known: Progressed, watched: bool) -> Job:
        self._ensure_data(spec, problem)
        preparation = self._problems.get(spec.problem)
        if preparation is None:
            place = self._scheduler.workshop.bring(problem or Problem(spec.problem))
            preparation = Preparation(place, self.store.optimum_of(spec.problem))
            self._problems[spec.problem] = preparation
        if preparation.optimum is not None:
            self.store.set_optimum(spec.id, preparation.optimum)
        stored = self.store.run(spec.id)
        timings = stored.timings if stored is not None else {}
        save = partial(self.store.save, spec.id)
        job = Job(spec, preparation, self.workers if watched else None, known, timings, save)
        self._jobs[spec.id] = job
        self._results.drop(spec.id.__eq__)
        return job

    def _end(self, job: Job, status: str, error: str | None = None) -> None:
        job.end(status, error)
        self._admission_due = True
        if job in self._waiting:
            self._waiting.remove(job)
        self._scheduler.remove(job)
        self.store.set_status(job.id, status, error, job.timings)
        told = status, job.id, job.progress, job.timings["total"], job.updates
        log.info("%s run=%s progress=%.3f seconds=%.2f updates=%d", *told)
        self._drop(job)
        self._changes.note(job.id)

    def _drop(self, job: Job) -> None:
        """Let go of an ended run that nobody works on."""
        if not job.live and job.idle and self._jobs.get(job.id) is job:
            del self._jobs[job.id]
            result, _ = job.shown()
            if job.status == "done" and result is not None:
                self._results.put(job.id, result)

    def _live_view(self, job: Job, visitor: str) -> View:
        """Return a run that is in memory, but for its records."""
        running = job.status == "running"
        return View(
            spec=job.spec,
            status=job.status,
            error=job.error,
            stage=job.stage,
            trouble=self.trouble,
            progress=job.progress,
            seconds_left=self._clock(job.work, job.cost, job.id) if running else None,
            position=self._line().index(job) + 1 if job in self._waiting else None,
            others=len(job.visitors.keys() - {visitor}),
            watched=visitor in job.visitors,
        )

    def _stored_view(self, spec: SweepSpec) -> View | None:
        """Return a run that nobody works on; one that should be whole and is not can be resumed like any other."""
        stored = self.store.run(spec.id)
        if stored is None:
            return None
        status, done, early, result = stored.status, 1.0, None, self._results.get(spec.id)
        if result is None:
            parts = self.store.load(spec.id)
            gathered = Gathered.of(spec, parts.records)
            if stored.optimum is None:
                early = Early.so_far(spec, gathered)
            else:
                result = Result.so_far(spec, stored.optimum, gathered, stored.timings)
            reached = {shard: state.reached for shard, state in parts.states.items()}
            rest = left(spec, reached, drawn=True, solved=stored.optimum is not None)
            done = progress(spec, rest, cost(spec))
            if status == "done" and result is not None and gathered.whole:
                with self._lock:
                    if spec.id not in self._jobs:
                        self._results.put(spec.id, result)
            elif status in ("done", "queued", "running"):
                status = "interrupted"
        return View(spec=spec, status=status, error=stored.error, progress=done, result=result, early=early)

    def _left(self, job: Job) -> float:
        """Return how many seconds of one processor a run still needs here."""
        return job.work.seconds(self._scheduler.pace.corrected(job.cost))

    def _clock(self, work: Work, each: Cost, run_id: str) -> float:
        """Return how long a run takes that has so much work left, beside the others."""
        others = (self._left(job) for job in self._jobs.values() if job.live and job.id != run_id)
        here = self._scheduler.pace.corrected(each)
        alone = Work(work.draw, work.solve).seconds(here)
        return clock(work.seconds(here), others, self.workers, alone)

    # How the work moves.

    def settle(self) -> None:
        """End what is complete, and admit runs while there is memory."""
        for job in list(self._running):
            if job.complete:
                self._end(job, "done")
        self._admit()

    def changed(self, run: Run, piece: Piece) -> None:
        """Note that a piece has come back: one of a preparation, for all runs that wait for it."""
        assert isinstance(run, Job)
        alone = isinstance(piece, Step)
        self._admission_due |= not alone
        if not alone and run.preparation.optimum is not None:
            self._keep_optimum(run.preparation)
        for job in [run] if alone else self._on(run.preparation):
            self._changes.note(job.id)
        self._drop(run)

    def failed(self, run: Run, piece: Piece, error: Exception) -> None:
        assert isinstance(run, Job)
        log.error("failed run=%s", run.id, exc_info=error)
        for job in [run] if isinstance(piece, Step) else self._on(run.preparation):
            if job.live:
                self._end(job, "failed", _explained(error, job.id))

    def _admit(self) -> None:
        """Let waiting runs in, the shortest first; but none waits for memory while many pass it."""
        if not (self._waiting and self._admission_due):
            return
        self._admission_due = False
        held = _Memory({job.spec.problem for job in self._running})
        held |= {each.problem for each in self._problems.values() if each.busy}  # cancelled, not yet over
        for job in self._line():
            if self._running and held.bytes_with(job.spec.problem) > self.limits.memory:
                if job.passed >= _MOST_PASSES:
                    break
                continue
            for earlier in self._waiting[: self._waiting.index(job)]:
                earlier.passed += 1
            held.add(job.spec.problem)
            self._waiting.remove(job)
            self._begin(job)
        self._note_waiting()

    def _begin(self, job: Job) -> None:
        self._scheduler.add(job)
        job.begin()
        self._last_problem = job.preparation if job.spec.problem.data is None else None  # data are their owner's
        self.store.set_status(job.id, "running")
        self._changes.note(job.id)
        if job.complete:  # it was cancelled during its last piece
            self._end(job, "done")

    @property
    def _running(self) -> list[Job]:
        return cast(list[Job], self._scheduler.runs)

    def _line(self) -> list[Job]:
        """Return those who wait, in the order in which they are to be admitted."""
        return sorted(self._waiting, key=lambda job: self._left(job) if job.passed < _MOST_PASSES else 0.0)

    def _note_waiting(self) -> None:
        """Their places in the line may have changed."""
        for job in self._waiting:
            self._changes.note(job.id)

    def _on(self, preparation: Preparation) -> list[Job]:
        return [job for job in self._jobs.values() if job.preparation is preparation]

    def _keep_optimum(self, preparation: Preparation) -> None:
        assert preparation.optimum is not None
        for job in self._on(preparation):
            self.store.set_optimum(job.id, preparation.optimum)


class _Memory(set[ProblemSpec]):
    """Problems that are worked on, and the bytes they need together: features of one shape and seed are shared."""

    def bytes_with(self, further: ProblemSpec) -> int:
        problems = self | {further}
        features = {(spec.dim, spec.eval_size, spec.seed, spec.data): memory(spec)[1] for spec in problems}
        return sum(features.values()) + sum(memory(spec)[0] for spec in problems)


def _bytes(result: Result) -> int:
    return int(result.objectives.nbytes) * (1 + len(result.beside))


def _explained(error: Exception, run_id: str) -> str:
    if isinstance(error, SpecError):
        return f"{str(error)[:1].upper()}{str(error)[1:]}."
    if isinstance(error, MemoryError):
        return "There was not enough memory. Fewer evaluation points or dimensions need less."
    return f"Something went wrong inside ({type(error).__name__}). The server's log has the details under run {run_id}."
