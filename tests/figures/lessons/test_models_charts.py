"""The plane of one sample: what is drawn is what the method did, at any setting."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core.figures.lessons.models_charts import model_frames, model_plane, plane
from cvar_core.lessons.models import SAMPLE_LOSSES, Setup, drawable, updates

settings = st.builds(
    Setup,
    loss=st.sampled_from(sorted(SAMPLE_LOSSES)),
    beta=st.sampled_from([0.0, 0.5, 0.9, 0.999]),
    lam=st.sampled_from([1e-6, 1e-2, 1.0, 1e2, 1e6]),
    initial_loss=st.sampled_from([0.1, 4.0, 10.0]),
    theta=st.floats(-8, 8),
    alpha=st.floats(-8, 16),
)


def drawn(path, theme="light"):
    shown = plane([path])
    figure = model_plane(path, shown, theme=theme)
    return shown, {trace["uid"]: trace for trace in figure["data"]}, figure


@given(settings, st.sampled_from(drawable()), st.sampled_from([1, 2, 31]), st.sampled_from(["light", "dark"]))
def test_every_setting_has_a_picture(setup, method, count, theme):
    path = updates(method, setup, count)
    shown, traces, figure = drawn(path, theme)
    json.dumps(figure, allow_nan=False)  # neither NaN nor ∞ reaches the browser
    json.dumps(model_frames(path, shown, theme=theme), allow_nan=False)
    first = path[0].setup
    assert shown.holds(first.theta, first.alpha)
    heights = np.array(traces["objective"]["z"])
    assert np.ptp(heights) > 0
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


def test_the_ball_goes_through_the_next_point_and_has_the_ratio_of_the_units():
    step = updates("spl+", Setup(), 1)[0]
    _, traces, _ = drawn([step])
    x, y = np.array(traces["ball"]["x"]), np.array(traces["ball"]["y"])
    assert np.ptp(y) / np.ptp(x) == pytest.approx(4.0, rel=1e-6)  # ℓ_0
    distance = (x - step.theta) ** 2 + (y - step.alpha) ** 2
    assert distance.min() < 0.01


def test_the_model_of_sgm_is_flat_in_theta_at_the_opening_point():
    _, traces, _ = drawn(updates("sgm", Setup(), 1))
    rows = np.array(traces["model"]["z"])
    assert np.ptp(rows, axis=1).max() == 0
    _, traces, _ = drawn(updates("spl", Setup(), 1))
    assert np.ptp(np.array(traces["model"]["z"]), axis=1).max() > 0


def test_a_click_chooses_a_point_anywhere():
    _, traces, figure = drawn(updates("spl", Setup(), 3))
    assert traces["objective"]["meta"] == "plane"
    assert all(trace["hoverinfo"] == "skip" for uid, trace in traces.items() if uid != "objective")
    assert figure["layout"]["hovermode"] == "closest"


def test_frames_walk_the_path():
    path = updates("spl", Setup(), 5)
    shown = plane([path])
    frames = model_frames(path, shown)
    assert len(frames) == 5
    figure = model_plane(path, shown)
    for frame in frames:
        uids = [figure["data"][k]["uid"] for k in frame["traces"]]
        assert uids == ["ball", "way", "step", "points"]
    assert frames[-1]["data"][1]["x"] == [step.setup.theta for step in path]
    assert frames[0]["data"][2]["x"] == [2.0, path[0].theta]
