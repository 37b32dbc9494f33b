"""Claims about pinned runs: units, grids and methods may differ, and the difference is said in decades."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
import torch

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec, figures
from cvar_core.figures.ghosts import MOST_PINNED, Pinned, haunt_curves, haunt_sensitivity, told
from cvar_core.results import Criterion
from pages.components.drawing.differences import difference, differences
from tests.figures.results import trace

NAN = math.nan


def made(finals, names=("spl", "spl+"), first=-2, start=100.0, running=False, beta=0.95) -> Result:
    """A result that ends at ``finals``, shape (methods, lambdas), one seed, λ by decades from 10^first."""
    ends = np.array(finals, dtype=float)[:, None, :]
    grid = tuple(10.0 ** (first + k) for k in range(ends.shape[2]))
    spec = SweepSpec(ProblemSpec(beta=beta), names, grid, 100, 1, checkpoints=2)
    objectives = np.stack([np.full_like(ends, start), ends, np.full_like(ends, NAN) if running else ends], axis=2)
    best, done = Optimum(0.0, torch.zeros(1), 0.0, None), np.full((len(names), 1), 3 - running)
    return Result(spec, best, objectives, done, {"risk": 0.5 * objectives})


A = made([[100, 9, 1, 50], [50, 1, 0.5, NAN]])
B = made([[1e5, 2e3, 2e3, 9e4, NAN], [9e4, 1e3, 1e3, 1e3, 9e4]], first=-4, start=1e5, beta=0.9)


def haunted(shown: Result, *others: Result, by: Criterion | None = None) -> tuple[figures.Figure, figures.Figure]:
    by, pinned = by or Criterion(), [Pinned(f"run {k}", each) for k, each in enumerate(others)]
    left, right = figures.sensitivity(shown, by=by), figures.curves(shown, measure=by.measure)
    haunt_sensitivity(left, shown, pinned, by)
    haunt_curves(right, shown, pinned, by.measure, None)
    for figure in (left, right):
        json.dumps(figure, allow_nan=False)
    return left, right


def test_on_another_problem_a_ghost_is_in_shares_of_its_own_start():
    left, right = haunted(A, B)
    assert trace(left, "spl-pinned-0")["y"] == pytest.approx([50, 1, 1, 45, None])
    assert trace(left, "spl-pinned-0")["x"] == list(B.spec.lambdas)
    assert trace(right, "spl+-pinned-0")["y"][-1] == pytest.approx(0.5)
    alike = haunted(A, dataclasses.replace(A, objectives=2 * A.objectives, beside={"risk": 2 * A.risks}))[0]
    assert trace(alike, "spl-pinned-0")["y"][1] == 9, "on the same problem it is as it was measured"


def test_a_ghost_raises_no_axis_and_is_under_the_run_itself():
    plain, (left, _) = figures.sensitivity(A), haunted(A, B, A)
    assert left["layout"] == plain["layout"]
    low, high = plain["layout"]["yaxis"]["range"]
    deeper, _ = haunted(A, made([[1e9, 0.01, 0.01, 50]], ["spl"]))
    assert deeper["layout"]["yaxis"]["range"] == pytest.approx([math.log10(0.0025), high])
    assert haunted(A, made([[1e-9] * 4], ["spl"]))[0]["layout"]["yaxis"]["range"] == pytest.approx([low - 3, high])
    places = {one["uid"]: k for k, one in enumerate(left["data"])}
    assert max(places["spl-pinned-0"], places["spl+-pinned-1"]) < places["spl-median"]
    assert len(places) == len(left["data"])


def test_ghosts_have_their_methods_colours_and_each_run_its_own_stroke():
    left, _ = haunted(A, A, B)
    for name in ("spl", "spl+"):
        first, second = trace(left, f"{name}-pinned-0"), trace(left, f"{name}-pinned-1")
        assert first["line"]["color"] == second["line"]["color"] == figures.translucent(figures.style(name).colour, 0.5)
        assert first["line"]["dash"] != second["line"]["dash"]
        assert first["legendgroup"] == name, "who hides a method hides its ghosts"
        assert "meta" not in first, "a ghost cannot be clicked"
    named = [one["name"] for one in left["data"] if one.get("showlegend", True)]
    assert named[-2:] == ["run 0", "run 1"]
    assert told(A, [Pinned("first", A), Pinned("second", B)]).startswith("Pale: first (dotted), second (dashed); on an")


def test_what_has_not_begun_or_is_one_too_many_is_left_out():
    nothing = np.full_like(B.objectives, NAN)
    waiting = dataclasses.replace(B, objectives=nothing, beside={"risk": nothing}, recorded=np.zeros((2, 1), dtype=int))
    left, right = haunted(A, waiting, *[A] * MOST_PINNED)
    drawn = {one["uid"] for figure in (left, right) for one in figure["data"] if "-pinned-" in one["uid"]}
    assert {uid[-1] for uid in drawn} == {"1", "2", "3"}
    haunted(waiting, A)


def test_a_name_has_no_power_over_chart_or_card():
    bad = Pinned("<a href='//x'>b</a>", A)
    figure = figures.sensitivity(A)
    haunt_sensitivity(figure, A, [bad], Criterion())
    assert all("<a" not in one["name"] for one in figure["data"])
    assert "<a" not in differences(A.judged(Criterion()), "spl", [bad])


@pytest.mark.parametrize(
    ("here", "there", "words"),
    [
        (made([[100, 1, 1, 100]], ["spl"]), made([[100, 1, 100]], ["spl"]), "+1.0 decade against"),
        (made([[100, 1, 100]], ["spl"]), made([[100, 1, 1, 1, 100]], ["spl"]), "−2.0 decades against"),
        (made([[100, 1, 1]], ["spl"]), made([[100, 1, 100]], ["spl"]), "≥ +0.5 decades against"),
        (made([[100, 1, 100]], ["spl"]), made([[100, 1, 1]], ["spl"]), "≤ −0.5 decades against"),
        (made([[1, 1]], ["spl"]), made([[1, 1, 1]], ["spl"]), "about −1.0 decade against"),
        (made([[100, 1, 100]], ["spl"]), made([[100, 1, 100]], ["spl"]), "as many decades as"),
        (made([[100, 1, 100]], ["spl"]), made([[99, 99]], ["spl"]), "none in"),
        (made([[99, 99]], ["spl"]), made([[100, 1, 100]], ["spl"]), "1.0 in"),
        (made([[100, 1, 100]], ["spl"]), made([[100, 1, 100]], ["sgm"]), "not run in"),
    ],
)
def test_the_difference_is_said_in_decades(here, there, words):
    assert difference(here.judged(Criterion()), there.judged(Criterion()), "spl") == words


def test_runs_are_compared_by_one_measure():
    best = A.objectives.copy()
    best[0, :, 1:, 0] = 0.5  # the model is fine at the first λ too
    other = dataclasses.replace(A, beside={"risk": best})
    risk, objective = (haunted(A, other, by=Criterion(each))[0] for each in ("risk", "objective"))
    assert trace(risk, "spl-pinned-0")["y"][0] == pytest.approx(0.5)
    assert trace(objective, "spl-pinned-0")["y"][0] == pytest.approx(100)
