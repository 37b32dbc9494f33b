"""Claims about the unit of the loss: who notices it, by how much, and that the pair of step sizes is what mends it."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from cvar_core import Problem, ProblemSpec, sweep
from cvar_core.catalogue import Linearisation, StepSizes, losses, methods
from cvar_core.lessons.units import (
    LEFT,
    SCALES,
    SEEDS,
    SGM,
    SGM_PAIR,
    SPL,
    SPL_PLUS,
    VARIANTS,
    problem_of,
    tolerance,
    walk,
)
from cvar_core.problem import Ground
from cvar_core.results import OBJECTIVE, RISK, Criterion
from tests.solving import solved_once as solved_once

pytestmark = pytest.mark.usefixtures("solved_once")

NAMED = [("squared", "lognormal"), ("absolute", "normal"), ("logistic", "gumbel"), ("huber", "student")]
GRID = (0.03, 1.0)


def paths(loss, noise, lam, scale, iterations=400):
    found = walk(ProblemSpec(loss=loss, noise=noise, eval_size=1_000), lam, scale, iterations)
    return {path.variant: path for path in found}


@functools.cache
def tried(loss, noise):
    return tolerance(problem_of(loss, noise))


@pytest.fixture(params=[("absolute", "normal"), ("squared", "lognormal")], ids=lambda pair: pair[0])
def found(request):
    return tried(*request.param)


# The paths.


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_a_path_is_that_of_the_catalogues_step_and_step_sizes(variant, scale):
    spec = ProblemSpec(loss="absolute", noise="normal", eval_size=1_000, scale=scale)
    problem = Problem(spec)
    start = problem.start(0)
    x, y, _ = problem.ground.samples(0, 0, 60)
    lam, initial_loss = torch.tensor(0.3, dtype=torch.float64), torch.tensor(start.initial_loss, dtype=torch.float64)
    sizes = variant.step_sizes(lam, initial_loss)
    theta, alpha = start.theta, torch.tensor(start.alpha, dtype=torch.float64)
    best = problem.optimum().theta
    distances = []
    for t in range(60):
        p = x[t] @ theta
        loss, v = scale * losses["absolute"].value(p, y[t]), scale * losses["absolute"].slope(p, y[t]) * x[t]
        now = StepSizes(*(size / math.sqrt(t + 1) for size in sizes[:2]))
        theta, alpha = variant.step(Linearisation(theta, alpha, loss, v, spec.beta), now)
        distances.append(float(torch.linalg.vector_norm(theta - best)))
    (path,) = (each for each in walk(ProblemSpec(loss="absolute", noise="normal", eval_size=1_000), 0.3, scale, 60)
               if each.variant is variant)  # fmt: skip
    expected = [distances[t - 1] for t in path.iterations]
    assert path.distances[1] == pytest.approx(expected, rel=1e-9)
    assert path.iterations[0] == 1
    assert path.iterations[-1] == 60


@pytest.mark.parametrize(("loss", "noise"), NAMED)
@pytest.mark.parametrize("scale", [2.0**-10, 0.5, 64.0])
def test_with_the_pair_a_power_of_two_changes_no_bit_of_the_path(loss, noise, scale):
    for lam in (1.0, 1000.0):  # not even where rounding would grow
        found = paths(loss, noise, lam, scale)
        for variant in (SPL_PLUS, SGM_PAIR):
            assert np.array_equal(*found[variant].distances, equal_nan=True)
            assert found[variant].apart == 0
            assert found[variant].same


@pytest.mark.parametrize(("loss", "noise"), NAMED)
@pytest.mark.parametrize("scale", [0.001, 0.3, 100.0])
def test_with_the_pair_any_unit_changes_the_path_by_rounding_alone(loss, noise, scale):
    for lam in GRID:
        found = paths(loss, noise, lam, scale)
        for variant in (SPL_PLUS, SGM_PAIR):
            assert found[variant].apart < 1e-9
            assert found[variant].distances[1] == pytest.approx(found[variant].distances[0], abs=1e-9)
            assert found[variant].share_at_power == 0


@pytest.mark.parametrize(("loss", "noise"), NAMED)
@pytest.mark.parametrize("scale", [0.001, 0.25, 128.0])
def test_with_one_step_size_every_unit_has_a_path_of_its_own(loss, noise, scale):
    found = paths(loss, noise, 0.3, scale)
    for variant in (SPL, SGM):
        assert not found[variant].same
        assert found[variant].share > 1e-3


@pytest.mark.parametrize(("loss", "noise"), NAMED)
@pytest.mark.parametrize(("one", "pair"), [(SPL, SPL_PLUS), (SGM, SGM_PAIR)], ids=["spl", "sgm"])
def test_the_pair_is_one_step_size_with_the_loss_in_units_of_the_first_loss(loss, noise, one, pair):
    spec = ProblemSpec(loss=loss, noise=noise, eval_size=1_000)
    found = paths(loss, noise, 0.3, 1 / Problem(spec).start(0).initial_loss)
    assert found[one].distances[1] == pytest.approx(found[pair].distances[1], rel=1e-9)
    assert not np.allclose(found[one].distances[0], found[pair].distances[0], rtol=1e-3)


def test_a_run_that_diverges_in_one_unit_is_said_to():
    found = paths("squared", "lognormal", 0.3, 1000.0)
    assert found[SGM].diverged == (False, True)
    assert not found[SGM].same
    assert not np.isfinite(found[SGM].distances[1]).all()
    assert found[SPL_PLUS].diverged == (False, False)


def test_two_paths_are_not_the_same_if_one_of_them_ends():
    path = paths("absolute", "normal", 0.3, 64.0)[SPL_PLUS]
    assert path.same
    assert replace(path, diverged=(True, True)).same
    assert not replace(path, diverged=(False, True)).same


def test_rounding_grows_where_the_run_is_unstable():
    found = paths("squared", "normal", 1000.0, 100.0, 2_000)
    assert found[SPL_PLUS].share > 1e-3
    assert found[SPL_PLUS].share_at_power == 0
    assert found[SPL_PLUS].power == 128


# The usable step sizes.


@pytest.mark.parametrize("scale", [0.03, 1.0, 100.0])
def test_shares_of_the_gap_are_those_of_the_engines_own_sweep_in_that_unit(scale):
    lambdas = (0.001, 0.1, 1.0, 10_000.0)
    spec = ProblemSpec(noise="normal", eval_size=800)
    found = tolerance(spec, (scale,), lambdas, 300)
    problem = Problem.synthetic(noise="normal", eval_size=800, scale=scale)
    result = sweep(problem, lambdas=lambdas, iterations=300, seeds=SEEDS)
    judged = result.judged(Criterion(OBJECTIVE))
    end = judged.at()
    for name, variant in (("sgm", SGM), ("spl", SPL), ("spl+", SPL_PLUS)):
        v, m = VARIANTS.index(variant), result.spec.methods.index(name)
        stable = slice(0, 3)
        for part in ("median", "low", "high"):
            ours, theirs = getattr(found.left, part)[v, 0], getattr(end, part)[m] / judged.start
            assert ours[stable] == pytest.approx(theirs[stable], rel=1e-8)
        assert found.diverged[v, 0].tolist() == end.diverged[m].tolist()
    assert found.diverged.max() == len(SEEDS)  # SGM at the largest λ


def test_an_objective_that_overflows_counts_as_diverged(monkeypatch):
    exact = Ground.objectives

    def overflowing(self, thetas, alphas, stop=None):
        return exact(self, thetas, alphas, stop) if len(thetas) == 1 else torch.full_like(alphas, torch.inf)

    monkeypatch.setattr(Ground, "objectives", overflowing)
    found = tolerance(ProblemSpec(noise="normal", eval_size=500), (1.0,), (0.1, 1.0), 20)
    assert (found.diverged == len(SEEDS)).all()
    assert found.range(SPL_PLUS, 1.0) is None
    assert found.best_lambdas(SPL_PLUS) == (None,)


def test_with_the_pair_one_range_and_one_best_step_size_serve_all_units(found):
    for variant in (SPL_PLUS, SGM_PAIR):
        assert len(set(found.best_lambdas(variant))) == 1
        assert None not in found.best_lambdas(variant)
        ends = np.array([[each.low, each.high] for each in (found.range(variant, scale) for scale in SCALES)])
        assert ends == pytest.approx(np.tile(ends[0], (len(SCALES), 1)), rel=0.02)


def test_with_one_step_size_the_usable_ones_move_by_decades(found):
    for variant in (SPL, SGM):
        lows = [each.low for scale in SCALES if (each := found.range(variant, scale)) is not None]
        assert math.log10(max(lows) / min(lows)) > 1.5
        assert lows == sorted(lows)


def test_where_alpha_decides_the_usable_step_sizes_grow_in_step_with_the_unit():
    found = tried("absolute", "normal")
    for variant in (SPL, SGM):
        ranges = [found.range(variant, scale) for scale in (0.001, 0.01, 0.1)]
        lows = [math.log10(each.low) for each in ranges]
        assert np.diff(lows) == pytest.approx([1.0, 1.0], abs=0.05)
        best = [math.log10(lam) for lam in found.best_lambdas(variant)[:7]]
        assert best[6] - best[0] == pytest.approx(3.0, abs=0.6)


def test_with_one_step_size_there_are_units_in_which_no_step_size_serves(found):
    for variant in (SPL, SGM):
        assert found.range(variant, 1000.0) is None
        assert found.best(variant, 1000.0) is None
        assert any(found.range(variant, scale) is not None for scale in SCALES)


def test_one_step_size_and_the_pair_agree_in_the_unit_of_the_first_loss():
    problem = problem_of("absolute", "normal")
    meeting = tolerance(problem, (1.0,), (0.1,), 300).meeting
    found = tolerance(problem, (meeting,), (0.003, 0.03, 0.3, 3.0), 300)
    one, pair = (found.left.median[VARIANTS.index(variant), 0] for variant in (SPL, SPL_PLUS))
    assert one == pytest.approx(pair, rel=0.2)  # ℓ_0 is not the same for every seed


def test_with_the_units_mended_the_tighter_model_still_forgives_more(found):
    for scale in SCALES:
        linear, tight = found.range(SGM_PAIR, scale), found.range(SPL_PLUS, scale)
        assert tight.decades > linear.decades + 0.3
        assert tight.high > linear.high


def test_a_step_size_may_be_usable_with_alpha_alone(found):
    scale, left, way = found.without_theta(SPL)
    assert scale == 0.001
    assert left < LEFT
    assert way > 0.9
    k, place = found.scales.index(scale), found.best(SPL, scale)
    assert found.left.median[VARIANTS.index(SPL), k, place] == left
    assert found.without_theta(SPL)[0] < found.meeting


@pytest.mark.parametrize(("loss", "noise"), [("absolute", "normal"), ("squared", "lognormal")])
def test_what_alpha_alone_closes_is_the_thresholds_part(loss, noise):
    found = tried(loss, noise)
    scale, left, _ = found.without_theta(SPL)
    problem = Problem(replace(problem_of(loss, noise), scale=scale))
    lam = found.lambdas[found.best(SPL, scale)]
    result = sweep(problem, lambdas=[lam], iterations=2_000, seeds=SEEDS, methods=["spl"])
    by = {measure: result.judged(Criterion(measure)) for measure in (RISK, OBJECTIVE)}
    kept = {measure: each.at().median[0, 0] / each.start for measure, each in by.items()}
    assert kept[OBJECTIVE] == pytest.approx(left, rel=1e-6)
    assert kept[RISK] > 0.9, "the model's part is hardly touched"


def test_with_the_pair_theta_has_moved_where_it_is_usable():
    assert tried("absolute", "normal").without_theta(SPL_PLUS) is None


def test_the_catalogue_is_left_as_it_was(found):
    assert methods.names() == ("sgm", "spl", "spl+", "sgm-u", "spl-u", "sgm-t")
