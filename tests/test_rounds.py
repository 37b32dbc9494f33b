"""Rounds of tests: a row for each, and a verdict that one failure spoils."""

import doctest

import pytest

from tools import rounds
from tools.rounds import Round

TRIED = """
import pytest

def test_good(): pass
def test_bad(): assert False, "this is kept"
def test_left_out(): pytest.skip()
"""


def test_what_pytest_notes_is_counted():
    assert doctest.testmod(rounds) == (0, 3)


def test_a_round_runs_the_tests_and_keeps_what_a_failure_said(tmp_path):
    tried = tmp_path / "test_tried.py"
    tried.write_text(TRIED)
    found = rounds.play(3, tmp_path, [str(tried)])
    (bad,) = found.failed
    assert bad.endswith("test_tried.test_bad")
    assert (found.number, found.passed, found.skipped) == (3, 1, 1)
    assert "this is kept" in (tmp_path / "3.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("second", "code"), [((2, 5, [], 0), 0), ((2, 4, ["t.a"], 0), 1), ((2, 0, [], 5), 1), ((2, 0, [], 0), 1)]
)
def test_rounds_are_good_if_in_each_something_ran_and_nothing_failed(second, code, tmp_path, monkeypatch, capsys):
    played = {1: Round(1, 5, [], 0, 60.0, 7.0), 2: Round(*second, 60.0, 7.0)}
    monkeypatch.setattr(rounds, "play", lambda number, *_: played[number])
    monkeypatch.setattr("sys.argv", ["rounds", "--count", "2", "--burning", "0", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        rounds.main()
    assert ended.value.code == code
    assert capsys.readouterr().out.splitlines()[-1].endswith("none" if code == 0 else "[2]")
