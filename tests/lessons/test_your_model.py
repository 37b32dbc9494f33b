"""The study of a network on digits: what ships can be computed again, and the words are those of the numbers."""

import runpy
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from cvar_core import own_model
from cvar_core.jobs import Limits
from cvar_core.lessons import your_model
from cvar_core.lessons.your_model import CHOICES, QUICK, SHIPPED_STUDY, DigitStudy
from cvar_core.lessons.your_model.rare_digits import RARE, network, rare_digits
from cvar_core.own_model.model_check import GRID
from cvar_core.own_model.training import MEASURES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def study():
    return your_model.shipped_study()


def test_what_ships_is_whole(study):
    assert study.optimisers == own_model.trainers.names()
    assert study.records.shape == (10, SHIPPED_STUDY.seeds, len(GRID), len(MEASURES))
    assert study.lambdas == GRID
    assert np.isfinite(study.starts).all()
    assert 0 < study.reference < your_model.start(study)


@pytest.mark.parametrize(("name", "seed", "lam"), [("spl-u", 3, 1.0), ("adam-ru", 0, 0.01)])
def test_a_cell_of_what_ships_is_computed_again(study, name, seed, lam):
    task, at = rare_digits(), next(k for k, each in enumerate(GRID) if each == pytest.approx(lam))
    groups = task.test.groups
    with_torch = own_model.check_model(
        lambda: network(SHIPPED_STUDY.hidden), (task.train.x, task.train.y), (task.test.x, task.test.y), groups=groups,
        beta=SHIPPED_STUDY.beta, optimisers=[name], lambdas=[GRID[at]], steps=SHIPPED_STUDY.steps, seeds=[seed],
        progress=False,
    )  # fmt: skip
    shipped = study.records[study.optimisers.index(name), seed, at]
    np.testing.assert_allclose(with_torch.records[0, 0, 0], shipped, rtol=0.02)  # float32: processors round differently
    np.testing.assert_allclose(with_torch.starts[0], study.starts[seed], rtol=1e-4)


def test_the_digits_are_those_of_the_script():
    told, task = runpy.run_path(str(DOCS / "own_model.py"))["digits"](), rare_digits()
    assert torch.equal(told["dataset"][0], task.train.x)
    assert torch.equal(told["test"][1], task.test.y)
    assert told["beta"] == SHIPPED_STUDY.beta
    shares = [[(rows.y == digit).double().mean().item() for digit in range(10)] for rows in (task.train, task.test)]
    assert all(shares[0][digit] < 0.04 < 0.07 < shares[1][digit] for digit in RARE)


def test_a_study_s_text_is_read_back_and_nothing_else_is():
    for values in product(*CHOICES.values()):
        assert DigitStudy.read(DigitStudy(*values).text) == DigitStudy(*values)
    for text in (
        "",
        "shipped",
        "0.9",
        "0.9,32,50",
        "0.9,32,50,2,1",
        "0.9,32,50,2 ",
        "0.90,32,50,2",
        "1,32,50,2",
        ",,,",
    ):
        assert DigitStudy.read(text) is None


def test_pieces_of_a_study_stay_within_its_estimate_s_order():
    growing = your_model.begin(DigitStudy(steps=50, seeds=1))
    assert growing.steps_left == growing.count * 50 == your_model.trainings(DigitStudy(steps=50, seeds=1)) * 50
    assert your_model.seconds_of(SHIPPED_STUDY) == pytest.approx(25 * your_model.seconds_of(replace(QUICK, seeds=2)))


def test_the_headline_names_the_most_forgiving_of_each_family_first(study):
    words = your_model.headline(study)
    forgiven = {name: study.forgiven[name].decades or 0.0 for name in study.optimisers}
    best = max(forgiven, key=forgiven.get)
    first = own_model.trainers[best].label.split()[0]
    assert words.startswith(first)
    assert f"{forgiven[best]:.1f} decades of λ" in words
    assert "SGD on the" in words
    assert "Adam on the" in words


def test_the_rows_are_the_study_s_numbers(study):
    table = study.robustness().set_index("optimiser")
    found = your_model.rows(study)
    assert {row.name for row in found} == set(study.optimisers)
    widths = [table.loc[row.name, "decades"] or 0.0 for row in found]
    assert widths == sorted(widths, reverse=True)
    for row in found:
        assert float(row.cvar) == pytest.approx(table.loc[row.name, "test_cvar"], rel=0.01)
        assert float(row.mean) == pytest.approx(table.loc[row.name, "test_mean"], rel=0.01)
        assert float(row.worst_group.rstrip("%")) == pytest.approx(100 * table.loc[row.name, "worst_group"], abs=0.51)


def test_what_spl_u_does_without_tuning_is_counted(study):
    k, at = study.optimisers.index("spl-u"), GRID.index(1.0)
    left = study.cvars[k, :, at] - study.reference
    usable = sum(left <= 0.1 * (study.starts[:, MEASURES.index("test_cvar")] - study.reference))
    assert f"usable for {usable} of 5 starts" in your_model.untuned(study)
    diverged = study.records.copy()
    diverged[k, :, at] = np.nan
    assert "SPL-U at λ = 1 diverges" in your_model.untuned(replace(study, records=diverged))
    worse = study.records.copy()
    worse[k, :, at] = 2 * study.starts
    assert "is worse than before training and is usable for 0 of 5" in your_model.untuned(replace(study, records=worse))
    others = [place for place in range(len(GRID)) if place != at]
    without = replace(study, lambdas=tuple(GRID[k] for k in others), records=study.records[:, :, others])
    assert your_model.untuned(without) == ""


def test_studies_without_a_usable_step_size_are_told():
    study = your_model.shipped_study()
    lost = replace(study, records=np.full_like(study.records, np.nan))
    assert your_model.headline(lost) == "Every training diverged, at every step size"
    assert {row.decades for row in your_model.rows(lost)} == {"none"}
    stuck = np.broadcast_to(study.starts[None, :, None], study.records.shape).copy()
    stuck[0, :3, 0] *= 0.9  # a reference that only itself reaches
    assert your_model.headline(replace(study, records=stuck, seeds=study.seeds)) != ""


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(iterations=499), "500 steps, but this server allows at most 499"),
        (Limits(seeds=4), "5 seeds, but this server allows at most 4"),
        (Limits(lambdas=14), "15 step sizes"),
        (Limits(runs=749), "750 trainings"),
        (Limits(seconds=20), "fewer steps or seeds"),
    ],
)
def test_a_server_s_limits_hold(limits, words):
    assert words in your_model.refused(SHIPPED_STUDY, limits)
    assert your_model.refused(SHIPPED_STUDY, Limits()) is None


def test_the_lines_to_copy_run(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    x, y = torch.randn(40, 3, generator=torch.Generator().manual_seed(0)), torch.arange(40) % 2
    model = nn.Linear(3, 2)
    before = model.weight.detach().clone()
    exec(your_model.TRAINING_CODE, {"torch": torch, "model": model, "loader": [(x, y)] * 3})
    assert not torch.equal(before, model.weight)
    whole = own_model.check_model
    little = {"steps": 5, "seeds": 2, "lambdas": [0.1, 1.0], "optimisers": ["spl+", "spl-u"], "progress": False}
    monkeypatch.setattr(own_model, "check_model", lambda *given, **named: whole(*given, **{**named, **little}))
    exec(your_model.STUDY_CODE, {"make_model": lambda: nn.Linear(3, 2), "x": x, "y": y})
    assert "SPL" in capsys.readouterr().out
    assert (tmp_path / "study.html").exists()
