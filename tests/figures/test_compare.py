"""Claims about the chart of two sweeps: units, grids and methods may differ, and each point says whose it is."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
import torch

from cvar_core import Optimum, ProblemSpec, Result, SpecError, SweepSpec, figures
from cvar_core.results import MEASURES, Criterion
from tests.figures.results import trace

NAN = math.nan


def made(finals, names=("spl", "spl+"), first=-2, start=100.0, running=False, model=0.5) -> Result:
    """A result that ends at ``finals``, shape (methods, lambdas), one seed, λ by decades from 10^first."""
    ends = np.array(finals, dtype=float)[:, None, :]
    grid = tuple(10.0 ** (first + k) for k in range(ends.shape[2]))
    spec = SweepSpec(ProblemSpec(), names, grid, 100, 1, checkpoints=2)
    objectives = np.stack([np.full_like(ends, start), ends, np.full_like(ends, NAN) if running else ends], axis=2)
    best, done = Optimum(0.0, torch.zeros(1), 0.0, None), np.full((len(names), 1), 3 - running)
    return Result(spec, best, objectives, done, {"risk": model * objectives})


A = made([[100, 9, 1, 50], [50, 1, 0.5, NAN]])
B = made([[1e5, 2e3, 2e3, 9e4, NAN], [9e4, 1e3, 1e3, 1e3, 9e4]], first=-4, start=1e5)


def title(figure) -> str:
    return figure["layout"]["title"]["text"].replace("<br>", " ")


def test_each_sweep_is_measured_by_its_own_start():
    figure = figures.compare(A, B, ("A", "B"))
    assert trace(figure, "spl-median")["y"] == pytest.approx([1, 0.09, 0.01, 0.5])
    assert trace(figure, "spl-second-median")["y"][:4] == pytest.approx([1, 0.02, 0.02, 0.9])
    assert trace(figure, "spl-second-median")["x"] == list(B.spec.lambdas)
    low, high = figure["layout"]["xaxis"]["range"]
    assert low < -4 < 1 < high
    (level,) = [one for one in figure["layout"]["shapes"] if one["type"] == "line"]
    assert level["y0"] == pytest.approx(0.1)
    unit = dataclasses.replace(A, objectives=2.0**40 * A.objectives, beside={"risk": 2.0**40 * A.risks})
    assert json.dumps(figures.compare(unit, B, ("A", "B"))["data"]) == json.dumps(figure["data"])


def test_one_colour_per_method_and_one_way_of_drawing_per_sweep():
    figure = figures.compare(A, B, ("A", "B"))
    for name in ("spl", "spl+"):
        look = figures.style(name)
        mine, other = trace(figure, f"{name}-median"), trace(figure, f"{name}-second-median")
        assert mine["marker"] == {"color": look.colour, "symbol": look.marker, "size": 9}
        assert other["marker"]["symbol"] == f"{look.marker}-open"
        assert mine["marker"]["color"] == other["marker"]["color"] == look.colour
        assert other["line"]["width"] < mine["line"]["width"]
        assert other["line"]["color"] == figures.translucent(look.colour, 0.65)
        assert mine["legendgroup"] == other["legendgroup"] == name
    assert not any(one["uid"].endswith("band") for one in figure["data"])


def test_the_legend_names_method_and_sweep():
    figure = figures.compare(A, B, ("this run", "the other"))
    shown = [one["name"] for one in figure["data"] if one.get("showlegend", True)]
    assert shown == [
        "SPL · this run", "SPL₊ · this run", "SPL · the other", "SPL₊ · the other", "diverged or off the chart",
    ]  # fmt: skip
    assert len({one["uid"] for one in figure["data"]}) == len(figure["data"])


def test_triangles_of_two_sweeps_do_not_lie_on_each_other():
    both = made([[1, NAN], [1, NAN]])
    figure = figures.compare(both, both, ("A", "B"))
    rows = [one["y"][0] for one in figure["data"] if one["uid"].endswith("-triangles")]
    assert len(set(rows)) == 4
    low, high = figure["layout"]["yaxis2"]["range"]
    assert low < min(rows) < max(rows) < high


def test_a_sweep_compared_with_itself_is_still_two():
    figure = figures.compare(A, A, ("A", "B"))
    assert {one["uid"] for one in figure["data"]} >= {"spl-median", "spl-second-median"}


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (A, B, "SPL₊ forgives 1.6 decades in A and 3.0 in B"),
        (A, made([[1, 1], [100, 100]]), "SPL forgives 1.6 decades in A and ≥ 1.0 in B"),
        (made([[100, 100]], ["spl"]), made([[1, 1]], ["spl"]), "SPL forgives no λ in A and ≥ 1.0 decades in B"),
        (made([[1, 100]], ["spl"]), made([[99, 99]], ["spl"]), "SPL forgives ≥ 0.5 decades in A and none in B"),
        (made([[99, 99]], ["spl"]), made([[99, 99]], ["spl"]), "No λ is usable for SPL, in A or in B"),
        (made([[99], [99]]), made([[99], [99]]), "No λ is usable for a method of both, in A or in B"),
        (made([[1, 1]], ["sgm"]), made([[1, 99]], ["spl"]),
         "SGM forgives ≥ 1.0 decades in A, SPL forgives ≥ 0.5 decades in B"),
        (made([[1, 1]], ["spl"], running=True), made([[99, 99]], ["spl"]),
         "So far: SPL forgives ≥ 1.0 decades in A and none in B"),
    ],
)  # fmt: skip
def test_the_title_is_what_the_most_forgiving_shared_method_forgives(first, second, words):
    assert title(figures.compare(first, second, ("A", "B"))) == words


def test_a_sweep_that_is_starting_is_said_to_be():
    nothing = np.full_like(B.objectives, NAN)
    waiting = dataclasses.replace(B, objectives=nothing, beside={"risk": nothing}, recorded=np.zeros((2, 1), dtype=int))
    figure = figures.compare(waiting, A, ("A", "B"))
    json.dumps(figure, allow_nan=False)
    assert title(figure) == "So far: SPL forgives 1.6 decades in B, A is starting"
    assert {one["meta"] for one in figure["data"] if "meta" in one} == {"spl", "spl+"}


def test_a_share_too_large_for_a_number_is_off_the_chart():
    wild = made([[1e-9, 1e300]], ["spl"], start=1e-9)
    figure = figures.compare(wild, wild, ("A", "B"))
    json.dumps(figure, allow_nan=False)
    assert trace(figure, "spl-median")["y"][1] is None
    assert trace(figure, "spl-triangles")["x"] == [wild.spec.lambdas[1]]


def test_what_counts_as_usable_can_be_asked_for():
    stricter = figures.compare(A, B, ("A", "B"), by=Criterion(closed=0.985))
    assert title(stricter) != title(figures.compare(A, B, ("A", "B")))
    assert "ε = 0.015" in [one["text"] for one in stricter["layout"]["annotations"]]
    with pytest.raises(SpecError, match="between 0 and 1"):
        figures.compare(A, B, ("A", "B"), by=Criterion(closed=1.0))


def test_two_sweeps_are_compared_by_one_measure():
    best = A.objectives.copy()
    best[0, :, 1:, 0] = 0.5  # the model is fine at the first λ too
    other = dataclasses.replace(A, beside={"risk": best})
    by_risk, by_objective = (figures.compare(other, B, ("A", "B"), by=Criterion(each)) for each in MEASURES)
    assert trace(by_risk, "spl-median")["y"][0] == pytest.approx(0.005)
    assert trace(by_objective, "spl-median")["y"][0] == pytest.approx(1)
    titles = [each["layout"]["yaxis"]["title"]["text"] for each in (by_risk, by_objective)]
    assert titles == ["share of the excess risk of the model left", "share of the suboptimality left"]
