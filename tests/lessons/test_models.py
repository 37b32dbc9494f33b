"""One step on one sample: the numbers of the paper's picture, and laws that hold everywhere."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import SpecError
from cvar_core.lessons.models import SAMPLE_LOSSES, Setup, drawable, update, updates

anywhere = st.builds(
    Setup,
    loss=st.sampled_from(sorted(SAMPLE_LOSSES)),
    beta=st.floats(0, 0.99),
    lam=st.floats(1e-3, 1e3),
    initial_loss=st.floats(0.1, 10),
    theta=st.floats(-5, 5),
    alpha=st.floats(-10, 10),
)


@pytest.mark.parametrize(
    ("method", "case", "theta", "alpha", "model", "proximal", "after"),
    [
        ("sgm", "too big", 2.0, 1.0, 1.0, 1.0, 12.469),
        ("spl", "middle", 1.42965, 1.63316, 1.6332, 0.5484, 1.846),
        ("spl+", "middle", 1.61705, 1.80197, 1.8020, 0.2364, 1.894),
    ],
)
def test_the_paper_s_picture(method, case, theta, alpha, model, proximal, after):
    step = update(method, Setup())
    assert step.explanation.case == case
    assert step.theta == pytest.approx(theta, abs=5e-6)
    assert step.alpha == pytest.approx(alpha, abs=5e-6)
    assert step.model == pytest.approx(model, abs=5e-5)
    assert step.proximal == pytest.approx(proximal, abs=5e-5)
    assert step.before == 3.0
    assert step.after == pytest.approx(after, abs=5e-4)
    assert (step.loss, step.slope) == pytest.approx((2.14693, 0.90080), abs=5e-6)


def test_the_middle_ranges_of_the_picture():
    spl, plus = update("spl", Setup()), update("spl+", Setup())
    assert spl.explanation.middle == pytest.approx((-32.08, 4.147), abs=5e-3)
    assert plus.explanation.middle == pytest.approx((-73.91, 10.147), abs=5e-3)
    assert (spl.explanation.numbers["γ"], plus.explanation.numbers["γ"]) == pytest.approx((0.31658, 0.85025), abs=5e-6)


def test_spl_is_not_magic():
    step = update("spl", Setup(lam=5.0))
    assert step.after == pytest.approx(4.02, abs=5e-3)
    assert step.after > step.before


@given(anywhere, st.sampled_from(drawable()))
def test_a_step_lands_below_its_neighbours_on_the_model(setup, method):
    step = update(method, setup)

    def value(theta, alpha):
        point = torch.tensor(theta, dtype=torch.float64), torch.tensor(alpha, dtype=torch.float64)
        proximal = (theta - setup.theta) ** 2 / (2 * step.sizes.theta) + (alpha - setup.alpha) ** 2 / (
            2 * step.sizes.alpha
        )
        return float(step.model_at(*point) + proximal)

    here = value(step.theta, step.alpha)
    assert here == pytest.approx(step.model + step.proximal, rel=1e-9, abs=1e-9)
    for d_theta, d_alpha in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01), (0.01, 0.01), (-0.01, 0.01)):
        assert value(step.theta + d_theta, step.alpha + d_alpha) >= here - 1e-7 * (1 + abs(here))


@given(anywhere)
def test_the_case_is_where_alpha_lies(setup):
    step = update("spl", setup)
    low, high = step.explanation.middle
    slack = 1e-9 * (1 + abs(low) + abs(high))
    if step.explanation.case == "middle":
        assert low - slack <= setup.alpha <= high + slack
        # A step in the middle range ends on the model's kink, where the linearised loss is α.
        linear = step.loss + step.slope * (step.theta - setup.theta)
        assert step.alpha == pytest.approx(linear, rel=1e-7, abs=1e-7)
    elif step.explanation.case == "too big":
        assert setup.alpha >= high - slack
        assert step.theta == setup.theta
    else:
        assert setup.alpha <= low + slack
        subgradient = update("sgm", setup) if setup.alpha < step.loss else None
        if subgradient is not None:
            assert step.theta == pytest.approx(subgradient.theta)


def test_further_updates_go_on_from_the_last_with_a_smaller_step():
    path = updates("spl", Setup(), 5)
    for t, (before, after) in enumerate(itertools.pairwise(path)):
        assert (after.setup.theta, after.setup.alpha) == (before.theta, before.alpha)
        assert after.setup.lam == pytest.approx(2 / math.sqrt(t + 2))
    assert path[-1].after < path[0].before


def test_a_method_that_explodes_stops():
    path = updates("sgm", Setup(loss="squared", lam=1e6, alpha=-5.0), 40)
    assert 1 <= len(path) < 40


@pytest.mark.parametrize(
    "wrong", [{"loss": "cubic"}, {"beta": 1.0}, {"beta": -0.1}, {"lam": 0.0}, {"initial_loss": -1.0}, {"theta": 1e9}]
)
def test_a_setup_says_what_is_wrong(wrong):
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Setup(**wrong)
