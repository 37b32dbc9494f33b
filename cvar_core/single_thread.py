"""One thread for linear algebra: the same bits on any number of processors, and no threads that wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Give torch, in this thread, and BLAS, in this process, one thread.

    Small problems gain by it, too: handing pieces of a microsecond to other threads costs L-BFGS most of its time.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with _one_blas_thread():
            yield
    finally:
        torch.set_num_threads(threads)


def stay_single() -> None:
    """The same for good, in a worker: there the workers are the parallelism."""
    torch.set_num_threads(1)
    _one_blas_thread()


def _one_blas_thread() -> threadpool_limits:
    import scipy.optimize  # noqa: F401  it brings a BLAS of its own, and only those that are loaded can be limited

    return threadpool_limits(1, user_api="blas")
