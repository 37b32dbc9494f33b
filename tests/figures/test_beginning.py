"""Before F* is known: axes at once, and curves as soon as there is a start of every method to draw."""

import json

import numpy as np
import pytest

from cvar_core import figures
from cvar_core.results import Early
from tests.figures.results import made, trace


def early(*records: list[int]) -> Early:
    """Return a sweep of which each method's seeds have so many records; none has the same objective as another."""
    recorded = np.array(records)
    numbers = np.random.default_rng(3).permuted(np.linspace(1, 2, 3 * 3 * 4 * 5)).reshape(3, 3, 4, 5)
    numbers[np.arange(4) >= recorded[:, :, None]] = np.nan
    return Early(made(numbers).spec, numbers, recorded)


@pytest.mark.parametrize("records", [([0, 0, 0], [0, 0, 0], [0, 0, 0]), ([4, 4, 4], [2, 0, 0], [1, 1, 1])])
def test_there_are_axes_before_every_method_has_begun(records):
    known = early(*records)
    for figure in figures.beginning(known.spec, known):
        json.dumps(figure, allow_nan=False)
        assert figure["layout"]["title"]["text"] == "The runs are starting"
        assert not figure["layout"]["yaxis"]["showticklabels"]
        assert figure["layout"]["annotations"][-1]["text"].startswith("Each method takes its first steps.")
        assert all(not one["x"] for one in figure["data"])


def test_a_method_is_drawn_by_the_seeds_that_have_begun():
    known = early([2, 0, 1], [3, 2, 0], [4, 4, 4])
    by_lambda, along = figures.beginning(known.spec, known)
    assert not by_lambda["layout"]["annotations"]
    rows = {"sgm": ([0], 1), "spl": ([0, 1], 1), "spl+": ([0, 1, 2], 3)}  # the seeds, and the last record of them all
    for m, (name, (seeds, last)) in enumerate(rows.items()):
        expected = np.median(known.objectives[m, seeds, last], axis=0)
        np.testing.assert_allclose(trace(by_lambda, f"{name}-median")["y"], expected, rtol=1e-9)
        curve = trace(along, f"{name}-median")
        best = known.objectives[m, seeds, 1 : last + 1, np.argmin(expected)]
        np.testing.assert_allclose(curve["y"], np.median(best, axis=0), rtol=1e-9)
        assert curve["x"] == list(known.checkpoints[1 : last + 1])
