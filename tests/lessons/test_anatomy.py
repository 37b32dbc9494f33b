"""Claims about CVaR taken apart: the numbers against closed forms and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from cvar_core import Problem
from cvar_core.catalogue import losses
from cvar_core.lessons.anatomy import (
    Way,
    drawn_losses,
    few,
    gap,
    giving_up,
    objective_along,
    risks,
    tail_parts,
)
from cvar_core.problem import cvar, objective
from tests.lessons.anatomy_samples import LEVELS, SOME, tensor, way


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.95, 0.999])
def test_the_risks_of_normal_noise_are_those_of_the_closed_form(beta):
    points = 400_000
    q = norm.ppf((1 + beta) / 2)
    above = (1 - beta) / 2
    exact = {
        "absolute": (2 * math.sqrt(2 / math.pi), 2 * q, 2 * norm.pdf(q) / above),
        "squared": (2.0, 2 * q**2, 2 * (1 + q * norm.pdf(q) / above)),
    }
    if beta == 0.95:  # the population's values as they were noted down
        assert exact["absolute"][1:] == pytest.approx((3.9199, 4.6756), abs=1e-4)
        assert exact["squared"][1:] == pytest.approx((7.6829, 11.1640), abs=1e-4)
    for loss, (mean, level, tail_mean) in exact.items():
        problem = Problem.synthetic(loss, "normal", beta, eval_size=points)
        found = risks(problem.losses(problem.theta_gen), beta)
        spread = {"absolute": 3.0, "squared": 14.0}[loss] / math.sqrt(points * (1 - beta))  # above the standard error
        assert found.mean == pytest.approx(mean, abs=spread)
        assert found.var == pytest.approx(level, abs=3 * spread)
        assert found.cvar == pytest.approx(tail_mean, abs=3 * spread)


@given(SOME, LEVELS, st.lists(st.floats(-50, 90), min_size=1, max_size=5))
def test_f_along_alpha_is_the_objective_and_never_below_cvar(values, beta, alphas):
    along = objective_along(tensor(values), np.array(alphas), beta)
    assert along.tolist() == pytest.approx([objective(tensor(values), alpha, beta) for alpha in alphas], abs=1e-9)
    assert (along >= cvar(tensor(values), beta) - 1e-9 * (1 + 50 / (1 - beta))).all()


@st.composite
def sample_and_level(draw) -> tuple[list[float], float]:
    """Draw losses and a level, often one at which the tail holds a whole number of them."""
    values = draw(SOME)
    n = len(values)
    return values, draw(st.one_of(LEVELS, st.sampled_from([k / n for k in range(n)])))


@given(sample_and_level())
def test_the_least_f_is_cvar_and_exactly_the_interval_attains_it(drawn_pair):
    values, beta = drawn_pair
    sample = tensor(values)
    found = few(sample, beta)
    ends = np.array([max(found.low, min(values) - 5.0), found.high])
    rounding = 1e-12 * 50 / (1 - beta)
    assert found.value == cvar(sample, beta)
    assert objective_along(sample, ends, beta).tolist() == pytest.approx([found.value] * 2, abs=rounding)
    outside = np.array([found.high + 0.01, *([found.low - 0.01] if math.isfinite(found.low) else [])])
    if beta < 1e-6 and beta > 0:
        outside = outside[:1]  # so slight a slope is rounded away
    assert (objective_along(sample, outside, beta) > found.value).all()


@given(SOME, LEVELS)
def test_the_parts_of_the_tail_are_those_of_cvar(values, beta):
    sample = tensor(values)
    parts = tail_parts(sample, beta)
    assert float(parts.min()) >= 0
    assert float(parts.max()) <= 1 + 1e-12
    assert float(parts.sum()) == pytest.approx((1 - beta) * len(values))
    assert float((parts * sample).sum() / parts.sum()) == pytest.approx(cvar(sample, beta))


def test_the_extremes_of_a_small_sample_by_hand():
    sample = tensor([4.0, 1.0, 10.0, 3.0])
    assert few(sample, 0.0) == (4.5, -math.inf, 1.0, 4.5), "the mean, any α up to the least loss"
    value, low, high, conditional = few(sample, 1 / 4)
    assert value == pytest.approx(17 / 3, abs=1e-15), "the mean without the smallest loss, not the mean"
    assert (low, high) == (1.0, 3.0)
    assert conditional == 4.5, "what the conditional mean makes of it is the mean"
    assert few(sample, 3 / 4) == (10.0, 4.0, 10.0, 7.0), "the max, where the conditional mean has the top two"
    assert few(sample, 0.999) == (10.0, 10.0, 10.0, 10.0)
    assert few(sample, 0.6) == pytest.approx(((10 + 0.6 * 4) / 1.6, 4.0, 4.0, 7.0)), "the tail takes a part of 4"


@pytest.mark.parametrize("n", [7, 20, 49])
def test_the_extremes_hold_although_beta_is_rounded(n):
    sample = drawn_losses("lognormal", n, 1)
    assert few(sample, 1 / n).value == pytest.approx(float(sample[1:].mean()), rel=1e-14)
    assert few(sample, 1 / n)[1:3] == (float(sample[0]), float(sample[1]))
    assert few(sample, (n - 1) / n)[:3] == (float(sample[-1]), float(sample[-2]), float(sample[-1]))
    assert few(sample, 0.0).value == pytest.approx(float(sample.mean()), rel=1e-14)


def test_the_drawn_losses_are_those_of_the_noise():
    sample = drawn_losses("normal", 4_000, 3)
    assert torch.equal(sample, sample.sort().values)
    assert float(sample.mean()) == pytest.approx(2 * math.sqrt(2 / math.pi), abs=0.08)
    assert not torch.equal(drawn_losses("normal", 20, 1), drawn_losses("normal", 20, 2))


@pytest.mark.parametrize("loss", losses.names())
def test_the_way_leads_from_the_start_down_to_the_optimum(loss):
    problem = Problem.synthetic(loss, "normal", 0.9, eval_size=1_000, dim=3)
    along = Way.of(problem)
    assert torch.equal(along.losses(0.0), problem.losses(problem.start(0).theta))
    assert along.alpha == problem.start(0).alpha
    values = [cvar(along.losses(share), 0.9) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert values[-1] == pytest.approx(problem.optimum().value, rel=1e-12)
    assert values == sorted(values, reverse=True), "convex, so it falls all the way"


def test_few_losses_in_the_tail_are_called_few():
    assert [way("absolute", "normal", beta).fitted for beta in (0.9, 0.98, 0.999)] == [None, 100, 5]


@given(SOME, SOME, LEVELS, st.floats(-50, 90))
def test_the_gap_is_the_models_part_and_the_thresholds(values, others, beta, alpha):
    sample = tensor(values)
    best = min(cvar(sample, beta), cvar(tensor(others), beta))
    parts = gap(sample, alpha, beta, best)
    rounding = 1e-11 * 100 / (1 - beta)
    assert min(parts) >= 0
    assert parts.whole == pytest.approx(objective(sample, alpha, beta) - best, abs=rounding)
    assert parts.model == pytest.approx(cvar(sample, beta) - best, abs=rounding)
    assert gap(sample, float(risks(sample, beta).var), beta, best).threshold <= rounding, "VaR is the best threshold"
    assert parts.share == (parts.model / parts.whole if parts.whole else 0)


def test_most_of_the_gap_at_the_start_is_a_wrong_threshold():
    along = Way.of(Problem.synthetic("absolute", "lognormal", 0.95, eval_size=2_000))
    first = gap(along.losses(0.0), along.alpha, 0.95, cvar(along.losses(1.0), 0.95))
    assert 0 < first.share < 0.01


# Classifiers.


@pytest.fixture(scope="module")
def found():
    return giving_up("lognormal", points=1_500)


def test_beyond_its_border_the_best_classifier_is_none(found):
    assert found.critical == pytest.approx(0.24, abs=0.06)
    lengths = [one.length for one in found.classifiers]
    assert lengths == sorted(lengths, reverse=True)
    assert [one.value for one in found.classifiers] == sorted(one.value for one in found.classifiers)
    last = found.classifiers[-1]
    assert (last.length, last.accuracy) == (0, None)
    assert last.value == pytest.approx(math.log(2), rel=1e-14)
    before = max(one.beta for one in found.classifiers if one.length > 0)
    assert 0 < min(one.beta for one in found.classifiers if one.length == 0) - before < 0.02, "β_c was looked for"


def test_the_border_is_where_the_worst_margins_have_no_positive_mean(found):
    """θ = 0 is optimal iff in every direction d the lowest 1 − β of y x·d has a mean of at most 0."""
    problem = Problem.synthetic("logistic", "lognormal", eval_size=1_500)
    best = Problem.synthetic("logistic", "lognormal", 0.0, eval_size=1_500).optimum().theta

    def lowest(direction, beta):
        return -cvar(-problem.ground.points.predict(direction) * problem.ground.points.target, beta)

    before = max(one.beta for one in found.classifiers if one.length > 0)
    after = min(one.beta for one in found.classifiers if one.length == 0)
    assert lowest(best, before) > 0
    rng = torch.Generator().manual_seed(1)
    around = [best / best.norm() + 0.3 * torch.randn(10, generator=rng, dtype=torch.float64) for _ in range(30)]
    assert max(lowest(direction, after) for direction in (best, -best, *around)) <= 0
