"""One suite that every method must pass, and the identities between them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from torch import Tensor

from cvar_core.catalogue import Distances, Linearisation, Method, StepSizes, losses, methods, sharp_bound
from cvar_core.catalogue.methods import sgm

every_method = pytest.mark.parametrize("method", methods, ids=lambda m: m.name)
every_loss = pytest.mark.parametrize("loss", losses, ids=lambda loss: loss.name)


def proximal(method: Method, at: Linearisation, sizes: StepSizes, theta: Tensor, alpha: Tensor) -> Tensor:
    """The function that a step has to minimise."""
    way = ((theta - at.theta) ** 2 / sizes.metric).sum(-1)
    travel = way / (2 * sizes.theta) + (alpha - at.alpha) ** 2 / (2 * sizes.alpha)
    return method.model(theta, alpha, at) + travel


def linearise(loss, theta, alpha, x, y, beta) -> Linearisation:
    p = (theta * x).sum(-1)
    return Linearisation(theta, alpha, loss.value(p, y), loss.slope(p, y).unsqueeze(-1) * x, beta)


def random_points(loss, count: int, dim: int, rng: torch.Generator):
    """Random states and samples; a quarter each with a tie, with v = 0, and with step sizes far apart."""

    def draw(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=rng)

    theta, x = draw(count, dim), draw(count, dim)
    y = torch.sign(draw(count)) if loss.task == "classification" else (theta * x).sum(-1) + 2 * draw(count)
    quarter = count // 4
    if loss.task == "regression":
        y[:quarter] = (theta[:quarter] * x[:quarter]).sum(-1)  # residual 0, so v = 0
    else:
        x[:quarter] = 0.0
    at = linearise(loss, theta, 3 * draw(count), x, y, 0.9)
    tied = at.alpha.clone()
    tied[quarter : 2 * quarter] = at.loss[quarter : 2 * quarter]
    sizes = StepSizes(10 ** draw(count), 10 ** draw(count))
    return at._replace(alpha=tied), sizes


def in_its_metric(method: Method, sizes: StepSizes, dim: int, rng: torch.Generator) -> StepSizes:
    if method.metric is None:
        return sizes
    return sizes._replace(metric=method.metric(10 ** torch.randn(dim, dtype=torch.float64, generator=rng)))


def solve(method: Method, at: Linearisation, sizes: StepSizes) -> float:
    """Minimise model plus proximal term with a generic solver, the max written as a slack variable."""
    dim, c = len(at.theta), 1 / (1 - at.beta)

    def unpack(z: np.ndarray) -> tuple[Tensor, Tensor]:
        z = torch.from_numpy(z)
        return at.theta + (sizes.theta * sizes.metric).sqrt() * z[:dim], at.alpha + sizes.alpha.sqrt() * z[dim]

    truncated = method.model is methods["sgm-t"].model

    def inside(theta: Tensor, alpha: Tensor) -> Tensor:
        if truncated:
            return sgm.model(theta, alpha, at)
        return at.loss + (at.v * (theta - at.theta)).sum() - alpha

    def value(z: np.ndarray) -> float:
        theta, alpha = unpack(z)
        if method.model is sgm.LINEAR:
            return float(proximal(method, at, sizes, theta, alpha))
        if truncated:
            return float(z[dim + 1] + 0.5 * (z[: dim + 1] ** 2).sum())
        return float(alpha + c * z[dim + 1] + 0.5 * (z[: dim + 1] ** 2).sum())

    slack = [
        {"type": "ineq", "fun": lambda z: z[dim + 1] - float(inside(*unpack(z)))},
        {"type": "ineq", "fun": lambda z: z[dim + 1]},
    ]
    guess = np.zeros(dim + 2)
    guess[-1] = max(float(inside(at.theta, at.alpha)), 0.0)
    options = {"ftol": 1e-14, "maxiter": 500}
    kinks = () if method.model is sgm.LINEAR else slack
    found = minimize(value, guess, method="SLSQP", constraints=kinks, options=options)
    return float(proximal(method, at, sizes, *unpack(found.x)))


@every_method
@every_loss
def test_step_minimises_model_plus_proximal_term(method, loss, rng):
    at, sizes = random_points(loss, 16, 3, rng)
    sizes = in_its_metric(method, sizes, 3, rng)
    theta, alpha = method.step(at, sizes)
    reached = proximal(method, at, sizes, theta, alpha)
    for i in range(len(reached)):
        one = Linearisation(at.theta[i], at.alpha[i], at.loss[i], at.v[i], at.beta)
        best = solve(method, one, StepSizes(sizes.theta[i], sizes.alpha[i], sizes.metric))
        tolerance = 1e-5 * (1 + abs(best))
        assert float(reached[i]) <= best + 1e-12 * (1 + abs(best)), "the solver found a lower point"
        assert float(reached[i]) >= best - tolerance, "the solver did not reach the step: it checks nothing"


@every_method
@every_loss
def test_no_neighbour_of_the_step_is_lower(method, loss, rng):
    at, sizes = random_points(loss, 400, 5, rng)
    sizes = in_its_metric(method, sizes, 5, rng)
    theta, alpha = method.step(at, sizes)
    reached = proximal(method, at, sizes, theta, alpha)
    for radius in (1e-1, 1e-3, 1e-5):
        move = radius * torch.randn(theta.shape, dtype=torch.float64, generator=rng)
        lift = radius * torch.randn(alpha.shape, dtype=torch.float64, generator=rng)
        scale = (sizes.theta[:, None] * sizes.metric).sqrt()
        near = proximal(method, at, sizes, theta + scale * move, alpha + sizes.alpha.sqrt() * lift)
        assert bool((near >= reached - 1e-12 * (1 + reached.abs())).all())


def algorithm_2(at: Linearisation, sizes: StepSizes) -> tuple[Tensor, Tensor]:
    """The three cases of the paper's Algorithm 2, word for word."""
    square, share = (at.v**2).sum(), 1 / (1 - at.beta)
    if at.alpha > at.loss + sizes.alpha:  # α too big
        return at.theta, at.alpha - sizes.alpha
    if at.alpha < at.loss - share * sizes.theta * square - share * sizes.alpha * at.beta:  # α too small
        return at.theta - share * sizes.theta * at.v, at.alpha + share * sizes.alpha * at.beta
    nu = (at.loss + sizes.alpha - at.alpha) / (sizes.theta * square + sizes.alpha)  # α in the middle range
    return at.theta - sizes.theta * nu * at.v, at.alpha - sizes.alpha + sizes.alpha * nu


