"""Every noise's sampler and density belong together."""

import numpy as np
import pytest
from scipy import integrate, stats

from cvar_core.catalogue import noises


@pytest.mark.parametrize("noise", noises, ids=lambda noise: noise.name)
def test_samples_follow_the_density(noise):
    draws = noise.sample(np.random.default_rng(3), 20_000, noise.parameters)
    low, high = np.quantile(draws, [0.1, 0.9])
    share, _ = integrate.quad(lambda z: float(noise.density(np.array(z), noise.parameters)), low, high)
    assert share == pytest.approx(0.8, abs=0.012)  # four standard errors


@pytest.mark.parametrize(
    ("name", "parameters", "law"),
    [
        ("normal", {"mean": 1.0, "std": 2.0}, stats.norm(1, 2)),
        ("gumbel", {"loc": -1.0, "scale": 4.0}, stats.gumbel_r(-1, 4)),
        ("lognormal", {"mean": 2.0, "sigma": 0.5}, stats.lognorm(0.5, scale=np.exp(2))),
        ("student", {"df": 3.0, "scale": 2.0}, stats.t(3, scale=2)),
        ("pareto", {"shape": 3.0, "scale": 4.0}, stats.lomax(3, scale=4)),
    ],
)
def test_density_is_the_named_law(name, parameters, law):
    z = np.linspace(-30, 60, 500)
    np.testing.assert_allclose(noises[name].density(z, parameters), law.pdf(z), rtol=1e-9, atol=1e-300)
    draws = noises[name].sample(np.random.default_rng(5), 5_000, parameters)
    assert stats.kstest(draws, law.cdf).pvalue > 1e-3
