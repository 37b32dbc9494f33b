"""A sketch's optimum: that of the problem, to as many digits as a picture shows."""

import math

import pytest
import torch

from cvar_core.catalogue import losses, noises
from cvar_core.problem import Problem, Sketch, cvar
from cvar_core.problem import sketch as sketches
from cvar_core.problem.sketch import TOLERANCE

BETAS = (0.0, 0.2, 0.5, 0.7, 0.95, 0.999)


@pytest.mark.parametrize("noise", noises.names())
@pytest.mark.parametrize("loss", losses.names())
def test_it_is_the_least_value_to_within_its_gap(loss, noise, monkeypatch):
    turn = losses.names().index(loss) + noises.names().index(noise)
    for beta in BETAS[turn % 3 :: 3]:  # so that each loss and each noise has all of them
        problem, sketch = (kind.synthetic(loss, noise, beta, eval_size=3_000, dim=5) for kind in (Problem, Sketch))
        best = problem.optimum()
        with monkeypatch.context() as patch:
            patch.setattr(Problem, "optimum", None)  # the slow way is closed
            found = sketch.optimum()
        unit = best.value + cvar(problem.losses(torch.zeros(5, dtype=torch.float64)), beta)
        assert -1e-9 * unit <= found.value - best.value <= found.gap + 1e-9 * unit, beta
        assert found.gap <= TOLERANCE * unit
        assert found.value == pytest.approx(sketch.objective(found.theta, found.alpha), rel=1e-12)
        if not best.theta.any():
            assert not found.theta.any(), "θ = 0 itself, not a rounding beside it"


def test_it_is_looked_for_once_and_is_the_same_on_any_number_of_threads():
    sketch = Sketch.synthetic("absolute", "lognormal", 0.9, eval_size=3_000)
    found = sketch.optimum()
    assert sketch.optimum() is found
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        again = Sketch(sketch.spec).optimum()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(again.theta, found.theta)


def test_the_unit_of_the_loss_scales_it():
    plain, scaled = (Sketch.synthetic("huber", "normal", 0.9, eval_size=1_000, scale=scale) for scale in (1.0, 8.0))
    assert torch.equal(scaled.optimum().theta, plain.optimum().theta)
    assert scaled.optimum().value == 8 * plain.optimum().value
    assert scaled.optimum().alpha == 8 * plain.optimum().alpha


def test_where_nothing_can_be_certified_the_problem_itself_is_asked(monkeypatch):
    problem, sketch = (kind.synthetic("absolute", "normal", 0.9, eval_size=1_000) for kind in (Problem, Sketch))
    monkeypatch.setattr(sketches, "_ROUNDS", 0)
    assert sketch.optimum().value == problem.optimum().value


def test_at_the_border_the_best_classifier_is_none_though_no_certificate_says_so(monkeypatch):
    monkeypatch.setattr(sketches, "_bound_at_origin", lambda *_: -math.inf)
    for beta in (0.65, 0.8):
        sketch = Sketch.synthetic("logistic", "student", beta, eval_size=5_000)
        assert not sketch.optimum().theta.any(), beta
