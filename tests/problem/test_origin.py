"""Whether θ = 0 is the minimum of a data set: HiGHS must come to the same answer, and a yes must be a proof."""

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from cvar_core import Problem
from cvar_core.problem import tail_mass
from cvar_core.problem.optimum.origin import bound_on_data


def balanced(rows: np.ndarray, mass: float) -> bool:
    """Tell whether there are weights w_i ∈ [0, 1] with sum ``mass`` and Σ w_i a_i = 0, by a linear programme."""
    equalities = np.vstack([rows.T, np.ones(len(rows))])
    sides = np.append(np.zeros(rows.shape[1]), mass)
    return linprog(np.zeros(len(rows)), A_eq=equalities, b_eq=sides, bounds=(0, 1), method="highs").status == 0


def mixed(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of very different units, with a column that is not zero in a few rows of one class alone."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 4)) * [1.0, 1e3, 1e-3, 1.0]
    y = np.where(x[:, 0] + 1.5 * rng.standard_normal(rows) > 0, 1.0, -1.0)
    x[:, 3] = 0
    x[np.flatnonzero(y > 0)[:3], 3] = 1.0
    return x, y


@pytest.mark.parametrize("rows", [50, 3_000])  # of the latter, a part is tried first
def test_theta_is_zero_exactly_where_a_linear_programme_balances_the_gradients(rows):
    answers = []
    for seed in range(4):
        x, y = mixed(rows, seed)
        for beta in (0.1, 0.2, 0.25, 0.3, 0.35, 0.6, 0.95):
            problem = Problem.from_arrays(x, y, loss="logistic", beta=beta)
            bound = bound_on_data(problem.ground.points, problem.loss, beta, None)
            answers.append(balanced(y[:, None] * x / [1.0, 1e3, 1e-3, 1.0], tail_mass(rows, beta)))
            assert (bound > 0) == answers[-1]
            assert not answers[-1] or np.log(2) * (1 - 1e-10) <= bound <= np.log(2)
    assert 0.2 < np.mean(answers) < 0.8, "both answers should be tried"


def test_a_part_without_balance_leaves_the_question_to_all_points():
    """Every row but the last few pulls one way; those are enough, but not among the thinned ones."""
    rows, beta = 5_000, 0.99
    x = np.ones((rows, 1))
    x[1::5] = -1.0  # the fifth of the points that is tried, at 0, 5, …, has none of these
    y = np.ones(rows)
    problem = Problem.from_arrays(x, y, loss="logistic", beta=beta)
    tried = torch.arange(1_000) * rows // 1_000
    assert not balanced(x[tried.numpy()], tail_mass(rows, beta))
    assert bound_on_data(problem.ground.points, problem.loss, beta, None) == pytest.approx(np.log(2), rel=1e-10)
