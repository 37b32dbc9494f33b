"""Claims about the charts of the atlas: shares are shares, a profile only rises, what diverged is seen."""

import json

import numpy as np
import pytest
from plotly.graph_objects import Figure

from cvar_core.figures import without_title
from cvar_core.figures.lessons.atlas_charts import FURTHEST, problem_curves, profiles, safe_shares
from cvar_core.lessons.atlas import LAMBDAS, METHODS, View
from cvar_core.results import RISK, number
from tests.figures.results import axis_span, trace
from tests.lessons.atlas.toy import SHAPE, at_random, entry, toy


@pytest.fixture(scope="module")
def view():
    return View(at_random(20, 6))


def singles(view):
    return {name: view.shares(name).best for name in METHODS}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_chart_can_be_drawn_whatever_the_verdicts(view, theme):
    nothing = View(toy([entry("a")], np.zeros(SHAPE), np.full((1, *SHAPE), np.inf)))
    for each in (view, nothing):
        drawn = [safe_shares(each, theme=theme), profiles(each, False, theme=theme), profiles(each, True, theme=theme)]
        drawn.append(problem_curves(each.atlas, 0, RISK, singles(each), theme=theme))
        for figure in drawn:
            json.dumps(figure, allow_nan=False)
            Figure(figure)


def test_the_curve_is_the_share_and_the_ring_is_at_the_single_lambda(view):
    figure = safe_shares(view)
    for name in METHODS:
        shares, curve, ring = view.shares(name), trace(figure, f"{name}-median"), trace(figure, f"{name}-single")
        assert curve["y"] == shares.share.tolist()
        assert curve["x"] == list(LAMBDAS)
        assert (ring["x"], ring["y"]) == ([shares.lam], [shares.share[shares.best]])
        assert all(0 <= y <= 1 for y in trace(figure, f"{name}-band")["y"] if y is not None)
    assert "(ours)" in trace(figure, "spl-u-median")["name"]
    assert "(ours)" in trace(figure, "sgm-u-median")["name"]


def test_the_title_has_the_best_single_lambda_of_each_method_and_its_share(view):
    _, title, _ = without_title(safe_shares(view))
    for name in METHODS:
        shares = view.shares(name)
        assert f" {number(shares.lam)}, " in title
        assert f"{shares.share[shares.best]:.0%}" in title


@pytest.mark.parametrize("single", [False, True])
def test_a_profile_rises_to_the_share_of_problems_on_which_the_method_comes_near_the_best(view, single):
    figure = profiles(view, single)
    for m, name in enumerate(METHODS):
        curve, behind = trace(figure, f"{name}-median"), view.behind(single)[:, m]
        assert (np.diff(curve["y"]) >= 0).all()
        assert (np.diff(curve["x"]) >= 0).all()
        assert (curve["x"][0], curve["x"][-1]) == (1, FURTHEST)
        assert curve["y"][-1] == pytest.approx((behind <= FURTHEST).mean())
        assert curve["line"]["shape"] == "hv", "a count is a step function"
        for tau in (1.5, 10.0, 300.0):
            height = max(y for x, y in zip(curve["x"], curve["y"], strict=True) if x <= tau)
            assert height == pytest.approx((behind <= tau).mean())


def test_the_profiles_title_is_what_the_curves_say(view):
    _, title, _ = without_title(profiles(view, False))
    within = sorted(((view.behind(False) <= 2).mean(axis=0)).tolist(), reverse=True)
    assert title.startswith("Each at its own best λ, within a factor of 2 of the best: ")
    assert all(f"on {share:.0%}" in title for share in within[:3])
    assert without_title(profiles(view, True))[1].startswith("With one λ for all problems, ")


def test_a_problem_has_its_starts_medians_and_its_diverged_runs_as_triangles():
    left = np.full((1, *SHAPE), 0.2)
    left[0, METHODS.index("sgm"), -3:] = np.inf
    atlas = toy([entry("a")], np.zeros(SHAPE), left)
    figure = problem_curves(atlas, 0, RISK, singles(View(atlas)))
    assert trace(figure, "spl-median")["y"] == pytest.approx([0.2] * len(LAMBDAS))
    assert trace(figure, "sgm-median")["y"][-3:] == [None] * 3
    assert trace(figure, "sgm-triangles")["x"] == list(LAMBDAS[-3:])
    assert trace(figure, "spl-triangles")["x"] == []
    low, high = axis_span(figure, "yaxis")
    assert low < 0.1 < 1 < high, "ε and the start are on the chart"


def test_the_title_of_a_problem_has_the_usable_decades_the_widest_first():
    atlas = toy([entry("a")], np.zeros(SHAPE))
    atlas.ranges[0, 0, METHODS.index("spl")] = 0.1, 10.0
    atlas.ranges[0, 0, METHODS.index("spl-u")] = 1e-6, 1.0
    _, title, _ = without_title(problem_curves(atlas, 0, RISK, {}))
    assert title.startswith("Decades of λ forgiven: SPL-U (ours) ≥ 6.0, SPL 2.0, ")
    assert "SGM none" in title
