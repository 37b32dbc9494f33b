"""Losses to take CVaR apart with: a few with many ties, levels, and ways from the start of a problem to its optimum."""

import functools

import torch
from hypothesis import strategies as st

from cvar_core import Problem
from cvar_core.lessons.anatomy import Way

SOME = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5, 7.0, 40.0]), min_size=1, max_size=12)
LEVELS = st.one_of(st.floats(0, 0.999), st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.999]))


def tensor(values) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@functools.cache
def way(loss: str, noise: str, beta: float) -> Way:
    """Return a way that ends where the optimum of a large sample is, without looking for it."""
    problem = Problem.synthetic(loss, noise, beta, eval_size=5_000)
    end = problem.theta_gen if loss != "logistic" else torch.zeros(10, dtype=torch.float64)
    return Way(problem, problem.start(0).theta, end, problem.start(0).alpha)
