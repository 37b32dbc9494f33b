"""The theorem against the runs, as a chart."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from cvar_core.figures import style
from cvar_core.figures.lessons.theory_charts import promises, promises_along
from cvar_core.lessons import theory
from cvar_core.lessons.theory import Measured, Setting
from cvar_core.results import number

NAMES = ("sgm", "spl", "spl+")
SETTING = Setting((3.0,), (4.0,), (9.0,), (1.0,), 0.95, 1_000)
PROMISED = theory.bounds_by_name(NAMES, SETTING)


def runs(factor=0.01, **changed):
    """Means that are a factor of the theorem's bounds."""
    spec = theory.experiment("absolute", "normal", 0.95, 1_000)
    means = factor * np.array([[PROMISED[name].theorem.at(lam) for lam in spec.lambdas] for name in NAMES])
    found = Measured(spec, means, means / 2, means * 2, np.zeros(means.shape, dtype=np.int64), 5.0)
    return replace(found, **changed)


def traces(figure):
    return {trace["uid"]: trace for trace in figure["data"]}


def test_a_bound_is_above_the_runs_and_has_its_cross_at_the_bottom():
    found = traces(promises(runs(), PROMISED))
    for name in NAMES:
        line, seen, cross = found[f"{name}-bound"], found[f"{name}-median"], found[f"{name}-best"]
        heights = np.interp(np.log(seen["x"]), np.log(line["x"]), np.log(line["y"]))
        assert np.exp(heights) == pytest.approx(100 * np.array(seen["y"]), rel=0.02)
        assert cross["x"] == [PROMISED[name].theorem.best_lambda]
        assert cross["y"][0] <= min(line["y"])


def test_bounds_lie_behind_the_runs_and_the_solid_one_behind_the_dotted():
    order = [trace["uid"] for trace in promises(runs(), PROMISED)["data"]]
    assert order.index("spl+-bound") < order.index("sgm-bound") < order.index("sgm-median")


def test_the_axes_hold_every_bound_and_every_mean():
    for factor in (1e-6, 1.0, 1e3):
        layout = promises(runs(factor, start=1e3), PROMISED)["layout"]
        low, high = (10**end for end in layout["yaxis"]["range"])
        means = runs(factor).mean
        ends = [PROMISED[name].theorem.at(lam) for name in NAMES for lam in (1e-3, 1e3)]
        assert low < min(means.min(), *(PROMISED[name].sharper.least for name in NAMES))
        assert high > max(*ends, *(means.ravel()))


def test_every_part_has_a_name_that_plotly_can_look_up():
    uids = [trace["uid"] for trace in promises(runs(), PROMISED)["data"]]
    assert len(set(uids)) == len(uids)
    assert not [uid for uid in uids if " " in uid]  # it is a class in the page


def test_hovering_tells_the_ratio():
    words = traces(promises(runs(), PROMISED))["spl+-median"]["text"]
    assert all("100 times the mean" in word for word in words)


def test_the_title_says_what_is_promised_and_what_is_reached():
    title = promises(runs(), PROMISED)["layout"]["title"]["text"].replace("<br>", " ")
    promised, reached = PROMISED["spl"].theorem.least, float(runs().mean[1].min())
    assert title == (
        f"Theorem 1 promises SPL a gap of {number(promised)} at best: its runs reach {number(reached)}, "
        f"{number(promised / reached)} times less"
    )


def test_numbers_that_are_not_the_runs_own_are_not_called_a_promise_to_them():
    title = promises(runs(100.0), PROMISED)["layout"]["title"]["text"]
    assert title.startswith("Such numbers would promise SPL")


def test_without_bounds_only_the_runs_are_drawn():
    means = runs().mean.copy()
    means[0, -3:] = math.inf
    figure = promises(runs(mean=means, diverged=np.isinf(means) * 20), {}, mark=1.0)
    found = traces(figure)
    assert not [uid for uid in found if uid.endswith(("-bound", "-best"))]
    assert len(found["sgm-triangles"]["x"]) >= 3
    assert "20 of 20 seeds diverged" in found["sgm-triangles"]["text"][-1]
    assert figure["layout"]["title"]["text"].startswith("Theorem 1 promises nothing for absolute loss")


@pytest.mark.parametrize(("promised", "factor"), [(PROMISED, 0.05), ({}, 1e-4)], ids=["bounds", "no bounds"])
def test_before_the_runs_are_done_their_place_is_kept(promised, factor):
    unknown = np.full_like(runs().mean, math.nan)
    awaited = promises(runs(mean=unknown, low=unknown, high=unknown), promised, mark=1.0)
    json.dumps(awaited, allow_nan=False)
    there = promises(runs(factor), promised, mark=1.0)
    assert [trace["uid"] for trace in awaited["data"]] == [trace["uid"] for trace in there["data"]]
    for name in NAMES:
        curve = traces(awaited)[f"{name}-median"]
        assert (curve["x"], curve["y"]) == ([None], [None]), "nothing to see but in the legend"
    if promised:
        assert awaited["layout"]["yaxis"] == there["layout"]["yaxis"], "the axis stands still when they come"
    assert ("runs reach is not known yet" in awaited["layout"]["title"]["text"]) == bool(promised)


@pytest.mark.parametrize("lost", [0, 3])
def test_along_the_slider_only_the_mark_moves(lost):
    means = runs().mean.copy()
    means[0, len(means[0]) - lost :] = math.inf
    found = runs(mean=means, diverged=np.isinf(means) * 20)
    lambdas = found.spec.lambdas
    drawn = promises_along(found, PROMISED if not lost else {}, lambdas)
    for lam, figure in zip(lambdas, drawn, strict=True):
        alone = promises(found, PROMISED if not lost else {}, mark=lam)
        assert figure["data"] == alone["data"]
        for part in ("shapes", "annotations"):
            assert sorted(map(str, figure["layout"][part])) == sorted(map(str, alone["layout"][part]))
        rest = {part: {**each["layout"], "shapes": 0, "annotations": 0} for part, each in enumerate((figure, alone))}
        assert rest[0] == rest[1]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_method_has_its_colour_in_both_themes(theme):
    found = traces(promises(runs(), PROMISED, theme=theme))
    for name in NAMES:
        assert found[f"{name}-bound"]["line"]["color"] == style(name, theme).colour
        assert found[f"{name}-bound"]["legendgroup"] == found[f"{name}-median"]["legendgroup"]


@pytest.mark.parametrize("value", [1e-6, 1e6])
def test_any_numbers_that_a_person_may_give_can_be_drawn(value):
    for name in SETTING.numbers():
        setting, wrong = theory.what_if(SETTING, {name: value})
        assert setting != SETTING or wrong
        json.dumps(promises(runs(), theory.bounds_by_name(NAMES, setting), mark=1e3), allow_nan=False)
