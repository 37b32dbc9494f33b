"""Updates of a method: what is drawn is what the method did, at any setting."""

import json
import math

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from cvar_core.figures.lessons.level_lines import convex_levels
from cvar_core.figures.lessons.model_cuts_charts import model_slices, objectives
from cvar_core.figures.lessons.models_charts import AXES, model_planes, plane, planes
from cvar_core.lessons.models import SAMPLE_LOSSES, Setup, drawable, update, updates

settings = st.builds(
    Setup,
    loss=st.sampled_from(sorted(SAMPLE_LOSSES)),
    beta=st.sampled_from([0.0, 0.5, 0.9, 0.999]),
    lam=st.sampled_from([1e-6, 1e-2, 1.0, 1e2, 1e6]),
    initial_loss=st.sampled_from([0.1, 4.0, 10.0]),
    theta=st.floats(-8, 8),
    alpha=st.floats(-8, 16),
    samples=st.sampled_from([1, 3]),
)


def traces_of(figure):
    return {trace["uid"]: trace for trace in figure["data"]}


def drawn(path, theme="light"):
    shown = plane([path])
    figure = model_planes(path, shown, theme=theme)[-1]
    return shown, traces_of(figure), figure


@given(settings, st.sampled_from(drawable()), st.sampled_from([1, 5]), st.sampled_from(["light", "dark"]))
def test_every_setting_has_a_picture(setup, method, count, theme):
    path = updates(method, setup, count)
    shown, traces, _ = drawn(path, theme)
    pictures = [*model_planes(path, shown, theme=theme), *model_slices(path, theme=theme)]
    pictures += objectives({method: path}, count, theme=theme)
    json.dumps(pictures, allow_nan=False)  # neither NaN nor ∞ reaches the browser
    first = path[0].setup
    assert shown.holds(first.theta, first.alpha)
    assert np.ptp(np.array(traces["objective"]["z"])) > 0
    levels = traces["objective"]["contours"]
    assert 0 < levels["size"] <= levels["end"] - levels["start"] + 1e-9
    assert all(side[1] - side[0] < 100 for side in shown)


def test_the_step_is_an_arrow_to_the_next_point():
    path = updates("spl", Setup(), 1)
    _, traces, _ = drawn(path)
    assert traces["step"]["x"] == [2.0, path[0].theta]
    assert traces["step"]["y"] == [3.0, path[0].alpha]
    assert traces["way"]["x"] == [2.0]


def test_a_step_that_leaves_the_plane_is_cut_at_its_edge():
    path = updates("sgm", Setup(loss="squared", lam=100.0, theta=5.0, alpha=0.0), 1)
    shown, traces, _ = drawn(path)
    end = traces["step"]["x"][1], traces["step"]["y"][1]
    assert not shown.holds(path[0].theta, path[0].alpha)
    assert shown.holds(*(round(value, 9) for value in end)) or any(
        math.isclose(value, edge) for value, side in zip(end, shown, strict=True) for edge in side
    )
    assert traces["points"]["marker"]["size"][1] == 0  # no end where there is none


def test_who_stands_outside_the_plane_is_said_to():
    paths = {name: updates(name, Setup(), 31) for name in ("sgm", "spl")}
    shown = planes(paths, "near")
    first, last = (traces_of(model_planes(paths["sgm"], shown["sgm"])[k]) for k in (0, 30))
    assert "outside" not in first
    assert last["outside"]["text"][1].startswith("θ −10.")
    assert "outside" not in traces_of(model_planes(paths["spl"], shown["spl"])[30])


def test_axes_are_the_same_for_all_or_each_method_s_own():
    paths = {name: updates(name, Setup(), 31) for name in ("sgm", "spl", "spl+")}
    near, whole, own = (planes(paths, axes) for axes in AXES)
    assert len(set(near.values())) == len(set(whole.values())) == 1
    assert len(set(own.values())) == 3
    assert not near["sgm"].holds(paths["sgm"][-1].theta, paths["sgm"][-1].alpha)
    assert whole["sgm"].holds(paths["sgm"][-1].theta, paths["sgm"][-1].alpha)


def test_the_ball_goes_through_the_next_point_and_has_the_ratio_of_the_units():
    step = updates("spl+", Setup(), 1)[0]
    _, traces, _ = drawn([step])
    x, y = np.array(traces["ball"]["x"]), np.array(traces["ball"]["y"])
    assert np.ptp(y) / np.ptp(x) == pytest.approx(4.0, rel=1e-3)  # ℓ_0
    distance = (x - step.theta) ** 2 + (y - step.alpha) ** 2
    assert distance.min() < 0.01


