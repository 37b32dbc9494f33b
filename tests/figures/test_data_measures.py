"""Accuracy and test losses: the right numbers at the right places, the worst counted for what diverged."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from cvar_core import Optimum, ProblemSpec, Result
from cvar_core.figures import measures_along, measures_by_lambda, shown_measures, without_title
from tests.figures.results import METHODS, gently, made, trace

ACCURACY = {"train_accuracy": 0.9, "test_accuracy": 0.8}
LOSSES = {"train_mean_loss": 2.0, "test_mean_loss": 3.0, "test_cvar": 30.0}


def measured(values, loss="logistic", recorded=None, reference=()):
    """Return a result whose measures are these numbers, times something that differs in every place."""
    result = made(gently(), recorded)
    tested = "digest" if any(name.startswith("test_") for name in values) else None
    problem = ProblemSpec(loss=loss, data="digest", test=tested, sample_size=10)
    wiggle = 1 - 0.1 * np.arange(result.objectives.size).reshape(result.objectives.shape) / result.objectives.size
    spec = replace(result.spec, problem=problem)
    optimum = Optimum(5.0, torch.zeros(10), 0.0, 0.0, True, reference)
    given = {name: value * wiggle for name, value in values.items()}
    return Result(spec, optimum, result.objectives, result.recorded, {**result.beside, **given})


CASES = [("logistic", ACCURACY, "test_accuracy", "train_accuracy"), ("squared", LOSSES, "test_cvar", "test_mean_loss")]


@pytest.mark.parametrize(("loss", "values", "bold", "thin"), CASES)
def test_the_lines_are_the_medians_over_the_seeds(loss, values, bold, thin):
    result = measured(values, loss)
    by_lambda, along = measures_by_lambda(result), measures_along(result)
    for m, method in enumerate(METHODS):
        best = result.place(result.best_lambda(method))
        for name, part in ((bold, "median"), (thin, "second-median")):
            numbers = result.measures[name]
            np.testing.assert_allclose(
                trace(by_lambda, f"{method}-{part}")["y"], np.median(numbers[m, :, -1, :], axis=0), rtol=1e-12
            )
            np.testing.assert_allclose(
                trace(along, f"{method}-{part}")["y"], np.median(numbers[m, :, 1:, best], axis=0), rtol=1e-12
            )
        assert trace(by_lambda, f"{method}-second-median")["showlegend"] is False
    assert trace(along, "sgm-median")["x"] == list(result.checkpoints[1:])


def test_a_seed_that_diverged_is_the_worst_and_is_marked():
    result = measured(ACCURACY)
    for values in result.measures.values():
        values[0, 0, :, 2] = np.nan  # one of three seeds
        values[0, :, :, 3] = np.nan  # all of them
    drawn = measures_by_lambda(result)
    worst_two = np.sort(result.measures["test_accuracy"][0, 1:, -1, 2])
    y = trace(drawn, "sgm-median")["y"]
    assert y[2] == worst_two[0], "the median of three of which one is the worst is the lower of the others"
    assert y[3] is None
    lambdas = result.spec.lambdas
    assert trace(drawn, "sgm-triangles")["x"] == [lambdas[2], lambdas[3]]
    assert not [one for one in drawn["data"] if one["uid"].endswith("second-triangles")], "once a method"
    assert "2 of" not in trace(drawn, "sgm-triangles")["text"][1]
    assert "diverged" in trace(drawn, "sgm-triangles")["text"][1]


@pytest.mark.parametrize(("loss", "values", "bold", "thin"), CASES)
def test_the_optimum_is_a_dashed_line_where_there_is_one(loss, values, bold, thin):
    reference = tuple(values.values())
    with_line = measures_by_lambda(measured(values, loss, reference=reference))
    assert [shape["y0"] for shape in with_line["layout"]["shapes"] if shape["type"] == "line"] == [values[bold]]
    written = "θ* 80.0%" if loss == "logistic" else "θ* 30"
    (label,) = with_line["layout"]["annotations"]
    assert label["text"] == written
    axis = with_line["layout"]["yaxis"]
    at = label["y"] if loss == "logistic" else 10 ** label["y"]
    assert at == pytest.approx(values[bold])
    assert axis["range"][0] < label["y"] < axis["range"][1]
    without = measures_by_lambda(measured(values, loss))
    assert without["layout"]["annotations"] == []


def test_accuracy_has_a_plain_axis_in_percent_that_holds_every_point():
    drawn = measures_by_lambda(measured(ACCURACY))
    axis = drawn["layout"]["yaxis"]
    assert axis.get("type") != "log"
    assert axis["tickformat"] == ".0%"
    heights = [y for one in drawn["data"] for y in one["y"] if y is not None]
    assert axis["range"][0] < min(heights)
    assert max(heights) < axis["range"][1] <= 1.1


def test_titles_name_the_best_first():
    result = measured(ACCURACY)
    _, finding, about = without_title(measures_by_lambda(result))
    numbers = result.measures["test_accuracy"][:, :, -1, :]
    best = np.median(numbers, axis=1).max(axis=1)
    assert finding == "Test accuracy at best: " + ", ".join(
        f"{label} {100 * value:.1f}%" for label, value in zip(("SGM", "SPL", "SPL₊"), best, strict=True)
    )
    assert about == "bold: test accuracy, thin: training accuracy, median of 3 seeds"
    _, finding, _ = without_title(measures_by_lambda(measured(LOSSES, "squared")))
    assert finding.startswith("Test CVaR at best: SPL₊"), "of losses, the least"


@pytest.mark.parametrize("recorded", [0, 1, 2])
def test_it_can_be_drawn_before_the_runs_are_over(recorded):
    result = measured(ACCURACY, recorded=recorded)
    for figure in (measures_by_lambda(result), measures_along(result)):
        json.dumps(figure, allow_nan=False)
        shown = figure["layout"]["title"]["text"]
        assert ("The runs are starting" in shown) == (recorded == 0 or (recorded == 1 and figure["data"] == []))
    if recorded == 2:
        assert measures_by_lambda(result)["layout"]["title"]["text"].startswith("So far: ")


def test_without_test_rows_there_is_one_line_a_method():
    result = measured({"train_accuracy": 0.9})
    assert shown_measures(list(result.measures)) == ("train_accuracy", None)
    assert len([one for one in measures_along(result)["data"] if one["uid"].endswith("median")]) == 3
