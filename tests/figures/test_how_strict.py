"""Claims about the curve of decades against the share that has to be closed."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from plotly.graph_objects import Figure

from cvar_core import figures
from cvar_core.results import Criterion
from cvar_core.results.strictness import decades_by_share
from tests.figures.results import METHODS, OBJECTIVE, gently, made, trace

SHARES = (0.5, 0.8, 0.9, 0.99, 0.9999)


@given(
    hnp.arrays(float, (2, 3, 5), elements=st.floats(1e-3, 1e3) | st.sampled_from([math.nan, 0.0, -1e-12, 1e160, 10.0])),
)
def test_it_says_for_every_share_what_the_verdict_says(ends):
    gaps = gently(names=2)
    gaps[:, :, -1] = ends
    result = made(gaps)
    json.dumps(figures.how_strict(result, by=OBJECTIVE), allow_nan=False)
    by_share = decades_by_share(result.judged(OBJECTIVE), SHARES)
    for k, share in enumerate(SHARES):
        forgiven = result.judged(Criterion("objective", share)).forgiven
        assert by_share[:, k] == pytest.approx([each.decades or 0.0 for each in forgiven.values()], abs=1e-9)


def test_the_curves_run_from_lenient_to_strict_and_the_share_is_marked(real):
    figure = figures.how_strict(real, by=Criterion("objective", 0.95))
    Figure(figure)  # plotly knows every property
    start, end = figure["layout"]["xaxis"]["range"]
    assert start > end
    for name in METHODS:
        line = trace(figure, f"{name}-median")
        assert (np.diff(line["y"]) <= 1e-9).all()
        assert line["x"][0] == pytest.approx(0.5)
    (mark,) = (one for one in figure["layout"]["shapes"] if one.get("name") == "mark")
    assert mark["x0"] == pytest.approx(0.05)
    assert [one["text"] for one in figure["layout"]["annotations"]] == ["usable: 95%"]


def test_its_title_is_the_most_that_some_step_size_closes():
    gaps = gently(names=2, seeds=1)
    gaps[0, 0, -1] = 0.2  # of 100
    gaps[1, 0, -1] = 30
    words = figures.without_title(figures.how_strict(made(gaps), by=OBJECTIVE))[1]
    assert words == "The most that some λ closes: SGM 99.80%, SPL 70%"
    gaps[:, :, 1:] = 90
    none = figures.without_title(figures.how_strict(made(gaps), by=OBJECTIVE))[1]
    assert none == "No λ of this grid closes half of the gap"
