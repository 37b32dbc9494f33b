"""The risk of a model, CVaR of its losses, against sorting; and that nothing but θ decides its bits."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cvar_core import Problem
from cvar_core.catalogue import losses
from cvar_core.compiled import jit
from cvar_core.problem import risk, selection, tail_mass
from cvar_core.problem.evaluation import BLOCK
from cvar_core.problem.marks import WORD, at_least, lowest, more_than, ones
from cvar_core.problem.points import DensePoints, SparsePoints

every_loss = pytest.mark.parametrize("loss", losses.names())
dense_and_sparse = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
SIZES = [1, 2, BLOCK - 1, BLOCK, 5 * BLOCK + 77, 40 * BLOCK + 1]


def by_sorting(values: torch.Tensor, beta: float) -> float:
    """Return the mean of the largest (1 − β)n values, the last one in part, from all of them in order."""
    ordered = np.sort(values.numpy())[::-1]
    mass = tail_mass(len(ordered), beta)
    whole = math.floor(mass)
    partly = (mass - whole) * ordered[whole] if whole < mass else 0.0
    return float((math.fsum(ordered[:whole]) + partly) / mass)


def data(loss: str, size: int, beta: float, sparse: bool = False, whole: bool = False, scale: float = 1.0) -> Problem:
    """Rows of nine features, most of them zero, normal or of a few whole numbers."""
    draw = np.random.default_rng(size)
    x = draw.standard_normal((size, 9)) * (draw.random((size, 9)) < 0.4)
    y = 3 * draw.standard_normal(size)
    if whole:
        x, y = np.round(x), np.round(y)
    if losses[loss].task == "classification":
        y = np.where(y > 0, 1.0, -1.0)
    return Problem.from_arrays(csr_array(x) if sparse else x, y, loss=loss, beta=beta, scale=scale)


def models(rng: torch.Generator, dim: int = 9) -> torch.Tensor:
    """θ from zero to far away."""
    far = torch.tensor([0.0, 1e-3, 0.3, 1.0, 30.0, 1e4], dtype=torch.float64)
    return far[:, None] * torch.randn(6, dim, dtype=torch.float64, generator=rng)


def levels_of(size: int) -> list[float]:
    """The mean, tails of whole and of broken size, and the largest loss alone."""
    return [0.0, 0.3, 0.5, 0.95, (size - 1) / size]


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many losses of a θ there was room for in each pass."""
    found: list[int] = []

    def watched(keep):
        def spy(self, loss, thetas, levels, room, *more):
            found.append(room)
            return keep(self, loss, thetas, levels, room, *more)

        return spy

    for kind in (DensePoints, SparsePoints):
        monkeypatch.setattr(kind, "keep", watched(kind.keep))
    return found


@every_loss
@dense_and_sparse
@pytest.mark.parametrize("size", SIZES)
def test_risk_is_the_mean_of_the_largest_losses(loss, sparse, size, rng):
    thetas = models(rng)
    for beta in levels_of(size):
        problem = data(loss, size, beta, sparse)
        expected = [by_sorting(problem.losses(theta), beta) for theta in thetas]
        assert problem.ground.risks(thetas).tolist() == pytest.approx(expected, rel=1e-12)


@every_loss
@dense_and_sparse
def test_risk_is_exact_where_losses_tie(loss, sparse, rng):
    thetas = torch.round(models(rng))  # whole numbers everywhere: few different losses, each many times
    for beta in levels_of(10_000):
        problem = data(loss, 10_000, beta, sparse, whole=True)
        expected = [by_sorting(problem.losses(theta), beta) for theta in thetas]
        assert problem.ground.risks(thetas).tolist() == pytest.approx(expected, rel=1e-12)


@every_loss
@pytest.mark.parametrize("noise", ["normal", "lognormal"])
def test_no_point_is_skipped_that_counts(loss, noise, rng, rooms):
    problem = Problem.synthetic(loss=loss, noise=noise, eval_size=30_000)
    thetas = problem.theta_gen + models(rng, 10)  # at θ_gen most blocks are skipped, far away none is
    expected = [by_sorting(problem.losses(theta), 0.95) for theta in thetas]
    assert problem.ground.risks(thetas).tolist() == pytest.approx(expected, rel=1e-12)
    if losses[loss].scalar is not None:  # what has no compiled form visits every point
        assert len(rooms) == 2, "a third pass would have found what the second skipped"


@every_loss
@dense_and_sparse
def test_torch_gives_the_same_risk_to_a_loss_without_kernels(loss, sparse, rng):
    problem, thetas = data(loss, 3_000, 0.9, sparse), models(rng)
    plain = dataclasses.replace(problem.loss, scalar=None)
    torch.testing.assert_close(
        risk.risks(problem.ground.points, plain, thetas, 0.9), problem.ground.risks(thetas), rtol=1e-12, atol=1e-12
    )


@every_loss
@dense_and_sparse
@pytest.mark.parametrize("beta", [0.0, 0.95])
def test_evaluation_is_objective_risk_and_measures(loss, sparse, beta, rng):
    problem, thetas = data(loss, 3_000, beta, sparse, scale=1.5), models(rng)
    alphas = torch.tensor([-1.0, 0.0, 0.5, 1.0, 40.0, 1e3], dtype=torch.float64)
    found = problem.ground.evaluate(thetas, alphas)
    assert torch.equal(found.objectives, problem.ground.objectives(thetas, alphas))
    assert torch.equal(found.risks, torch.minimum(problem.ground.risks(thetas), found.objectives))
    assert torch.equal(found.measures, problem.ground.measures(thetas))
    assert problem.risk(thetas[3]) == problem.ground.risks(thetas)[3]


