"""``python -m cvar_core figures``: what it writes, and what it says of it."""

import json
import re
from html import escape

import numpy as np
import pytest

from cvar_core import SpecError
from cvar_core.cli import main
from cvar_core.figures.lessons.paper_charts import KINDS
from cvar_core.lessons import paper
from cvar_core.results import JUDGED_BY, MEASURES, Criterion

SMALL = ["figures", "--iterations", "100", "--seeds", "2", "--eval-size", "1000", "--workers", "1"]


@pytest.fixture(autouse=True)
def one_of_each_loss(monkeypatch):
    every = paper.panels
    monkeypatch.setattr(paper, "panels", lambda *sizes: every(*sizes)[::4])


def test_the_command_writes_what_ships_in_the_same_form(small, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(paper, "shipped", lambda: small)
    out, page = tmp_path / "results.npz", tmp_path / "figures.html"
    assert main([*SMALL, "--out", str(out), "--html", str(page)]) == 0
    for result, known in zip(paper.read(out), small, strict=True):
        assert result.spec == known.spec
        np.testing.assert_array_equal(result.objectives, known.objectives)
        np.testing.assert_array_equal(result.risks, known.risks)
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("squared loss, normal noise      by the model's risk sgm ")
    assert all("; by the objective sgm " in line for line in lines[:3])
    assert all(line.endswith("(the same bits as shipped)") for line in lines[:3])
    assert lines[3:5] == [f"{paper.headline(small.results, Criterion(measure))}." for measure in MEASURES]
    assert re.fullmatch(r"\d+\.\d s", lines[5])
    assert said.err == "", "nothing on stderr when piped"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["figures.html", "results.npz"]


def test_other_sizes_are_not_held_against_what_ships(small, capsys, monkeypatch):
    others = paper.Study(tuple(paper.compute(paper.panels(50, 1, 300)[:1], 1)), ("an id",), {})
    monkeypatch.setattr(paper, "shipped", lambda: others)
    assert main(SMALL) == 0
    assert "shipped" not in capsys.readouterr().out


def test_the_page_has_both_grids_by_both_measures_in_both_themes(small):
    page = paper.html(small.results)
    charts = json.loads(re.search(r'id="charts">(.*?)</script>', page, re.DOTALL)[1])
    assert {theme: len(each) for theme, each in charts.items()} == {"light": 12, "dark": 12}
    assert all(f'id="{kind}-{measure}-{k}"' in page for kind in KINDS for measure in MEASURES for k in range(3))
    for measure in MEASURES:
        assert escape(paper.headline(small.results, Criterion(measure))) in page
        assert f"What the paper says of them, judged by {escape(JUDGED_BY[measure])}" in page
    assert "Squared loss: SPL and SPL₊ forgive far more than SGM." in page
    assert "<script>alert" not in page


def test_it_is_computed_anew_though_what_ships_cannot_be_read(tmp_path, capsys, monkeypatch):
    def unreadable():
        raise SpecError("it has another format")

    monkeypatch.setattr(paper, "shipped", unreadable)
    assert main([*SMALL, "--out", str(tmp_path / "results.npz")]) == 0
    assert len(paper.read(tmp_path / "results.npz").results) == 3
    assert "shipped" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--iterations", "0"], "iterations is 0"),
        (["--seeds", "abc"], "--seeds"),
        (["--eval-size", "1.5"], "--eval-size"),
        (["--workers", "0"], "workers is 0"),
        (["--out", "/no/such/folder/file.npz"], "cannot write /no/such/folder/file.npz"),
        (["--loss", "squared"], "--loss"),
    ],
)
def test_bad_input_is_one_line_before_any_work(flags, words, capsys):
    assert main([*SMALL, *flags]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