@example(Setup(loss="absolute", beta=0.0, lam=1e-6, theta=0.5, alpha=0.0), "spl")  # a kink that nearly meets the grid
@given(settings, st.sampled_from(drawable()))
def test_the_model_has_its_level_along_the_dashed_lines(setup, method):
    step = update(method, setup)
    shown = plane([[step]])
    levels = [0.5, 2.0, 8.0]
    x, y = convex_levels(step.model_at, shown, levels)
    ends = [(a, b) for a, b in zip(x, y, strict=True) if a is not None]
    points = torch.tensor(ends, dtype=torch.float64).reshape(-1, 2, 2)
    places = torch.cat([points, points.mean(1, keepdim=True)], 1).reshape(-1, 2)
    values = step.model_at(places[:, 0], places[:, 1])
    scale = 1e-5 * (1 + abs(setup.theta) + abs(setup.alpha)) / (1 - setup.beta) * (1 + abs(step.slope))
    off = (values[:, None] - torch.tensor(levels, dtype=torch.float64)).abs().min(1).values
    assert (off < scale).all()
    theta, alpha = torch.meshgrid(*(torch.linspace(*side, 41, dtype=torch.float64) for side in shown), indexing="xy")
    grid = step.model_at(theta, alpha)
    if any(float(grid.min()) < level - scale and level + scale < float(grid.max()) for level in levels):
        assert len(ends) >= 2, "a level that the plane has is drawn"


def test_a_round_function_has_round_levels():
    x, y = convex_levels(lambda a, b: a**2 + b**2, ((-2.0, 2.0), (-2.0, 2.0)), [1.0])
    far = [math.hypot(a, b) for a, b in zip(x, y, strict=True) if a is not None]
    assert len(far) > 8
    assert 0.9 < min(far) <= max(far) < 1.2  # of tangents at a few points


def test_the_model_of_sgm_is_flat_in_theta_at_the_opening_point():
    _, traces, _ = drawn(updates("sgm", Setup(), 1))
    heights = [value for value in traces["model"]["y"] if value is not None]
    assert heights[::2] == heights[1::2], "its lines are level"
    _, traces, _ = drawn(updates("spl", Setup(), 1))
    heights = [value for value in traces["model"]["y"] if value is not None]
    assert heights[::2] != heights[1::2]


def test_of_several_samples_the_seen_one_is_strong():
    path = updates("spl", Setup(samples=3), 5)
    for step, figure in zip(path, model_planes(path, plane([path])), strict=True):
        widths = [traces_of(figure)[f"loss-{k}"]["line"]["width"] for k in range(3)]
        assert widths.index(max(widths)) == step.setup.seen
        assert sorted(widths)[1] < max(widths)
    assert "sampled" in traces_of(model_slices(path)[0])
    assert "sampled" not in traces_of(model_slices(updates("spl", Setup(), 1))[0])


def test_a_click_chooses_a_point_anywhere():
    _, traces, figure = drawn(updates("spl", Setup(), 3))
    assert traces["objective"]["meta"] == "plane"
    assert all(trace["hoverinfo"] == "skip" for uid, trace in traces.items() if uid != "objective")
    assert figure["layout"]["hovermode"] == "closest"


def test_what_stands_still_is_the_same_in_all_pictures_of_a_path():
    path = updates("spl", Setup(), 5)
    figures = model_planes(path, plane([path]))
    assert len(figures) == 5
    assert all(figure["data"][0] is figures[0]["data"][0] for figure in figures)
    assert all(figure["layout"] is figures[0]["layout"] for figure in figures)
    assert traces_of(figures[-1])["way"]["x"] == pytest.approx([step.setup.theta for step in path], abs=1e-4)


def test_a_cut_shows_the_promise_and_what_came_and_an_end_far_above_at_the_edge():
    (figure,) = model_slices(updates("sgm", Setup(), 1))
    traces = traces_of(figure)
    low, high = figure["layout"]["yaxis"]["range"]
    assert traces["missed"]["y"] == pytest.approx([1.0, 12.469], abs=1e-3)
    assert traces["points"]["y"] == pytest.approx([3.0, 2.0, 12.469], abs=1e-3)
    assert low < 1 < 12.47 < high
    assert len(traces["kink"]["x"]) == 1
    (figure,) = model_slices(updates("sgm", Setup(beta=0.999, lam=5.0), 1))
    end = traces_of(figure)["points"]
    assert end["marker"]["symbol"][2] == "triangle-up"
    assert end["y"][2] < figure["layout"]["yaxis"]["range"][1] < update("sgm", Setup(beta=0.999, lam=5.0)).after


def test_f_is_drawn_up_to_the_update_shown_on_axes_that_stand():
    paths = {name: updates(name, Setup(), 31) for name in ("sgm", "spl")}
    figures = objectives(paths, 31)
    for k in (0, 30):
        for name, path in paths.items():
            wanted = [3.0, *(step.after for step in path[: k + 1])]
            assert traces_of(figures[k])[name]["y"] == pytest.approx(wanted, rel=1e-3)
    assert all(figure["layout"] is figures[0]["layout"] for figure in figures)
    assert figures[0]["layout"]["yaxis"]["type"] == "log"
    calm = objectives({"spl": updates("spl", Setup(lam=0.01), 31)}, 31)
    assert "type" not in calm[0]["layout"]["yaxis"]


def test_who_has_left_the_numbers_has_no_more_points():
    path = updates("sgm", Setup(loss="squared", lam=1e6, alpha=-5.0), 31)
    assert len(path) < 31
    figures = objectives({"sgm": path}, 31)
    assert len(traces_of(figures[30])["sgm"]["x"]) <= len(path) + 1
