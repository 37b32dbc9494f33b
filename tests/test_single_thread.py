"""One thread for linear algebra: while the optimum is solved for, and for good in workers."""

import os
import subprocess
import sys

import numpy as np
import torch
from threadpoolctl import threadpool_info

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


SOLVED = """
import numpy as np
from scipy.sparse import random_array
from cvar_core import Problem

rng = np.random.default_rng(0)
x = random_array((60, 60_000), density=0.01, rng=rng, format="csr")
y = np.where(rng.uniform(size=60) < 0.5, -1.0, 1.0)
best = Problem.from_arrays(x, y, "squared", beta=0.5).optimum()
print(best.value.hex(), best.theta.numpy().tobytes().hex()[:4_000])
"""


def test_wide_data_have_the_same_optimum_on_any_number_of_threads():
    """A dot product of so many numbers is split among BLAS's threads, and rounded as they are."""
    found = []
    for threads in ("1", "2"):
        env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        found.append(
            subprocess.run([sys.executable, "-c", SOLVED], env=env, capture_output=True, text=True, check=True)
        )
    assert found[0].stdout == found[1].stdout != ""


def test_it_is_what_the_optimum_is_solved_with(monkeypatch):
    seen = []
    solve = optimum._minimise
    monkeypatch.setattr(optimum, "_minimise", lambda *given: seen.append(blas_threads()) or solve(*given))
    Problem.synthetic(eval_size=300).optimum()
    assert seen == [{1}]