@every_loss
def test_closed_form_equals_the_cases_of_algorithm_2(loss, rng):
    at, sizes = random_points(loss, 400, 4, rng)
    theta, alpha = methods["spl+"].step(at, sizes)
    seen = set()
    for i in range(400):
        one = Linearisation(at.theta[i], at.alpha[i], at.loss[i], at.v[i], at.beta)
        expected = algorithm_2(one, StepSizes(sizes.theta[i], sizes.alpha[i]))
        torch.testing.assert_close((theta[i], alpha[i]), expected, rtol=1e-12, atol=1e-12)
        seen.add((bool((expected[0] == one.theta).all()), bool(expected[1] > one.alpha)))
    assert len(seen) >= 3, "all the cases have to come up"


def test_middle_case_lands_on_the_linearised_loss(rng):
    at, sizes = random_points(losses["squared"], 400, 4, rng)
    theta, alpha = methods["spl"].step(at, sizes)
    middle = (alpha > at.alpha - sizes.alpha) & (alpha < at.alpha + sizes.alpha * at.beta / (1 - at.beta) - 1e-9)
    line = at.loss + (at.v * (theta - at.theta)).sum(-1)
    assert int(middle.sum()) > 50
    torch.testing.assert_close(alpha[middle], line[middle], rtol=1e-9, atol=1e-9)


def test_step_without_slope_clips_the_loss(rng):
    at, sizes = random_points(losses["squared"], 400, 4, rng)
    at = at._replace(v=torch.zeros_like(at.v))
    theta, alpha = methods["spl"].step(at, sizes)
    clipped = at.loss.clamp(at.alpha - sizes.alpha, at.alpha + sizes.alpha * at.beta / (1 - at.beta))
    torch.testing.assert_close(alpha, clipped, rtol=1e-12, atol=1e-12)
    assert torch.equal(theta, at.theta)


def test_spl_plus_with_equal_step_sizes_is_spl(rng):
    lam = torch.tensor([0.1, 1.0, 10.0], dtype=torch.float64)
    one = torch.ones((), dtype=torch.float64)
    assert all(map(torch.equal, methods["spl+"].step_sizes(lam, one), methods["spl"].step_sizes(lam, one)))
    at, sizes = random_points(losses["logistic"], 40, 4, rng)
    equal = StepSizes(sizes.theta, sizes.theta)
    assert all(map(torch.equal, methods["spl+"].step(at, equal), methods["spl"].step(at, equal)))


@given(st.integers(-20, 20), st.integers(0, 2**31))
def test_spl_plus_step_does_not_see_the_unit_of_the_loss(power, seed):
    scale = 2.0**power
    at, _ = random_points(losses["squared"], 16, 3, torch.Generator().manual_seed(seed))
    lam, initial = torch.full((16,), 0.3, dtype=torch.float64), torch.tensor(7.3, dtype=torch.float64)
    scaled = at._replace(alpha=scale * at.alpha, loss=scale * at.loss, v=scale * at.v)
    plus = methods["spl+"]
    theta, alpha = plus.step(at, plus.step_sizes(lam, initial))
    theta_scaled, alpha_scaled = plus.step(scaled, plus.step_sizes(lam, scale * initial))
    assert torch.equal(theta, theta_scaled)
    assert torch.equal(scale * alpha, alpha_scaled)


def opening_point() -> Linearisation:
    theta = torch.tensor([2.0], dtype=torch.float64)
    loss = torch.log1p(theta.exp()) + 0.005 * theta**2
    return Linearisation(theta, torch.tensor(3.0, dtype=torch.float64), loss[0], theta.sigmoid() + 0.01 * theta, 0.9)


