"""One step on one sample: the numbers of the paper's picture, and laws that hold everywhere."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import SpecError
from cvar_core.catalogue import methods
from cvar_core.lessons.models import EXAMPLES, SAMPLE_LOSSES, Setup, drawable, order, sliced, update, updates

anywhere = st.builds(
    Setup,
    loss=st.sampled_from(sorted(SAMPLE_LOSSES)),
    beta=st.floats(0, 0.99),
    lam=st.floats(1e-3, 1e3),
    initial_loss=st.floats(0.1, 10),
    theta=st.floats(-5, 5),
    alpha=st.floats(-10, 10),
    samples=st.integers(3, 5),
    seen=st.integers(0, 2),
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


def number(value):
    return torch.tensor(value, dtype=torch.float64)


@given(anywhere, st.sampled_from(drawable()))
def test_a_step_is_the_catalogue_s_on_the_sample_that_it_sees(setup, method):
    # The slope of the sample's loss by a difference: what the method is told is that sample's, and no other's.
    step, far = update(method, setup), 1e-6
    loss, ahead, behind = (float(setup.losses(number(setup.theta + way))[setup.seen]) for way in (0.0, far, -far))
    assert step.loss == loss
    if abs(ahead + behind - 2 * loss) < far * far * 10:  # no kink there
        assert step.slope == pytest.approx((ahead - behind) / (2 * far), abs=1e-6)
    point = methods[method].step(setup.linearised(), step.sizes)
    assert (step.theta, step.alpha) == (float(point.theta), float(point.alpha))


@given(anywhere)
def test_the_objective_is_the_mean_over_the_samples(setup):
    theta, alpha = number(setup.theta), number(setup.alpha)
    every = [float(setup.objectives(theta, alpha)[k]) for k in range(setup.samples)]
    assert float(setup.objective(theta, alpha)) == pytest.approx(sum(every) / len(every))
    for k, value in enumerate(every):
        tail = max(float(setup.losses(theta)[k]) - setup.alpha, 0)
        assert value == pytest.approx(setup.alpha + tail / (1 - setup.beta))


def test_every_method_sees_the_same_samples_in_the_order_of_the_draw():
    setup = Setup(samples=4, draw=3)
    seen = [[step.setup.seen for step in updates(method, setup, 31)] for method in ("spl", "spl+")]
    assert seen[0] == seen[1] == order(setup, 31)
    assert set(seen[0]) == {0, 1, 2, 3}
    assert order(setup, 10) == order(setup, 31)[:10]
    assert order(Setup(samples=4, draw=4), 31) != seen[0]
    assert set(order(Setup(), 31)) == {0}


@given(anywhere, st.sampled_from(drawable()))
def test_along_the_step_the_model_with_its_price_is_least_at_the_next_point(setup, method):
    step = update(method, setup)
    cut = sliced(step)
    here, there = cut.share.tolist().index(0.0), cut.share.tolist().index(1.0)
    size = 1 + abs(cut.penalised).max()
    moved = (step.theta, step.alpha) != (setup.theta, setup.alpha)
    assert cut.penalised[there if moved else here] <= cut.penalised.min() + 1e-9 * size
    if moved:
        assert cut.model[there] == pytest.approx(step.model, abs=1e-9 * size)
        assert cut.objective[cut.fine.tolist().index(1.0)] == pytest.approx(step.after, abs=1e-9 * size)
    assert cut.model[here] == pytest.approx(cut.seen[cut.fine.tolist().index(0.0)], abs=1e-9 * size)


def test_the_cut_shows_where_sgm_passes_the_kink_and_spl_stops_on_its_own():
    beyond = sliced(update("sgm", Setup()))
    assert beyond.kinks == pytest.approx([(3 - 2.14693) / 2], abs=1e-3), "α falls from 3 by 2, past the loss"
    assert beyond.objective.min() == pytest.approx(2.14693, abs=1e-3)
    model = sliced(update("spl", Setup())).model
    slopes = [b - a for a, b in itertools.pairwise(model.tolist())]
    (turn,) = [k for k, (a, b) in enumerate(itertools.pairwise(slopes)) if abs(b - a) > 1e-9]
    assert sliced(update("spl", Setup())).share[turn + 1] == 1.0


def test_the_examples_show_what_they_are_named_for():
    flat, nearly, small, magic, several = EXAMPLES.values()
    assert update("sgm", flat).theta == flat.theta
    assert update("sgm", flat).after > 4 * update("spl", flat).before > 4 * update("spl", flat).after

    sgm, spl = updates("sgm", nearly, 31), updates("spl", nearly, 31)
    apart = math.hypot(sgm[0].theta - spl[0].theta, sgm[0].alpha - spl[0].alpha)
    assert apart < 0.03 * math.hypot(spl[0].theta - nearly.theta, spl[0].alpha - nearly.alpha), "nearly right"
    assert sgm[0].after < 0.5 * sgm[0].before
    assert sgm[1].after > 10 * sgm[0].before, "and fails"
    assert sgm[-1].after > 100 * spl[-1].after
    assert all(step.after < step.before for step in spl)

    ends = [updates(method, small, 31)[-1] for method in ("sgm", "spl", "spl+")]
    assert max(step.theta for step in ends) - min(step.theta for step in ends) < 1e-3
    assert ends[0].after < ends[0].setup.alpha + 0.9 * update("sgm", small).before

    assert update("spl", magic).after > update("spl", magic).before
    rises = [step.after > step.before for step in updates("spl", several, 31)]
    assert any(rises), "what is good for one sample is not good for all"
    assert not all(rises)


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss": "cubic"},
        {"beta": 1.0},
        {"beta": -0.1},
        {"lam": 0.0},
        {"initial_loss": -1.0},
        {"theta": 1e9},
        {"samples": 0},
        {"samples": 9},
        {"seen": 1},
    ],
)
def test_a_setup_says_what_is_wrong(wrong):
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Setup(**wrong)
