"""An executor whose workers are those of a dask scheduler.

One thread speaks with dask: it sends pieces and looks once a second who is there. When the scheduler is away, it tries
until it is back, and sends again what had not come back: a piece is a pure function of what it is sent, and finds the
same when it is done twice. A worker that is killed is dask's business, which gives its pieces to another.
"""

from __future__ import annotations

import logging
import math
import pickle
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from ..cancel import Cancelled, Stop
from ..problem import OwnGround, Problem
from ..scheduling import Found, Piece, Solve, Workshop
from ..specs import ProblemSpec, SpecError
from .at_worker import Rows, performed
from .surroundings import surroundings

log = logging.getLogger(__name__)

_PATIENCE = 10.0  # seconds for a scheduler to answer
_LOOK = 1.0  # seconds between two looks at who is there
_SPEED = 10.0  # seconds over which pieces are counted


class Seen(NamedTuple):
    """What there is of a cluster."""

    workers: int = 0
    threads: int = 0
    memory: int = 0  # bytes that workers hold


@dataclass(frozen=True, eq=False)
class _Letter:
    """A piece on its way, and who waits for what it finds."""

    piece: Piece
    problem: Problem
    stop: Stop | None
    answer: Future[Found] = field(default_factory=Future)


class Cluster(Executor):
    """Performs pieces on the workers of a dask scheduler. Any thread may call.

    Attributes
    ----------
    address
        Of the scheduler, such as ``tcp://127.0.0.1:8786``. With ``tls://`` dask's own settings name the certificates.
    seen
        Who was there at the last look.
    pieces
        How many have come back.
    tell
        Called, by a thread of its own, when that has changed, or when the scheduler went or came back.
    """

    def __init__(self, address: str, patience: float | None = _PATIENCE) -> None:
        """Wait until the scheduler answers, as long as ``patience``; with ``None`` go on at once, and pieces wait."""
        self.address = address
        self.seen = Seen()
        self.tell: Callable[[], None] = lambda: None
        self._distributed = _distributed()
        self._client: Any = None
        self._rows: dict[ProblemSpec, Any] = {}  # data that were sent, by their problem
        self._letters: queue.SimpleQueue[_Letter | None] = queue.SimpleQueue()
        self._out: set[_Letter] = set()  # sent, and not come back
        self._back: deque[float] = deque()  # when pieces came back
        self.pieces = 0
        self._away = True
        self._looked = -math.inf
        self._failure = ""
        self._reached = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="cvar-cluster", daemon=True)
        self._thread.start()
        if patience is not None and not self._reached.wait(patience):
            self.shutdown(wait=False)
            raise SpecError(f"no dask scheduler answers at {address} ({self._failure or 'it takes too long'})")

    @property
    def trouble(self) -> str:
        """What is wrong, in a sentence; empty if all is well."""
        if self._away:
            return f"The cluster's scheduler at {self.address} cannot be reached. Runs wait, and go on when it is back."
        return "" if self.seen.threads else "The cluster has no workers. Runs wait until one comes."

    @property
    def pieces_a_second(self) -> float:
        return len([when for when in tuple(self._back) if when > time.monotonic() - _SPEED]) / _SPEED

    def threads(self) -> int:
        """Return how many pieces are worked on at a time; 1 while there is nobody."""
        return max(1, self.seen.threads)

    def ensure_fits(self, problem: Problem) -> None:
        """Refuse a problem that cannot leave this process."""
        if isinstance(problem.ground, OwnGround):
            raise SpecError("a problem with a loss of its own lives in this process: leave the scheduler out")

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a piece performed: ``work`` is ``perform``, its arguments a piece, a workshop and a stop flag."""
        piece, workshop, stop = args
        assert isinstance(workshop, Workshop)
        if self._closed.is_set():
            raise RuntimeError("the cluster was left")
        letter = _Letter(_at_once(piece), workshop.at(piece.problem).problem, stop)
        letter.answer.set_running_or_notify_cancel()
        self._letters.put(letter)
        return letter.answer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; pieces that have not come back are ``Cancelled``."""
        self._closed.set()
        self._letters.put(None)
        if wait:
            self._thread.join(_PATIENCE)

    # The thread that speaks with dask.

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                if self._client is None or self._client.status != "running":
                    self._connect()
                else:
                    self._next()
            except Exception:  # of dask's; nobody else would go on
                log.exception("cluster address=%s", self.address)
                self._drop_client()
                self._closed.wait(_LOOK)
        self._leave()

    def _next(self) -> None:
        """Send what is to be sent, and look who is there, if that is due."""
        if time.monotonic() > self._looked + _LOOK:
            self._look()
        if not self.seen.threads:  # who comes gets them; data have nowhere to go
            self._closed.wait(_LOOK / 4)
            return
        with suppress(queue.Empty):
            letter = self._letters.get(timeout=_LOOK)
            if letter is not None:
                self._send(letter)

    def _connect(self) -> None:
        """Try once to reach the scheduler, and send again what had not come back."""
        if not self._away:
            self._away, self.seen = True, Seen()
            log.warning("cluster away address=%s", self.address)
            self.tell()
        self._drop_client()
        try:
            self._client = self._distributed.Client(self.address, timeout=_PATIENCE / 2, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:  # nobody there, no such address, other certificates
            self._failure = str(error) or type(error).__name__
            self._closed.wait(0.3)
            return
        self._away = False
        self._look()
        self._reached.set()
        log.info("cluster reached address=%s workers=%d threads=%d", self.address, *self.seen[:2])
        for letter in self._out:
            self._letters.put(letter)
        self.tell()

    def _look(self) -> None:
        self._looked = time.monotonic()
        with suppress(OSError):
            # Not by ``scheduler_info``: what dask asks for itself beside, without workers, may take the answer's place.
            client = self._client
            workers = client.sync(client.scheduler.identity, n_workers=-1)["workers"].values()
            held = sum(int(each["metrics"].get("memory", 0)) for each in workers)
            before, self.seen = self.seen, Seen(len(workers), sum(int(each["nthreads"]) for each in workers), held)
            if before.threads != self.seen.threads:
                self.tell()
        while self._back and self._back[0] < time.monotonic() - _SPEED:
            self._back.popleft()

    def _send(self, letter: _Letter) -> None:
        self._out.add(letter)
        if letter.stop is not None and letter.stop():
            self._end(letter, Cancelled())
            return
        try:
            rows = self._sent(letter.problem)
            task = self._client.submit(performed, pickle.dumps(letter.piece), rows, surroundings(), pure=False)
        except (OSError, RuntimeError):
            self._drop_client()  # ``_connect`` sends it again
            return
        task.add_done_callback(partial(self._came_back, letter, self._client))

    def _sent(self, problem: Problem) -> Any:
        """Return where the workers have a problem's data, which they are sent once; ``None`` if a spec is enough."""
        if problem.spec.data is None:
            return None
        if problem.spec not in self._rows:
            self._rows[problem.spec] = self._client.scatter(Rows(problem), broadcast=True, hash=False)
        return self._rows[problem.spec]

    def _came_back(self, letter: _Letter, client: Any, task: Any) -> None:
        """Called in a thread of dask's."""
        if letter.answer.done():  # it was sent twice
            return
        if task.status == "finished":
            try:
                found = pickle.loads(task.result(timeout=_PATIENCE))
            except Exception:  # it went away while it was fetched
                self._again(letter)
                return
            self._back.append(time.monotonic())
            self.pieces += 1
            self._out.discard(letter)
            letter.answer.set_result(found)
        elif task.status == "error":
            self._end(letter, _explained(task.exception()))
        elif client is self._client and client.status == "running":
            self._again(letter)  # the data went with their last worker
        # Otherwise the scheduler is away: ``_connect`` sends it again.

    def _again(self, letter: _Letter) -> None:
        self._rows.pop(letter.problem.spec, None)
        if not self._closed.is_set():
            self._letters.put(letter)

    def _end(self, letter: _Letter, why: BaseException) -> None:
        self._out.discard(letter)
        if not letter.answer.done():
            letter.answer.set_exception(why)

    def _drop_client(self) -> None:
        client, self._client, self._rows = self._client, None, {}
        if client is not None:
            with suppress(Exception):  # of whatever is left of it
                client.close(timeout=1)

    def _leave(self) -> None:
        for letter in list(self._out):
            self._end(letter, Cancelled("the cluster was left"))
        while True:
            try:
                waiting = self._letters.get_nowait()
            except queue.Empty:
                break
            if waiting is not None:
                self._end(waiting, Cancelled("the cluster was left"))
        self._drop_client()


@contextmanager
def connected(scheduler: Cluster | str) -> Iterator[Cluster]:
    """Yield a cluster by the address of its scheduler, and leave it then; one that is there already stays."""
    if isinstance(scheduler, Cluster):
        yield scheduler
        return
    if not isinstance(scheduler, str):
        raise SpecError(f"scheduler is {scheduler!r}, but it must be the address of a dask scheduler, or a Cluster")
    cluster = Cluster(scheduler)
    try:
        yield cluster
    finally:
        cluster.shutdown()


def _at_once(piece: Piece) -> Piece:
    """Have F* solved in one piece: what was found on the way to it stays where it was found."""
    return replace(piece, seconds=math.inf) if isinstance(piece, Solve) else piece


def _explained(error: BaseException) -> BaseException:
    match type(error).__name__:
        case "KilledWorker":
            return SpecError(
                "several workers of the cluster died at the same piece: perhaps they have too little memory"
            )
        case "ModuleNotFoundError" | "ImportError":
            return SpecError(f"a worker of the cluster has not the packages it needs ({error})")
    return error


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise SpecError("a scheduler needs dask: pip install 'cvar-core[cluster]'") from None
    for name in ("distributed", "distributed.batched", "distributed.client", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # of a connection that is lost this log tells once
    logging.getLogger("tornado.application").addFilter(_is_no_lost_connection)  # by which dask's callbacks tell of it
    return distributed


def _is_no_lost_connection(record: logging.LogRecord) -> bool:
    from distributed.comm import CommClosedError

    return not (record.exc_info and isinstance(record.exc_info[1], CommClosedError))
