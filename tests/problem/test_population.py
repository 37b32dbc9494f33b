"""The population's excess risk against closed forms, brute force and the laws that it obeys."""

import itertools
import math
import pickle

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from cvar_core import ProblemSpec
from cvar_core.catalogue import Loss, Noise, losses, noises
from cvar_core.problem import cvar, var
from cvar_core.problem.population import population_risk

REGRESSION = [loss.name for loss in losses if loss.task == "regression"]
NOISES = noises.names()


def excess(spec, *distances):
    risk = population_risk(spec)
    assert risk is not None
    return risk.excess(torch.tensor(distances, dtype=torch.float64)).numpy()


def coordinates(rng, dim, count):
    """Return the first coordinates of points that are uniform on the sphere."""
    own = rng.standard_normal(count)
    return own / np.sqrt(own**2 + (rng.chisquare(dim - 1, count) if dim > 1 else 0.0))


@pytest.fixture
def quartic():
    """A loss whose slope is no line anywhere."""
    entry = losses.add(Loss("quartic", "¼ r⁴", "regression", lambda p, y: (p - y) ** 4 / 4, lambda p, y: (p - y) ** 3))
    yield entry
    losses.remove("quartic")


@pytest.fixture
def insensitive():
    """A loss with a flat bottom: its slope jumps away from 0."""
    entry = losses.add(
        Loss(
            "insensitive", "max(|r| − 0.3, 0)", "regression",
            lambda p, y: ((p - y).abs() - 0.3).clamp(min=0),
            lambda p, y: torch.sign(p - y) * ((p - y).abs() > 0.3),
        )
    )  # fmt: skip
    yield entry
    losses.remove("insensitive")


@pytest.fixture
def exponential():
    """A noise whose density jumps."""
    entry = noises.add(
        Noise(
            "exponential", "Exponential(scale)", {"scale": 1.0}, frozenset({"scale"}),
            lambda rng, n, q: rng.exponential(q["scale"], n),
            lambda z, q: np.where(z >= 0, np.exp(-np.maximum(z, 0) / q["scale"]) / q["scale"], 0.0),
        )
    )  # fmt: skip
    yield entry
    noises.remove("exponential")


# The tables of the paper's problems are built from these; six digits are known.
@pytest.mark.parametrize(
    ("loss", "noise", "value"),
    [
        ("absolute", "normal", 4.6756),
        ("squared", "normal", 11.1640),
        ("absolute", "gumbel", 15.9322),
        ("squared", "gumbel", 135.020),
        ("absolute", "lognormal", 63.2298),
        ("squared", "lognormal", 2576.94),
    ],
)
def test_the_optimum_of_the_paper_s_populations(loss, noise, value):
    assert population_risk(ProblemSpec(loss, noise)).value == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.95, 0.9999])
def test_the_optimum_under_normal_noise_has_closed_forms(beta):
    std, tail = 1.7, 1 - beta
    q = stats.norm.ppf(1 - tail / 2)
    params = {"mean": 0.0, "std": std}
    absolute = population_risk(ProblemSpec("absolute", "normal", beta, noise_params=params)).value
    squared = population_risk(ProblemSpec("squared", "normal", beta, noise_params=params)).value
    assert absolute == pytest.approx(std * 2 * stats.norm.pdf(q) / tail, rel=1e-10)
    assert squared == pytest.approx(std**2 / 2 * (1 + 2 * q * stats.norm.pdf(q) / tail), rel=1e-10)


@pytest.mark.parametrize("df", [2.01, 3.0, 30.0])
def test_the_optimum_under_a_power_s_tail_has_a_closed_form(df):
    spec = ProblemSpec("squared", "student", 0.0, noise_params={"df": df, "scale": 1.0})
    assert population_risk(spec).value == pytest.approx(df / (df - 2) / 2, rel=1e-6)


@pytest.mark.parametrize("dim", [1, 2, 3000])
@pytest.mark.parametrize("noise", NOISES)
def test_the_mean_of_squares_grows_with_the_square_of_the_distance(noise, dim):
    spec = ProblemSpec("squared", noise, 0.0, dim)
    distances = np.geomspace(1e-12, 1e150, 200)
    np.testing.assert_allclose(excess(spec, *distances), distances**2 / (2 * dim), rtol=1e-8)


