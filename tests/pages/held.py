"""Executors that work only when a test says so, or at once: a run can be looked at in any state."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

_MOST = 2_000  # pieces


class Held(Executor):
    def __init__(self) -> None:
        self.waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: work(*args, **kwargs)))
        return future

    def work(self, pieces: int | None = None) -> None:
        """Do so many pieces, or all there are and all that follow from them."""
        while self.waiting and pieces != 0:
            future, work = self.waiting.popleft()
            try:
                found = work()
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(found)
            pieces = None if pieces is None else pieces - 1

    def until(self, happened: Callable[[], bool]) -> None:
        """Do one piece after another until something has happened."""
        for _ in range(_MOST):
            if happened():
                return
            assert self.waiting, "there is nothing left to do"
            self.work(1)
        raise AssertionError("it did not happen")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.waiting.clear()


class AtOnce(Held):
    """Works on what it gets before it gives an answer."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(work, *args, **kwargs)
        self.work()
        return future
