"""The best classifier is none exactly where rows can be weighted to a balance, which a linear program tells."""

import numpy as np
import pytest
from scipy.optimize import linprog

from cvar_core import Optimum, Problem, ProblemSpec, check, recommend, sweep
from cvar_core.results import best_is_none, deciding_level, undecided
from tests.results.making import made


def rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((60, 3))
    return x, np.where(x[:, 0] + 1.5 * rng.standard_normal(60) > 0, 1.0, -1.0)


def critical(x: np.ndarray, y: np.ndarray) -> float:
    """Return the least β at which θ = 0 is best: weights w ∈ [0, 1] with Σ w y x = 0 sum up to (1 − β)n at most.

    That is what makes 0 a subgradient of CVaR at θ = 0, where all losses tie.
    """
    found = linprog(-np.ones(len(y)), A_eq=(y[:, None] * x).T, b_eq=np.zeros(x.shape[1]), bounds=(0, 1))
    return 1 + found.fun / len(y)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_the_best_classifier_is_none_from_the_level_on_at_which_rows_balance(seed, scale):
    x, y = rows(seed)
    level = critical(x, y)
    assert 0.05 < level < 0.95
    for beta, expected in ((level - 0.02, False), (level + 0.02, True)):
        problem = Problem.from_arrays(x, y, "logistic", beta, scale)
        best = problem.optimum()
        assert best_is_none(problem.spec, best) is expected
        assert (best.measures == ()) is expected, "where it is none it has no accuracy"


def test_no_regression_is_undecided():
    x, y = rows(0)
    problem = Problem.from_arrays(x, 10 * y, "squared", 0.9)
    assert problem.optimum().value > 1
    assert not best_is_none(problem.spec, problem.optimum()), "however much its best model has to pay"


def test_a_lower_level_is_offered_as_long_as_there_is_one():
    assert [deciding_level(beta) for beta in (0.95, 0.51, 0.5, 0.1, 0.0)] == [0.5, 0.5, 0.0, 0.0, None]


def test_it_is_said_with_what_every_classifier_pays_and_a_level_to_try():
    classifying = ProblemSpec(loss="logistic", noise="normal", beta=0.95)
    words = undecided(made([[[1.0]]], f_star=float(np.log(2)), problem=classifying))
    assert words == (
        "At β = 0.95 the best classifier is θ = 0, which decides nothing: whatever θ is, the mean of the worst 5% of "
        "the losses is at least 0.693, which θ = 0 pays everywhere. A λ that is safe here leads there. A lower β, "
        "such as 0.5, averages more of the losses"
    )
    assert undecided(made([[[1.0]]], f_star=0.69, problem=classifying)) == ""
    mean = ProblemSpec(loss="logistic", noise="normal", beta=0.0)
    assert undecided(made([[[1.0]]], f_star=float(np.log(2)), problem=mean)).endswith("leads there")


def test_a_separable_classification_decides():
    assert not best_is_none(ProblemSpec(loss="logistic"), Optimum(1e-300, np.zeros(1), 0.0, None, attained=False))


def test_whoever_asks_for_a_step_size_is_told_once():
    x, y = rows(0)
    problem = Problem.from_arrays(x, y, "logistic", 0.95)
    asked = {"iterations": 200, "seeds": 2}
    assert str(recommend(problem, ("spl+", "spl-u"), **asked)).count("decides nothing") == 1
    (said,) = [each for each in check(problem, 1.0, "spl+", **asked).remarks if "decides nothing" in each]
    assert said == undecided(sweep(problem, ["spl+"], **asked))