@every_loss
def test_risk_is_the_least_objective_over_alpha_and_never_above_it(loss, rng):
    problem = Problem.synthetic(loss=loss, noise="normal", eval_size=5_000)
    theta = models(rng, 10)[3]
    values = problem.losses(theta)
    alphas = torch.cat([values[::20], values.quantile(torch.linspace(0.94, 0.96, 101, dtype=torch.float64))])
    found = problem.ground.evaluate(theta.expand(len(alphas), 10), alphas)
    assert (found.risks <= found.objectives).all()
    assert float(found.objectives.min()) == pytest.approx(problem.risk(theta), rel=1e-4)


@every_loss
@pytest.mark.parametrize("noise", ["normal", "lognormal"])
def test_risk_of_the_optimum_is_the_optimum(loss, noise):
    problem = Problem.synthetic(loss=loss, noise=noise, eval_size=5_000)
    best = problem.optimum()
    assert problem.risk(best.theta) == pytest.approx(best.value, rel=1e-12)


@every_loss
@dense_and_sparse
def test_risk_of_a_model_does_not_depend_on_its_company(loss, sparse, rng, monkeypatch):
    problem, thetas = data(loss, 5_000, 0.95, sparse), models(rng).repeat(4, 1)
    together = problem.ground.risks(thetas)
    assert torch.equal(torch.cat([problem.ground.risks(theta[None]) for theta in thetas]), together)
    beside = problem.ground.evaluate(thetas, together).risks
    assert torch.equal(beside, together)  # nor on where the objective is asked for
    monkeypatch.setattr(risk, "_MOST_KEPT", 5_000)  # one θ at a time
    assert torch.equal(problem.ground.risks(thetas), together)


@every_loss
@dense_and_sparse
def test_a_power_of_two_as_unit_scales_risk_exactly(loss, sparse, rng):
    thetas = models(rng)
    one, other = (data(loss, 2_000, 0.9, sparse, scale=scale).ground.risks(thetas) for scale in (1.0, 2.0**-7))
    assert torch.equal(one * 2.0**-7, other)


@every_loss
@dense_and_sparse
@pytest.mark.parametrize("beta", [0.0, 0.95])
def test_huge_models_have_huge_or_infinite_risk(loss, sparse, beta, rng):
    problem = data(loss, 3_000, beta, sparse)
    thetas = torch.tensor([[1e100], [1e150], [1e300]], dtype=torch.float64) * models(rng)[3]
    alphas = torch.ones(3, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in (problem.loss, dataclasses.replace(problem.loss, scalar=None)):
            found = risk.risks(problem.ground.points, each, thetas, beta)
            assert (found > 1e90).all()
        found = problem.ground.evaluate(thetas, alphas)
    assert (found.risks <= found.objectives).all()


@dense_and_sparse
def test_levels_that_miss_cost_another_pass_and_no_digit(sparse, rng, monkeypatch):
    problem, thetas = data("squared", 5_000, 0.95, sparse), models(rng)
    expected = [by_sorting(problem.losses(theta), 0.95) for theta in thetas]
    top, bottom = (lambda count: torch.arange(400)), (lambda count: torch.arange(count - 400, count))
    for some in (top, bottom):  # no longer spread over all points
        order = problem.losses(thetas[3]).argsort()
        monkeypatch.setattr(risk, "thinning", lambda count, some=some, order=order: order[some(count)])
        vars(problem.ground.points).pop("thinned", None)
        assert problem.ground.risks(thetas).tolist() == pytest.approx(expected, rel=1e-12)


@dense_and_sparse
@pytest.mark.parametrize("loss", ["absolute", "logistic"])  # at θ = 0 all logistic losses are log 2
def test_few_losses_are_kept(loss, sparse, rng, rooms):
    problem = data(loss, 100_000, 0.95, sparse)
    problem.ground.risks(models(rng))
    assert len(rooms) == 2, "the thinned points, then all of them"
    assert max(rooms) < 0.1 * 100_000


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=200), st.data())
@settings(max_examples=60, deadline=None)
def test_selection_puts_the_right_value_in_place(numbers, chosen):
    values = np.array(numbers, dtype=np.float64)
    place = chosen.draw(st.integers(0, len(values) - 1))
    selection.select(values, 0, len(values), place)
    assert values[place] == sorted(numbers)[place]
    assert sorted(values) == sorted(numbers)
    assert (values[:place] <= values[place]).all()
    assert (values[place:] >= values[place]).all()


@pytest.mark.parametrize("compare", [at_least, more_than])
def test_compiled_marks_are_those_of_python(compare, rng):
    def places(values, level, out):
        n = counted = 0
        for first in range(0, values.shape[0], WORD):
            bits = compare(values, first, level)
            counted += ones(bits)
            while bits != 0:
                out[n] = first + lowest(bits)
                n += 1
                bits &= bits - 1
        return n, counted

    values = torch.randn(4 * WORD, dtype=torch.float64, generator=rng).numpy()
    values[[0, 63, 64, 255]] = math.inf, 9.0, math.nan, 9.0
    for level in (-math.inf, 0.0, 1.5, 9.0, math.inf):
        expected = np.flatnonzero(values >= level if compare is at_least else values > level).tolist()
        for each in (places, jit(places)):
            out = np.empty(len(values), dtype=np.int64)
            assert each(values, level, out) == (len(expected), len(expected))
            assert out[: len(expected)].tolist() == expected
