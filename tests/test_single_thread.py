"""One thread for linear algebra: while the optimum is solved for, and for good in workers."""

from contextlib import contextmanager

import numpy as np
import torch
from scipy.sparse import random_array
from threadpoolctl import threadpool_info, threadpool_limits

from cvar_core import Problem
from cvar_core.problem import optimum
from cvar_core.single_thread import one_thread


def blas_threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_threads_are_given_back():
    before = blas_threads(), torch.get_num_threads()
    torch.set_num_threads(2)
    with one_thread():
        assert (blas_threads(), torch.get_num_threads()) == ({1}, 1)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before[1])
    assert blas_threads() == before[0]


@contextmanager
def threads(count: int):
    """What a machine with so many processors gives to BLAS and to torch."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with threadpool_limits(count, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(before)


def test_wide_data_have_the_same_optimum_on_any_number_of_threads():
    """A dot product of so many numbers is split among BLAS's threads, and rounded as they are."""
    rng = np.random.default_rng(0)
    x = random_array((60, 60_000), density=0.01, rng=rng, format="csr")
    y = np.where(rng.uniform(size=60) < 0.5, -1.0, 1.0)
    found = []
    for count in (1, 2):
        with threads(count):
            found.append(Problem.from_arrays(x, y, "squared", beta=0.5).optimum())
    assert found[0].value == found[1].value
    assert torch.equal(found[0].theta, found[1].theta)


def test_it_is_what_the_optimum_is_solved_with(monkeypatch):
    seen = []
    solve = optimum._minimise
    monkeypatch.setattr(optimum, "_minimise", lambda *given: seen.append(blas_threads()) or solve(*given))
    with threads(2):
        Problem.synthetic(eval_size=300).optimum()
    assert seen == [{1}]
