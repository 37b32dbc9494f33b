"""An executor that works only when a test says so: a run can be looked at in any state."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


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

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.work()