@pytest.mark.parametrize(
    ("name", "initial_loss", "expected"),
    [("sgm", 1.0, (2.0, 1.0)), ("spl", 1.0, (1.42965, 1.63316)), ("spl+", 4.0, (1.61705, 1.80197))],
)
def test_steps_at_the_point_of_figure_2(name, initial_loss, expected):
    method = methods[name]
    lam, initial = torch.tensor(2.0, dtype=torch.float64), torch.tensor(initial_loss, dtype=torch.float64)
    theta, alpha = method.step(opening_point(), method.step_sizes(lam, initial))
    assert (round(float(theta), 5), round(float(alpha), 5)) == expected


@every_method
def test_model_agrees_with_the_objective_where_it_is_built(method, rng):
    at, _ = random_points(losses["huber"], 40, 3, rng)
    objective = at.alpha + (at.loss - at.alpha).clamp(min=0) / (1 - at.beta)
    torch.testing.assert_close(method.model(at.theta, at.alpha, at), objective, rtol=1e-12, atol=1e-12)


@every_method
@every_loss
def test_the_model_is_below_the_objective_of_a_convex_loss(method, loss, rng):
    at, _ = random_points(loss, 400, 3, rng)
    x = torch.randn(400, 3, dtype=torch.float64, generator=rng)
    y = torch.sign(x[:, 0]) if loss.task == "classification" else 2 * x[:, 1]
    at = linearise(loss, at.theta, at.alpha, x, y, at.beta)
    for radius in (1e-2, 1.0, 30.0):
        theta = at.theta + radius * torch.randn(at.theta.shape, dtype=torch.float64, generator=rng)
        alpha = at.alpha + radius * torch.randn(at.alpha.shape, dtype=torch.float64, generator=rng)
        objective = alpha + (loss.value((theta * x).sum(-1), y) - alpha).clamp(min=0) / (1 - at.beta)
        assert bool((method.model(theta, alpha, at) <= objective + 1e-10 * (1 + objective.abs())).all())


@every_loss
def test_truncated_sgm_takes_a_share_of_sgms_step_and_all_of_it_where_nothing_is_cut_off(loss, rng):
    at, sizes = random_points(loss, 400, 4, rng)
    sgms, ours = (methods[name].step(at, sizes) for name in ("sgm", "sgm-t"))
    plane = sgm.model(*sgms, at)
    whole = plane >= 1e-9
    cut = plane <= -1e-9
    assert min(int(whole.sum()), int(cut.sum())) > 40, "both have to come up"
    torch.testing.assert_close(ours.theta[whole], sgms.theta[whole], rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(ours.alpha[whole], sgms.alpha[whole], rtol=1e-12, atol=1e-12)
    reached = sgm.model(*ours, at)
    scale = 1 + at.alpha.abs() + at.loss + (sizes.theta * (at.v**2).sum(-1)) / (1 - at.beta) ** 2 + sizes.alpha
    assert bool((reached[cut].abs() <= 1e-12 * scale[cut] / (1 - at.beta)).all()), "a step that is cut ends at 0"
    way, whole_way = (torch.cat([p.theta - at.theta, (p.alpha - at.alpha)[:, None]], 1) for p in (ours, sgms))
    torch.testing.assert_close(way * whole_way.norm(dim=1)[:, None], whole_way * way.norm(dim=1)[:, None])


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("alpha", [-5.0, -1e-300, 0.0, 1e-300, 2.0, 1e300])
@pytest.mark.parametrize("loss", [0.0, 1e-300, 2.0, 1e300])
@pytest.mark.parametrize("slope", [0.0, 1e-160, 1.0, 1e150])
def test_truncated_sgm_stays_finite_at_the_extremes(beta, alpha, loss, slope):
    numbers = {"theta": [0.0], "alpha": alpha, "loss": loss, "v": [slope]}
    at = Linearisation(**{name: torch.tensor(each, dtype=torch.float64) for name, each in numbers.items()}, beta=beta)
    lam = torch.tensor(1.0, dtype=torch.float64)
    theta, after = methods["sgm-t"].step(at, StepSizes(lam, lam))
    assert bool(torch.isfinite(theta).all())
    assert bool(torch.isfinite(after))
    g, k = methods["sgm-t"].weight(loss, slope * slope, alpha, 1.0, 1 / (1 - beta), 1.0)
    assert 0 <= k <= 1
    assert 0 <= g <= 1 / (1 - beta)
    if alpha >= loss:
        assert float(theta) == 0
        assert float(after) == pytest.approx(max(alpha - 1, 0), abs=1e-15)


def test_theorem_constants_at_the_papers_level():
    start = Distances(1.0, 1.0, torch.ones(3, dtype=torch.float64))
    lam = torch.tensor(1.0, dtype=torch.float64)
    sizes = StepSizes(lam, lam)
    sgm, plus = (methods[name].bound(start, sizes, 0.95, 100) for name in ("sgm", "spl+"))
    assert float(sgm) == pytest.approx((1 + 801) / 10)
    assert float(plus) == pytest.approx((1 + 800) / 10)
    assert float(sharp_bound(start, sizes, 0.95, 100)) < float(plus)
