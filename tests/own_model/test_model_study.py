"""A study of a model says what the optimisers did, by one ruler, and the same study has the same numbers."""

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from cvar_core import SpecError
from cvar_core.own_model import ModelStudy, check_model, trainers
from cvar_core.own_model.training import MEASURES
from cvar_core.problem.objective import cvar

LAMBDAS = (1e-3, 1e-2, 1e-1, 1.0, 1e6)


def regression():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(200, 3, generator=rng)
    return x, x @ torch.tensor([1.0, -2.0, 0.5]) + 0.1 * torch.randn(200, generator=rng)


def net():
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


@pytest.fixture(scope="module")
def study():
    names = ("spl+", "spl-u", "sgd-ru", "adam-topk")
    return check_model(
        net, regression(), beta=0.8, optimisers=names, lambdas=LAMBDAS, steps=25, batch=20, seeds=3, progress=False
    )


def test_every_training_has_a_row(study):
    frame = study.frame
    assert len(frame) == 4 * 5 * 3
    assert list(frame.columns) == ["optimiser", "seed", "lambda", "status", *MEASURES]
    assert (frame["status"] == "diverged").equals(frame["test_cvar"].isna())
    fine = frame[frame["status"] == "ok"]
    assert (fine["test_cvar"] >= fine["test_mean"]).all()
    assert (fine["train_cvar"] >= fine["train_mean"]).all()


def test_the_reference_is_the_best_median_of_all(study):
    medians = study.frame.assign(test_cvar=lambda f: f["test_cvar"].fillna(np.inf)).groupby(["optimiser", "lambda"])
    assert study.reference == pytest.approx(medians["test_cvar"].median().min())
    assert max(found.decades or 0 for found in study.forgiven.values()) > 0


def test_a_usable_step_size_closes_its_seed_s_gap(study):
    for k, name in enumerate(study.optimisers):
        for s, found in enumerate(study.forgiven[name].starts):
            start = study.starts[s, MEASURES.index("test_cvar")]
            for at, lam in enumerate(LAMBDAS):
                if found is not None and lam in found:
                    assert study.cvars[k, s, at] - study.reference <= 0.1 * (start - study.reference) * (1 + 1e-9)


def test_the_same_study_has_the_same_numbers_and_leaves_the_random_numbers_alone(study):
    before = torch.get_rng_state()
    again = check_model(
        net, regression(), beta=0.8, optimisers=["spl+"], lambdas=LAMBDAS[:3], steps=25, batch=20, seeds=3
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert np.array_equal(again.records[0], study.records[0, :, :3], equal_nan=True)


def test_it_prints_draws_and_reports(study, tmp_path):
    words = str(study)
    assert all(trainers[name].label in words for name in study.optimisers)
    assert "seed by seed" in words
    figure = study.plot()
    assert {trace.name for trace in figure.data} >= {trainers[name].label for name in study.optimisers}
    study.report(tmp_path / "study.html")
    written = (tmp_path / "study.html").read_text("utf-8")
    assert study.finding() in written
    table = study.robustness()
    assert isinstance(table, pd.DataFrame)
    assert list(table["optimiser"]) == list(study.optimisers)
    assert ((table["decades_low"] <= table["decades_high"]) | table["decades"].isna()).all()


def test_every_optimiser_trains():
    found = check_model(
        net, regression(), 0.3, beta=0.8, lambdas=[0.02], steps=60, batch=20, seeds=1, schedule="constant"
    )
    assert found.optimisers == trainers.names()
    assert (found.cvars[:, 0, 0] < found.starts[0, MEASURES.index("test_cvar")]).all()


def test_classes_and_groups():
    rng = torch.Generator().manual_seed(1)
    x = torch.randn(300, 2, generator=rng)
    y = (x[:, 0] > 0).long()
    groups = (x[:, 1] > 1).long()
    y[groups == 1] = 1 - y[groups == 1]  # a rare group in which the rule is the other way round
    found = check_model(
        lambda: nn.Linear(2, 2), (x, y), beta=0.5, optimisers=["adam-mean"], lambdas=[0.05], steps=150, seeds=1,
        groups=groups, schedule="constant",
    )  # fmt: skip
    row = found.frame.iloc[0]
    assert row["accuracy"] > 0.65
    assert row["worst_group"] < 0.5


def test_tests_may_come_with_it_as_a_data_set():
    x, y = regression()
    data, held = torch.utils.data.TensorDataset(x[:150], y[:150]), [(x[k], y[k]) for k in range(150, 200)]
    found = check_model(net, data, held, optimisers=["spl"], lambdas=[1e-9], steps=1, seeds=1, beta=0.8)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        losses = (net()(x[150:])[:, 0] - y[150:]).square().detach().double()
    assert found.starts[0, MEASURES.index("test_cvar")] == pytest.approx(cvar(losses, 0.8), rel=1e-5)


def test_what_cannot_train_is_said():
    nothing = ModelStudy(
        ("spl",), (1.0,), (0,), np.full((1, 1, 1, len(MEASURES)), np.nan), np.ones((1, len(MEASURES))), 0.9, 1, 1,
        "constant",
    )  # fmt: skip
    assert nothing.finding() == "Every training diverged, at every step size."
    assert nothing.best_lambda("spl") is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"optimisers": ["lion"]}, "unknown optimiser 'lion'"),
        ({"optimisers": []}, "no optimiser"),
        ({"make_model": torch.nn.Linear(3, 1)}, "make_model is a model, but it must be a function"),
        ({"batch": 0}, "batch is 0"),
        ({"schedule": "cosine"}, "schedule is 'cosine'"),
        ({"test": 1.5}, "test is 1.5"),
        ({"test": 0.001}, "leaves none"),
        ({"closed": 1}, "closed is 1"),
        ({"beta": 1.0}, "beta"),
        ({"lambdas": [-1.0]}, "lambda"),
        ({"groups": [1, 2]}, "groups have the shape"),
        ({"dataset": 3}, "int"),
        ({"dataset": (torch.ones(3), torch.ones(2))}, "3 inputs and 2 targets"),
    ],
)
def test_what_is_wrong_gets_a_sentence(change, words):
    settings = {"dataset": regression(), "steps": 1, "seeds": 1, **change}
    with pytest.raises(ValueError, match=words):
        check_model(**{"make_model": net, **settings})


@pytest.mark.parametrize("loss", [lambda out, y: ((out[:, 0] - y) ** 2).mean(), lambda out, y: (out - y) ** 2])
def test_a_loss_that_is_not_one_number_for_each_row_is_refused(loss):
    x = torch.ones(20, 2)
    with pytest.raises(SpecError, match="one number for each row"):
        check_model(lambda: nn.Linear(2, 1), (x, x[:, 0]), loss=loss, optimisers="sgd-mean", steps=1, seeds=1)