@pytest.mark.parametrize("beta", [0.5, 0.95])
@pytest.mark.parametrize(("loss", "noise"), list(itertools.product(REGRESSION, NOISES)))
def test_brute_force_agrees(loss, noise, beta):
    count, dim = 50_000, 4
    rng = np.random.default_rng(5)
    drawn = torch.from_numpy(noises[noise].sample(rng, count, noises[noise].parameters))
    u = torch.from_numpy(coordinates(rng, dim, count))
    for delta, found in zip((2.0, 40.0), excess(ProblemSpec(loss, noise, beta, dim), 2.0, 40.0), strict=True):
        # ±u makes the mean of u 0, and the same ζ serve both sides: what is left of chance is little.
        at = torch.cat([losses[loss].value(sign * delta * u, drawn) for sign in (-1, 1)])
        none = losses[loss].value(torch.zeros_like(drawn), drawn)
        level, level_at_none = var(at, beta), var(none, beta)
        above = (at - level).clamp(min=0).view(2, -1).mean(0) - (none - level_at_none).clamp(min=0)
        expected = level - level_at_none + float(above.mean()) / (1 - beta)
        error = float(above.std()) / math.sqrt(count) / (1 - beta)
        assert abs(found - expected) < 4.5 * error
        assert error < 0.5 * found, "or the comparison says little"


@pytest.mark.parametrize("loss", ["absolute", "squared"])
@pytest.mark.parametrize("delta", [0.7, 5.0])
def test_one_dimension_has_two_features(loss, delta):
    """|ζ ± δ| of normal noise: its tail is known, and CVaR is an integral over one variable."""
    beta, law = 0.9, stats.norm(0, 2)

    def tail(s):
        return sum(law.sf(s + sign * delta) for sign in (-1, 1))  # ζ and −ζ are alike

    def risk(tail):
        from scipy.optimize import brentq

        level = brentq(lambda s: tail(s) - (1 - beta), 0, 100, xtol=1e-14)
        slope, value = (lambda s: s, level**2 / 2) if loss == "squared" else (lambda s: 1.0, level)
        return value + integrate.quad(lambda s: slope(s) * tail(s), level, 60, epsabs=1e-13)[0] / (1 - beta)

    expected = risk(tail) - risk(lambda s: 2 * law.sf(s))
    assert excess(ProblemSpec(loss, "normal", beta, dim=1), delta)[0] == pytest.approx(expected, rel=1e-9)


def test_two_dimensions_have_an_arcsine_feature():
    """Without a tail to look for, E|ζ + δu| − E|ζ| is the mean over an angle of a closed form."""
    delta, std = 3.0, 2.0

    def mean(shift):  # of |ζ + shift|
        return 2 * std * stats.norm.pdf(shift / std) + shift * (1 - 2 * stats.norm.cdf(-shift / std))

    averaged = integrate.quad(lambda angle: mean(delta * math.cos(angle)), 0, math.pi, epsabs=1e-13)[0] / math.pi
    found = excess(ProblemSpec("absolute", "normal", 0.0, dim=2), delta)[0]
    assert found == pytest.approx(averaged - mean(0.0), rel=1e-9)


@pytest.mark.parametrize("noise", ["normal", "student"])
@pytest.mark.parametrize("loss", REGRESSION)
def test_a_long_way_off_the_noise_does_not_matter(loss, noise):
    """In three dimensions u is uniform, so that CVaR of φ(δu) is a mean over evenly spaced u."""
    beta, delta, count = 0.95, 1e9, 400_000
    u = (torch.arange(count, dtype=torch.float64) + 0.5) * 2 / count - 1
    value = cvar(losses[loss].value(delta * u, torch.zeros_like(u)), beta)
    assert excess(ProblemSpec(loss, noise, beta, dim=3), delta)[0] == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize(("dim", "beta", "noise"), [
    (1, 0.5, "gumbel"), (2, 0.95, "student"), (10, 0.0, "gumbel"), (3, 0.1, "lognormal"), (10, 0.99999, "normal"),
])  # fmt: skip
@pytest.mark.parametrize("loss", REGRESSION)
def test_the_excess_is_zero_at_zero_and_increasing_and_convex(loss, noise, dim, beta):
    distances = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 150)])
    risk = excess(ProblemSpec(loss, noise, beta, dim), *distances)
    assert risk[0] == 0.0
    slopes = np.diff(risk) / np.diff(distances)
    assert (slopes > 0).all()
    assert (np.diff(slopes) >= -1e-7 * slopes[1:]).all()


@pytest.mark.parametrize(("loss", "noise"), list(itertools.product(REGRESSION, NOISES)))
def test_near_the_optimum_the_excess_is_quadratic(loss, noise):
    risk = excess(ProblemSpec(loss, noise), 1e-12, 2e-12, 1e-6, 2e-6, 1e-3, 2e-3)
    assert (risk > 0).all()
    np.testing.assert_allclose(risk[1::2] / risk[::2], 4.0, rtol=1e-6)
    assert risk[2] / risk[0] == pytest.approx(1e12, rel=1e-6)


