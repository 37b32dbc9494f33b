"""Claims about the preview of the noise: every noise has a shape that can be seen, whatever its parameters."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import ProblemSpec, figures
from cvar_core.catalogue import noises

SIZES = st.sampled_from([5e-324, 1e-300, 1e-12, 1e-6, 0.01, 0.3, 1.0, 30.0, 700.0, 1e6])


@st.composite
def any_noise(draw) -> ProblemSpec:
    noise = noises[draw(st.sampled_from(noises.names()))]
    sign = st.sampled_from([1.0, -1.0])
    values = {
        name: draw(SIZES) * (1.0 if name in noise.positive else draw(sign))
        for name in noise.parameters
        if draw(st.booleans())
    }
    return ProblemSpec(noise=noise.name, noise_params=values)


@given(any_noise())
def test_whatever_the_parameters_the_shape_is_finite_and_on_the_chart(problem):
    figure = figures.density(problem)
    json.dumps(figure, allow_nan=False)
    (outline,) = figure["data"]
    axis = figure["layout"]["xaxis"]
    low, high = axis["range"]
    assert low < high
    assert outline["x"] == sorted(outline["x"])
    assert all(low <= tick <= high for tick in axis["tickvals"])
    assert len(set(axis["ticktext"])) == len(axis["tickvals"])
    if outline["x"]:
        assert all(0 <= height <= 1 for height in outline["y"])
        assert max(outline["y"]) > 0.5
        assert axis["tickvals"]
    else:
        assert [one["text"] for one in figure["layout"]["annotations"]] == ["too large to draw"]


@pytest.mark.parametrize("name", noises.names())
def test_the_shape_is_the_density_of_nearly_all_the_noise(name):
    problem = ProblemSpec(noise=name)
    (outline,) = figures.density(problem)["data"]
    x, y = np.array(outline["x"]), np.array(outline["y"])
    heights = noises[name].density(x, problem.noise_params)
    assert y == pytest.approx(heights / heights.max())
    assert 0.95 < np.trapezoid(heights, x) <= 1.001
    assert np.count_nonzero(y > 0.5) > 5, "a peak, not a needle"
    draws = noises[name].sample(np.random.default_rng(1), 10_000, problem.noise_params)
    assert x[0] < np.quantile(draws, 0.02) < np.quantile(draws, 0.96) < x[-1]


def test_a_peak_is_cut_where_nothing_else_would_be_seen():
    (outline,) = figures.density(ProblemSpec(noise="lognormal", noise_params={"sigma": 30.0}))["data"]
    heights = np.array(outline["y"])
    assert heights.max() == 1
    assert np.count_nonzero((heights > 0.02) & (heights < 1)) > 5


def test_noise_of_one_value_is_a_needle_at_it():
    (outline,) = figures.density(ProblemSpec(noise="normal", noise_params={"mean": 3.0, "std": 1e-300}))["data"]
    assert outline["x"][1] == 3.0
    assert outline["y"] == [0, 1, 0]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_preview_is_quiet_and_fits_a_sidebar(theme):
    from plotly.graph_objects import Figure

    figure = figures.density(ProblemSpec(), theme=theme)
    Figure(figure)
    layout = figure["layout"]
    assert layout["height"] <= 110
    assert not layout["yaxis"]["visible"]
    assert 2 <= len(layout["xaxis"]["tickvals"]) <= 4
    assert figure["data"][0]["line"]["color"] == figures.theme_named(theme).quiet
    assert figure["data"][0]["hoverinfo"] == "skip"
    assert figure == figures.density(ProblemSpec(), theme=theme), "the same draws each time"


def test_data_have_no_density():
    with pytest.raises(ValueError, match="made from data"):
        figures.density(ProblemSpec(data="digest", sample_size=3))


@pytest.mark.parametrize(
    ("noise", "params"), [("lognormal", {"mean": 1e6}), ("student", {"df": 5e-324}), ("student", {"df": 1e-300})]
)
def test_noise_beyond_all_numbers_is_said_to_be_so(noise, params):
    figure = figures.density(ProblemSpec(noise=noise, noise_params=params))
    assert figure["data"][0]["x"] == figure["layout"]["xaxis"]["tickvals"] == []
    assert figure["layout"]["annotations"][0]["text"] == "too large to draw"
