"""Data on the command line: what is told and written, and one sentence for what is wrong."""

import json

import numpy as np
import pandas as pd
import pytest

from cvar_core import load, sweep
from cvar_core.cli import main
from cvar_core.specs import usual_methods

FEW = ["--lambdas", "0.01,0.1,1", "--seeds", "2"]


@pytest.fixture
def labelled(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((120, 3))
    kind = np.where(x[:, 0] + 0.3 * rng.standard_normal(120) > 0, "yes", "no")
    path = tmp_path / "labelled.csv"
    pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "sold": kind, "c": x[:, 2]}).to_csv(path, index=False)
    return path


def test_a_sweep_on_a_file_is_the_one_from_python(labelled, tmp_path, capsys):
    out, summary = tmp_path / "c.csv", tmp_path / "s.json"
    flags = ["--target", "sold", "--holdout", "0.25", "--seed", "4", "--standardise", "--intercept", "--passes", "3"]
    files = ["--out", str(out), "--summary", str(summary)]
    line = ["sweep", "--data", str(labelled), "--loss", "logistic", "--beta", "0.8", *flags, *FEW, *files]
    assert main(line) == 0
    data = load(labelled, "sold", holdout=0.25, seed=4, standardise=True, intercept=True)
    problem, names = data.problem("logistic", beta=0.8), usual_methods(on_data=True)
    result = sweep(problem, names, lambdas=[0.01, 0.1, 1], iterations=270, seeds=2)
    written = pd.read_csv(out)
    pd.testing.assert_frame_equal(written, result.curves.reset_index(drop=True), check_exact=True, check_dtype=False)
    assert list(written.columns)[-2:] == ["train_accuracy", "test_accuracy"]
    told = json.loads(summary.read_text())
    assert told["data"]["mapping"] == "no → −1, yes → +1"
    assert told["optimum_measures"] == result.reference
    assert told["methods"]["spl+"]["test_accuracy"] == result.summary()["test_accuracy"].tolist()[6:9]
    said = capsys.readouterr().out
    assert "90 rows × 4 columns, 30 test rows, dense" in said
    assert "labels: no → −1, yes → +1" in said
    assert "test accuracy" in said


def test_accuracy_is_the_share_on_the_right_side(labelled):
    data = load(labelled, "sold", holdout=0.25)
    problem = data.problem("logistic", beta=0.5)
    result = sweep(problem, methods=["spl"], lambdas=[1.0], iterations=500, seeds=1)
    theta = problem.optimum().theta.numpy()
    for rows, name in ((data, "train_accuracy"), (data.test, "test_accuracy")):
        right = ((rows.x @ theta > 0) == (rows.y == 1)).mean()
        assert result.reference[name] == pytest.approx(right)
    ends = result.measures["train_accuracy"][0, 0, [0, -1], 0]
    assert ends[1] > max(ends[0], 0.85)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_regression_is_measured_by_losses_on_held_out_rows(loss):
    from cvar_core.problem import cvar

    data = load("diabetes", holdout=0.2, intercept=True)
    problem = data.problem(loss, beta=0.9, scale=2.0)
    result = sweep(problem, methods=["spl+"], lambdas=[1.0], iterations=300, seeds=1)
    best = problem.optimum()
    losses = 2.0 * problem.loss.value(problem.ground.test_points.predict(best.theta), problem.ground.test_points.target)
    assert result.reference["test_cvar"] == pytest.approx(cvar(losses, 0.9))
    assert result.reference["test_mean_loss"] == pytest.approx(float(losses.mean()))
    assert result.reference["train_mean_loss"] == pytest.approx(float(problem.losses(best.theta).mean()))


def test_a_diverged_run_has_no_measures(tmp_path):
    data = load("diabetes", holdout=0.2)
    result = sweep(data.problem("squared"), methods=["sgm"], lambdas=[1e4], iterations=2_000, seeds=1)
    assert np.isnan(result.measures["test_cvar"][0, 0, -1, 0])
    assert result.to_dict()["methods"]["sgm"]["test_cvar"] == [None]