def test_distances_of_any_shape_and_size():
    risk = population_risk(ProblemSpec())
    distances = torch.tensor([[0.0, 1.0], [1e150, 1e200], [math.inf, math.nan]], dtype=torch.float64)
    found = risk.excess(distances)
    assert found.shape == distances.shape
    assert found.dtype == torch.float64
    assert found[1, 0] > 1e299
    assert torch.isinf(found[1:, :].ravel()[1:3]).all()
    assert torch.isnan(found[2, 1])
    assert risk.excess(torch.tensor(1.0)).shape == ()


def test_the_unit_of_the_target_is_the_unit_of_the_distance():
    """With ζ and δ in another unit, an absolute loss has that unit, and a squared one its square."""
    distances = np.geomspace(1e-3, 1e3, 30)
    for loss, power in (("absolute", 1), ("squared", 2)):
        one = ProblemSpec(loss, "gumbel", 0.8, 5, noise_params={"loc": 1.0, "scale": 2.0})
        other = ProblemSpec(loss, "gumbel", 0.8, 5, noise_params={"loc": 100.0, "scale": 200.0})
        np.testing.assert_allclose(excess(other, *(100 * distances)), 100**power * excess(one, *distances), rtol=1e-7)


def test_many_dimensions_are_a_normal_shift():
    """u → N(0, 1/d): the residual of normal noise is normal, and its CVaR in proportion to its deviation."""
    dim, std = 1_000_000, 2.0
    distances = np.array([1.0, 1e3, 1e5])
    at_zero = population_risk(ProblemSpec("absolute", "normal", 0.95, dim)).value
    expected = at_zero * (np.sqrt(1 + distances**2 / (dim * std**2)) - 1)
    np.testing.assert_allclose(excess(ProblemSpec("absolute", "normal", 0.95, dim), *distances), expected, rtol=1e-5)


def test_there_is_none_for_what_has_no_population_of_its_own():
    assert population_risk(ProblemSpec("logistic", "normal")) is None
    assert population_risk(ProblemSpec("squared", "normal", sample_size=100)) is None
    assert population_risk(ProblemSpec("squared", dim=3, sample_size=10, data="0" * 32)) is None


@pytest.mark.parametrize(
    ("loss", "df", "finite"),
    [
        ("squared", 2.0, False),
        ("squared", 1.5, False),
        ("squared", 2.1, True),
        ("absolute", 1.0, False),
        ("absolute", 1.1, True),
        ("huber", 0.9, False),
        ("huber", 1.5, True),
    ],
)
def test_there_is_none_where_the_risk_is_infinite(loss, df, finite):
    risk = population_risk(ProblemSpec(loss, "student", noise_params={"df": df}))
    assert (risk is not None) == finite
    if risk is not None:
        assert math.isfinite(risk.value)


def test_a_loss_and_a_noise_that_are_added_later(quartic, insensitive, exponential):
    """E (ζ + δu)⁴ − E ζ⁴ = 6δ² Eζ² Eu² + δ⁴ Eu⁴, with Eu² = 1/3 and Eu⁴ = 1/5 in three dimensions."""
    found = excess(ProblemSpec("quartic", "normal", 0.0, dim=3), 1e-3, 1.0, 50.0)
    distances = np.array([1e-3, 1.0, 50.0])
    np.testing.assert_allclose(found, (8 * distances**2 + distances**4 / 5) / 4, rtol=1e-5)
    # Above 0.3 the losses of ζ are those of absolute loss, less 0.3; so is the tail.
    same = [excess(ProblemSpec(loss, "normal", 0.9, dim=3), 0.5, 5.0) for loss in ("insensitive", "absolute")]
    np.testing.assert_allclose(*same, rtol=1e-7)
    flat = excess(ProblemSpec("insensitive", "normal", 0.0, dim=3), 1.0)[0]
    assert flat < excess(ProblemSpec("absolute", "normal", 0.0, dim=3), 1.0)[0]
    # One sign of u at a time, |ζ ± δ| of exponential noise has the mean δ + e^{−δ}, half of it for each.
    jump = excess(ProblemSpec("absolute", "exponential", 0.0, dim=1), 0.5)[0]
    assert jump == pytest.approx((0.5 + 1 + (2 * math.exp(-0.5) - 1 + 0.5)) / 2 - 1, rel=1e-6)


def test_the_table_is_the_same_bits_each_time_and_goes_through_pickle():
    from cvar_core.problem import population

    distances = torch.logspace(-6, 6, 50, dtype=torch.float64)
    risk = population_risk(ProblemSpec())
    assert population_risk(ProblemSpec(seed=3, scale=2.0, eval_size=10)) is risk, "neither of these changes it"
    population._tabulated.cache_clear()
    again = population_risk(ProblemSpec())
    assert again is not risk
    assert torch.equal(again.excess(distances), risk.excess(distances))
    assert torch.equal(pickle.loads(pickle.dumps(risk)).excess(distances), risk.excess(distances))
