"""What a result is in the hands of its user: short to look at, comparable, drawn, and with its models."""

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import torch

from cvar_core import Problem, Result, SpecError, SweepSpec, sweep
from cvar_core.engine import Shard, advance, start
from cvar_core.results.plotting import KINDS

GRID = {"methods": ("sgm", "spl+"), "lambdas": (0.1, 1.0, 1e9), "iterations": 80, "seeds": 2, "checkpoints": 5}


@pytest.fixture(scope="module")
def problem():
    return Problem.synthetic(loss="squared", noise="normal", eval_size=400, dim=3)


@pytest.fixture(scope="module")
def result(problem):
    return sweep(problem, **GRID)


@pytest.fixture(scope="module")
def rows():
    x = np.random.default_rng(1).standard_normal((90, 2))
    return Problem.from_arrays(x, x @ [1.0, -2.0], loss="absolute", beta=0.8)


@pytest.fixture(scope="module")
def on_rows(rows):
    return sweep(rows, ["spl+"], [0.1, 1.0], iterations=40, seeds=2)


def test_it_is_short_to_look_at(result):
    assert len(repr(result)) < 200
    table = result._repr_html_()
    assert table.count("<tr>") == 3
    assert len(table) < 2_000
    assert "SPL₊" in table


def test_it_names_all_of_the_problem(result):
    problem = replace(result.spec.problem, loss="pinball", loss_params={"tau": 0.2}, mix=0.3)
    told = repr(replace(result, spec=replace(result.spec, problem=problem)))
    assert "pinball(tau=0.2) loss" in told
    assert "mix 0.7·mean + 0.3·CVaR" in told


def test_equal_is_the_same_numbers_not_the_same_time(problem, result):
    again = sweep(Problem(problem.spec), **GRID, workers=1)
    assert again == result
    assert hash(again) == hash(result)
    assert again.optimum == result.optimum
    assert np.isnan(result.objectives).any(), "NaN is among what is the same"
    other = result.objectives.copy()
    other[0, 0, 1, 0] = np.nextafter(other[0, 0, 1, 0], np.inf)
    assert replace(result, objectives=other) != result
    assert sweep(problem, **{**GRID, "iterations": 81}) != result
    assert result != "a result"


def test_curves_may_be_called(result):
    assert isinstance(result.curves, pd.DataFrame)
    pd.testing.assert_frame_equal(result.curves(), result.curves)
    assert type(result.curves[result.curves["method"] == "sgm"]) is pd.DataFrame


def test_the_models_are_those_that_were_valued(problem, result):
    """What is recorded at the end is what the objective says of the point that comes back."""
    for m, method in enumerate(result.spec.methods):
        for s, seed in enumerate(result.spec.seeds):
            for k, lam in enumerate(result.spec.lambdas):
                theta, alpha = result.theta(method, lam, seed), result.alpha(method, lam, seed)
                value = result.objectives[m, s, -1, k]
                if np.isnan(value):
                    assert theta.isnan().all()
                    assert np.isnan(alpha)
                else:
                    assert problem.objective(theta, alpha) == value


def test_a_model_does_not_depend_on_the_grid_it_ran_in(problem, result):
    spec = SweepSpec(problem.spec, **GRID)
    shard = Shard("spl+", 1)
    state, _ = advance(problem, spec, shard, start(problem, spec, shard), spec.iterations)
    assert torch.equal(result.theta("spl+", 1.0, 1), state.theta_sum[1] / spec.iterations)


def test_what_is_not_named_is_chosen(result):
    assert torch.equal(result.theta("spl+", 0.1, 0), result.theta("spl+", 0.1, seed=0))
    assert result.theta().shape == (3,)


def test_results_from_stores_and_files_have_models_too(problem, result, rows, on_rows, tmp_path):
    stored = [sweep(problem, **GRID, store=tmp_path / "runs.db") for _ in range(2)]
    assert all(torch.equal(each.theta("sgm", 0.1, 1), result.theta("sgm", 0.1, 1)) for each in stored)
    result.save(tmp_path / "run.npz")
    assert torch.equal(Result.load(tmp_path / "run.npz").theta("sgm", 0.1, 1), result.theta("sgm", 0.1, 1))
    on_rows.save(tmp_path / "rows.npz")
    loaded = Result.load(tmp_path / "rows.npz")
    assert torch.equal(loaded.theta("spl+", 1, 0, problem=rows), on_rows.theta("spl+", 1, 0))
    assert loaded.problem is None
    drawn = Result.load(tmp_path / "run.npz").problem
    assert drawn.risk(result.theta()) == problem.risk(result.theta())
    with pytest.raises(SpecError, match="comes without its data: give the problem"):
        loaded.theta()
    with pytest.raises(SpecError, match="problem is another one"):
        loaded.theta(problem=problem)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "adam"}, "method is 'adam', but this sweep ran sgm, spl+"),
        ({"method": "sgm", "lam": 0.2}, r"lam is 0\.2, but this sweep ran 0\.1, 1, 1e\+09"),
        ({"method": "sgm", "lam": 1, "seed": 7}, "seed is 7, but this sweep ran 0, 1"),
    ],
)
def test_a_run_that_is_not_there_is_named(result, asked, words):
    with pytest.raises(SpecError, match=words):
        result.theta(**asked)


def test_best_lambda_of_all(result):
    assert result.best_lambda() == {name: result.best_lambda(name) for name in ("sgm", "spl+")}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_figure_is_a_plotly_figure(on_rows, kind):
    for theme in ("light", "dark"):
        assert isinstance(on_rows.plot(kind, theme=theme), go.Figure)
    assert on_rows.plot(kind, lam=0.1).data


def test_figures_follow_what_is_asked(result):
    assert result.plot().layout.title.text == result.plot("sensitivity", measure="risk").layout.title.text
    assert result.plot(measure="objective") != result.plot()
    assert result.plot(closed=0.5) != result.plot()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"kind": "pie"}, "kind is 'pie', but it must be one of sensitivity, curves"),
        ({"kind": "measures"}, "are those of data, and this is synthetic"),
        ({"kind": "curves", "lam": 7}, "lam is 7, but this sweep ran 0.1"),
        ({"theme": "blue"}, "theme is 'blue', but it must be light or dark"),
        ({"measure": "speed"}, "measure is 'speed'"),
    ],
)
def test_figures_that_cannot_be_drawn_get_a_sentence(result, asked, words):
    with pytest.raises(SpecError, match=words):
        result.plot(**asked)