def test_measures_come_back_from_the_store():
    from cvar_core.engine import Shard, advance, start
    from cvar_core.specs import SweepSpec
    from cvar_core.store.packing import pack_optimum, pack_records, unpack_optimum, unpack_records

    problem = load("breast-cancer", holdout=0.2, standardise=True).problem("logistic")
    spec = SweepSpec(problem.spec, lambdas=(0.1, 1.0), iterations=50, seeds=1)
    _, records = advance(problem, spec, Shard("spl", 0), start(problem, spec, Shard("spl", 0)), 50)
    assert records.beside.shape == (len(spec.checkpoint_iterations), 2, 3)  # risk and two accuracies
    assert unpack_records(pack_records(records)).beside.equal(records.beside)
    best = problem.optimum()
    assert unpack_optimum(pack_optimum(best)).measures == best.measures != ()
    assert unpack_optimum(pack_optimum(best)).attained == best.attained
    lost = type(best)(best.value, best.theta, best.alpha, None, attained=False)
    assert not unpack_optimum(pack_optimum(lost)).attained


BAD = [
    ("sweep --data nothing.csv", "cannot read nothing.csv"),
    ("sweep --data labelled.csv --target price", "no column 'price'"),
    ("sweep --data labelled.csv --target sold", "squared loss needs numbers"),
    (
        "sweep --data labelled.csv --target sold --loss logistic --positive maybe",
        "no row of labelled.csv has the label",
    ),
    ("sweep --data labelled.csv --loss logistic", "choose one to tell from the rest"),
    ("sweep --data labelled.csv --holdout 2", "between 0 and 1"),
    ("sweep --data labelled.csv --holdout x", "--holdout is 'x'"),
    ("sweep --data labelled.csv --passes 0", "above 0"),
    ("sweep --data labelled.csv --test labelled.csv --holdout 0.5", "not both"),
    ("sweep --holdout 0.5", "--holdout is for data"),
    ("sweep --drop a", "--drop is for data"),
    ("sweep --standardise-target", "--standardise-target is for data"),
    ("sweep --missing drop", "--missing is for data"),
    ("sweep --data labelled.csv --target sold --drop a,d,e", "no column 'd' and no column 'e'; it has 'a'"),
    ("sweep --data labelled.csv --target sold --drop a --drop b,c", "no column of labelled.csv is left"),
    ("sweep --data labelled.csv --missing guess", "one of fill, drop"),
    ('sweep --data labelled.csv --drop "a', "must be a list of names"),
    ("sweep --data labelled.csv --target sold --loss logistic --standardise-target", "cannot be standardised"),
    ("sweep --data labelled.csv --beta 1", "0 ≤ beta < 1"),
    ("check --data nothing.csv --lambda 1", "cannot read"),
    ("data", "ACTION"),
    ("data fetch nothing", "choose from mushrooms"),
    ("data info nothing.csv", "cannot read"),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_data_gets_one_sentence_and_exit_code_2(line, words, labelled, capsys, monkeypatch):
    monkeypatch.chdir(labelled.parent)
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.strip().splitlines()) == 1
    assert words in said.err


def test_check_judges_a_step_size_on_a_file(labelled, capsys):
    line = [
        "check",
        "--data",
        str(labelled),
        "--target",
        "sold",
        "--loss",
        "logistic",
        "--beta",
        "0.5",
        "--lambda",
        "1",
    ]
    assert main([*line, "--passes", "20", "--seeds", "2", "--method", "spl"]) in (0, 1)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_data_lists_and_describes(labelled, capsys):
    assert main(["data", "list"]) == 0
    assert "E2006-tfidf" in capsys.readouterr().out
    assert main(["data", "info", str(labelled), "--target", "sold"]) == 0
    said = capsys.readouterr().out
    assert "120 rows × 3 columns" in said
    assert "no (" in said
    assert main(["data", "info", "diabetes"]) == 0
    assert "quartiles" in capsys.readouterr().out
    assert main(["data", str(labelled), "--target", "sold", "--drop", "b"]) == 0, "short for info"
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("b ")]
    assert row.split()[:3] == ["b", "number", "–"]
    assert row.endswith("left out")
    assert main(["data", "fetch", "wine"]) == 0
    assert "nothing to fetch" in capsys.readouterr().out


def test_losses_are_told_in_the_unit_of_a_standardised_target(labelled, tmp_path, capsys):
    summary = tmp_path / "s.json"
    line = ["sweep", "--data", str(labelled), "--drop", "sold", "--loss", "absolute", "--standardise-target"]
    assert main([*line, *FEW, "--passes", "2", "--summary", str(summary)]) == 0
    told = json.loads(summary.read_text())
    unit = load(labelled, drop="sold", standardise_target=True).target_unit
    assert told["data"]["target_unit"] == {
        "mean": unit.mean, "deviation": unit.deviation, "loss_factor": unit.deviation
    }  # fmt: skip
    assert unit.told(told["f_star"], "absolute") in capsys.readouterr().out
