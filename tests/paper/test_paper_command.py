"""``python -m cvar_core figures``: what it writes, and what it says of it."""

import json
import re

import numpy as np
import pytest

from cvar_core import paper
from cvar_core.cli import main
from cvar_core.figures.panels import KINDS

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
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("squared loss, normal noise      sgm ")
    assert all(line.endswith("(the same bits as shipped)") for line in lines[:3])
    assert lines[3] == f"{paper.headline(small.results)}."
    assert re.fullmatch(r"\d+\.\d s", lines[4])
    assert said.err == "", "nothing on stderr when piped"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["figures.html", "results.npz"]


def test_other_sizes_are_not_held_against_what_ships(capsys):
    assert main(SMALL) == 0
    assert "shipped" not in capsys.readouterr().out


def test_the_page_has_both_grids_in_both_themes(small):
    page = paper.html(small.results)
    charts = json.loads(re.search(r'id="charts">(.*?)</script>', page, re.DOTALL)[1])
    assert {theme: len(each) for theme, each in charts.items()} == {"light": 6, "dark": 6}
    assert all(f'id="{kind}-{k}"' in page for kind in KINDS for k in range(3))
    assert "Squared loss: SPL and SPL₊ forgive far more than SGM." in page
    assert "<script>alert" not in page


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
