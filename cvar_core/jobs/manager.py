"""The manager of all runs on a server: it admits them, shares the workers among them and keeps what they find.

A run moves piece by piece. Whenever a worker is free, the next run in the ring gives a piece and goes to the ring's
end, so that every run gets ahead at the same pace, whoever asked for it and however large it is.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections import OrderedDict, deque
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from ..cancel import Cancelled
from ..engine import cost, memory
from ..problem import Problem
from ..results import Result
from ..single_thread import stay_single
from ..specs import ProblemSpec, SpecError, SweepSpec
from ..store import Store
from .job import Job, progress
from .limits import Limits
from .piece import Piece
from .refused import Refused
from .shared import SharedProblem
from .view import Entry, View

log = logging.getLogger(__name__)

_RESULTS = 64 * 2**20  # bytes of finished runs that are kept at hand
_MOST_PASSES = 50  # smaller runs that may be admitted before a large one that waits for memory


def threads(count: int) -> Executor:
    """Return workers in this process: the kernels release the interpreter, and there is one copy of the data."""
    return ThreadPoolExecutor(count, thread_name_prefix="cvar", initializer=stay_single)


class Manager:
    """Runs jobs on an executor and keeps them in a store. All methods may be called from any thread."""

    def __init__(self, store: Store, executor: Executor, workers: int, limits: Limits | None = None) -> None:
        self.store = store
        self.workers = workers
        self.limits = limits or Limits()
        self._executor = executor
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}  # live, or ended with pieces that are still being worked on
        self._waiting: list[Job] = []
        self._ring: deque[Job] = deque()
        self._in_flight = 0
        self._moving = False
        self._admission_due = False  # somebody has come, or memory may have become free
        self._closed = False
        self._problems: weakref.WeakValueDictionary[ProblemSpec, SharedProblem] = weakref.WeakValueDictionary()
        self._last_problem: SharedProblem | None = None  # the next run is often on the same problem
        self._results: OrderedDict[str, Result] = OrderedDict()
        self._pace = 1.0  # seconds that work takes here, for a second by the estimate

    # What a visitor does.

    def submit(self, spec: SweepSpec, visitor: str, problem: Problem | None = None, recipe: str | None = None) -> View:
        """Start a run, resume it where it stopped, join it if somebody else has started it, or open what is stored.

        A run on data needs the ``problem`` that holds them; ``recipe`` says in the visitor's history how it was made.
        """
        with self._lock:
            job = self._jobs.get(spec.id)
            stored = self._stored_view(spec) if job is None else None
            if (job is None or not job.live) and not (stored is not None and stored.status == "done"):
                self._ensure_allowed(spec, visitor)
                job = job or self._make(spec, problem)
                self.store.add(spec)
                job.status, job.error = "queued", None
                job.visitors = {visitor}
                job.shared.enter(job.id)
                self._waiting.append(job)
                self._admission_due = True
                self.store.set_status(spec.id, "queued")
                log.info("queued run=%s visitor=%s", spec.id, visitor[:8])
            elif job is not None:
                job.visitors.add(visitor)
            self.store.visit(visitor, spec.id, recipe)
            self._move()
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
            job.visitors.discard(visitor)
            if job.visitors:
                return False
            self._end(job, "cancelled")
            self._move()  # it may have held memory that others wait for
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
                self._results.pop(run_id, None)

    def view(self, spec: SweepSpec, visitor: str) -> View | None:
        """Return the run of a spec as it is now, or ``None`` if nobody has asked for it."""
        with self._lock:
            job = self._jobs.get(spec.id)
            if job is not None:
                return View(
                    spec=spec,
                    status=job.status,
                    error=job.error,
                    stage=job.stage,
                    progress=job.progress,
                    seconds_left=job.seconds_left,
                    position=self._waiting.index(job) + 1 if job in self._waiting else None,
                    result=job.result(),
                    others=len(job.visitors - {visitor}),
                    watched=visitor in job.visitors,
                )
        return self._stored_view(spec)

    def history(self, visitor: str, most: int = 20, on_data: bool | None = None) -> list[Entry]:
        """Return the visitor's runs, the latest first; only those on data, or only the others."""
        entries = []
        for run in self.store.history(visitor, most, on_data):
            job = self._jobs.get(run.id)
            status = run.status if job is None else job.status
            entries.append(Entry(run.id, run.spec, status, run.created, run.recipe))
        return entries

    def estimate(self, spec: SweepSpec) -> float:
        """Return about how many seconds a run would take if it were started now."""
        expected = cost(spec)
        with self._lock:
            known = self._problems.get(spec.problem)
            sharing = sum(job.live for job in self._jobs.values() if job.id != spec.id)
        seconds = expected.of_sweep(spec)
        if known is not None and known.drawn:
            seconds -= expected.draw
        if (known is not None and known.optimum is not None) or self.store.optimum_of(spec.problem) is not None:
            seconds -= expected.solve
        return self._pace * seconds * (1 + sharing) / self.workers

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
            open_jobs = [job for job in self._jobs.values() if job.live]
        mine = sum(visitor in job.visitors for job in open_jobs)
        return mine < self.limits.jobs_per_visitor and len(open_jobs) < self.limits.jobs

    @property
    def open_jobs(self) -> int:
        with self._lock:
            return sum(job.live for job in self._jobs.values())

    @property
    def jobs_in_line(self) -> int:
        with self._lock:
            return len(self._waiting)

    def close(self) -> None:
        """Stop all work; what is running is interrupted, and can be resumed."""
        with self._lock:
            self._closed = True
            for job in list(self._jobs.values()):
                if job.live:
                    self._end(job, "interrupted")
        self._executor.shutdown(wait=True)
        self.store.close()

    # How runs come in and go out.

    def _ensure_allowed(self, spec: SweepSpec, visitor: str) -> None:
        if self._closed:
            raise Refused("The server is shutting down.")
        for fault in self.limits.faults(spec.to_dict()).values():
            raise Refused(f"This run is too large: {fault}.")
        open_jobs = [job for job in self._jobs.values() if job.live]
        if sum(visitor in job.visitors for job in open_jobs) >= self.limits.jobs_per_visitor:
            most = self.limits.jobs_per_visitor
            runs = "1 run" if most == 1 else f"{most} runs"
            raise Refused(f"You have {runs} open, which is the most at a time. Cancel one, or wait for it.")
        if len(open_jobs) >= self.limits.jobs:
            raise Refused(f"The server has {len(open_jobs)} runs open, which is the most it takes. Try again soon.")

    def _make(self, spec: SweepSpec, problem: Problem | None) -> Job:
        shared = self._problems.get(spec.problem)
        if shared is None:
            if problem is None and spec.problem.data is not None:
                raise Refused("The data of this run are not here. Choose them again to run it.")
            shared = SharedProblem(problem or Problem(spec.problem), self.store.optimum_of(spec.problem))
            self._problems[spec.problem] = shared
        self.store.add(spec)
        if shared.optimum is not None:
            self.store.set_optimum(spec.id, shared.optimum)
        stored = self.store.run(spec.id)
        timings = stored.timings if stored is not None else {}
        save = partial(self.store.save, spec.id)
        job = Job(spec, shared, self.workers, self.store.load(spec.id), timings, save)
        self._jobs[spec.id] = job
        self._results.pop(spec.id, None)
        return job

    def _end(self, job: Job, status: str, error: str | None = None) -> None:
        job.end(status, error)
        self._admission_due = True
        if job in self._waiting:
            self._waiting.remove(job)
        if job in self._ring:
            self._ring.remove(job)
        self.store.set_status(job.id, status, error, job.timings)
        log.info("%s run=%s progress=%.3f seconds=%.2f", status, job.id, job.progress, job.timings["total"])
        self._drop(job)

    def _drop(self, job: Job) -> None:
        """Let go of an ended run that nobody works on."""
        if job.expected > 0.1 and not job.live:
            self._pace = 0.5 * self._pace + 0.5 * job.taken / job.expected
            job.expected = job.taken = 0.0
        if not job.live and job.idle and self._jobs.get(job.id) is job:
            del self._jobs[job.id]
            result = job.result()
            if job.status == "done" and result is not None:
                self._remember(job.id, result)

    def _remember(self, run_id: str, result: Result) -> None:
        self._results[run_id] = result
        self._results.move_to_end(run_id)
        while len(self._results) > 1 and sum(each.objectives.nbytes for each in self._results.values()) > _RESULTS:
            self._results.popitem(last=False)

    def _stored_view(self, spec: SweepSpec) -> View | None:
        """Return a run that nobody works on; one that should be whole and is not can be resumed like any other."""
        stored = self.store.run(spec.id)
        if stored is None:
            return None
        status, done, result = stored.status, 1.0, self._results.get(spec.id)
        if result is None:
            parts = self.store.load(spec.id)
            if stored.optimum is not None:
                result = Result.from_records(spec, stored.optimum, parts.records, stored.timings)
            done = progress(spec, parts.states, stored.optimum is not None)
            whole = result is not None and bool((result.recorded == len(spec.checkpoint_iterations)).all())
            if status == "done" and result is not None and whole:
                with self._lock:
                    if spec.id not in self._jobs:
                        self._remember(spec.id, result)
            elif status in ("done", "queued", "running"):
                status = "interrupted"
        return View(spec=spec, status=status, error=stored.error, progress=done, result=result)

    # How the work moves.

    def _move(self) -> None:
        """Admit runs while there is memory, and give the free workers something to do."""
        if self._moving:  # a piece came back before it was let go; the loop below goes on by itself
            return
        self._moving = True
        try:
            self._end_complete()
            self._admit()
            while self._in_flight < self.workers and not self._closed:
                found = self._next_piece()
                if found is None:
                    break
                self._send(*found)
                self._admit()
        finally:
            self._moving = False

    def _send(self, job: Job, piece: Piece) -> None:
        try:
            future = self._executor.submit(piece.work)
        except RuntimeError:  # the interpreter is ending
            self._closed = True
            return
        self._in_flight += 1
        future.add_done_callback(partial(self._returned, job, piece))

    def _admit(self) -> None:
        """Let waiting runs in, in their order; smaller ones may pass one that waits for memory, but not for ever."""
        if not (self._waiting and self._admission_due):
            return
        self._admission_due = False
        held = _Memory({job.spec.problem for job in self._ring})
        held |= {problem.problem.spec for problem in self._problems.values() if problem.busy}  # cancelled, not yet over
        passed: list[Job] = []
        for job in list(self._waiting):
            if self._ring and held.bytes_with(job.spec.problem) > self.limits.memory:
                passed.append(job)
                if job.passed >= _MOST_PASSES:
                    return
                continue
            for larger in passed:
                larger.passed += 1
            held.add(job.spec.problem)
            self._waiting.remove(job)
            self._ring.append(job)
            job.begin()
            self._last_problem = job.shared if job.spec.problem.data is None else None  # data are their owner's
            self.store.set_status(job.id, "running")
            if job.complete:  # it was cancelled during its last piece
                self._end(job, "done")

    def _next_piece(self) -> tuple[Job, Piece] | None:
        for _ in range(len(self._ring)):
            job = self._ring[0]
            self._ring.rotate(-1)
            piece = job.next_piece()
            if piece is not None:
                return job, piece
        return None

    def _returned(self, job: Job, piece: Piece, future: Future[Any]) -> None:
        with self._lock:
            self._in_flight -= 1
            piece.ended()
            self._admission_due |= piece.shared
            try:
                found = future.result()
                unsolved = job.shared.optimum is None
                piece.done(found)
                if unsolved and job.shared.optimum is not None:
                    self._keep_optimum(job.shared)
            except Cancelled:
                pass
            except Exception as error:
                log.exception("failed run=%s", job.id)
                for each in list(self._jobs.values()):
                    if each.live and (each is job or (piece.shared and each.shared is job.shared)):
                        self._end(each, "failed", _explained(error, each.id))
            finally:
                self._drop(job)
                self._move()

    def _end_complete(self) -> None:
        for job in list(self._ring):
            if job.complete:
                self._end(job, "done")

    def _keep_optimum(self, shared: SharedProblem) -> None:
        assert shared.optimum is not None
        for job in self._jobs.values():
            if job.shared is shared:
                self.store.set_optimum(job.id, shared.optimum)


class _Memory(set[ProblemSpec]):
    """Problems that are worked on, and the bytes they need together: features of one shape and seed are shared."""

    def bytes_with(self, further: ProblemSpec) -> int:
        problems = self | {further}
        features = {(spec.dim, spec.eval_size, spec.seed, spec.data): memory(spec)[1] for spec in problems}
        return sum(features.values()) + sum(memory(spec)[0] for spec in problems)


def _explained(error: Exception, run_id: str) -> str:
    if isinstance(error, SpecError):
        return f"{str(error)[:1].upper()}{str(error)[1:]}."
    if isinstance(error, MemoryError):
        return "There was not enough memory. Fewer evaluation points or dimensions need less."
    return f"Something went wrong inside ({type(error).__name__}). The server's log has the details under run {run_id}."
