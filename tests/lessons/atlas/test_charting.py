"""The atlas is computed as anyone would, goes on where it was stopped, and says what it cannot compute."""

import numpy as np
import pytest

from cvar_core import SpecError, SweepSpec, sweep
from cvar_core.cli import main
from cvar_core.lessons import atlas
from cvar_core.lessons.atlas import charting
from cvar_core.results import MEASURES, Criterion

from .by_hand import gaps_by_hand, shipped

ENTRIES = {entry.name: entry for entry in atlas.every_problem()}
TINY = "made tiny, raw, squared"


@pytest.fixture
def quick(monkeypatch):
    """Few updates, and the count of sweeps that were run."""
    swept = []

    def short(problem, methods=atlas.METHODS):
        return SweepSpec(problem, methods, atlas.LAMBDAS, 20, tuple(range(atlas.SEEDS)), checkpoints=1)

    def counted(problem, *args, run=charting.run):
        swept.append(problem.spec)
        return run(problem, *args)

    monkeypatch.setattr(charting, "sweep_of", short)
    monkeypatch.setattr(charting, "run", counted)
    return swept


def steps(names, parts):
    return list(atlas.chart([ENTRIES[name] for name in names], parts, workers=1))


def test_what_was_computed_is_not_computed_again(quick, tmp_path):
    names = [TINY, "made tiny, raw, absolute"]
    first = steps(names[:1], tmp_path)
    second = steps(names, tmp_path)
    assert [step.known for step in second] == [True, False]
    assert len(quick) == 2
    assert np.array_equal(first[0].found.gaps, second[0].found.gaps, equal_nan=True)
    assert first[0].found.problems == second[0].found.problems


@pytest.mark.parametrize("harm", ["damaged", "of other versions", "of another problem"])
def test_a_part_that_cannot_be_trusted_is_computed_again(quick, tmp_path, monkeypatch, harm):
    steps([TINY], tmp_path)
    part, *rest = tmp_path.iterdir()
    assert len(rest) == len(atlas.METHODS) - 1, "a file for each method"
    if harm == "damaged":
        part.write_bytes(part.read_bytes()[:-40])
    elif harm == "of other versions":
        monkeypatch.setattr(charting, "versions", lambda: {"engine": "another"})
    else:
        other = steps(["made tiny, raw, absolute"], tmp_path / "other")[0].found
        atlas.write(part, other)
    (step,) = steps([TINY], tmp_path)
    assert not step.known
    assert step.found.problems[0].entry.name == TINY


def test_a_new_method_is_computed_alone_and_the_others_are_taken_from_what_ships(quick, tmp_path, monkeypatch):
    (whole,) = steps([TINY], tmp_path / "all")
    known = atlas.only(whole.found, atlas.METHODS[1:])
    asked = []
    monkeypatch.setattr(charting, "run", lambda problem, spec, *rest, run=charting.run: (
        asked.append(spec.methods), run(problem, spec, *rest))[1])  # fmt: skip
    (step,) = atlas.chart([ENTRIES[TINY]], tmp_path / "new", workers=1, shipped=known)
    assert asked == [atlas.METHODS[:1]]
    assert atlas.packed(step.found) == atlas.packed(whole.found)


def test_data_that_are_not_here_are_said_to_be_missing_and_nothing_else_stops(quick, tmp_path):
    found = steps(["Auto, raw, squared", "heat, raw, squared", TINY], tmp_path)
    assert "pip install --no-deps ISLP==0.6.0" in found[0].why
    assert "heat.csv" in found[1].why
    assert [step.found is None for step in found] == [True, True, False]
    with pytest.raises(atlas.Missing, match="it is not in"):
        ENTRIES["heat, raw, squared"].make(str(tmp_path))


def test_a_file_tells_the_same_atlas(quick, tmp_path):
    whole = atlas.joined([step.found for step in steps([TINY, "made tiny, raw, huber"], tmp_path)])
    atlas.write(tmp_path / "whole.npz", whole)
    again = atlas.read(tmp_path / "whole.npz")
    assert again.problems == whole.problems
    assert atlas.packed(again) == atlas.packed(whole)
    for text in (b"", b"PK\x05\x06", b"nothing"):
        (tmp_path / "bad.npz").write_bytes(text)
        with pytest.raises(SpecError, match="is not an atlas"):
            atlas.read(tmp_path / "bad.npz")


def test_verdicts_are_those_of_a_sweep(quick, tmp_path):
    (step,) = steps([TINY], tmp_path)
    problem = ENTRIES[TINY].make()
    spec = charting.sweep_of(problem.spec)
    result = sweep(problem, spec.methods, spec.lambdas, spec.iterations, spec.seeds, workers=1, checkpoints=1)
    for m, measure in enumerate(MEASURES):
        judged = result.judged(Criterion(measure))
        for k, method in enumerate(atlas.METHODS):
            states = [atlas.STATES[code] for code in step.found.states[0, m, k]]
            assert states == [judged.verdict(method, lam).state for lam in atlas.LAMBDAS]


def test_the_shipped_atlas_is_of_the_problems_that_there_are():
    known = atlas.shipped()
    assert [each.entry for each in known.problems] == list(atlas.every_problem())
    assert len(known.problems) >= 60
    assert {each.entry.role for each in known.problems} == set(atlas.ROLES)
    assert all(each.spec.methods == atlas.METHODS for each in known.problems)
    certified = [each.certified is not None for each in known.problems]
    assert np.mean(certified) > 0.95


def test_a_shipped_cell_by_the_torch_definition():
    found = gaps_by_hand(ENTRIES[TINY], "spl-u", 1.0, 0)
    assert found == pytest.approx(shipped(TINY, "spl-u", 1.0, 0), rel=1e-5)


def test_the_command_goes_on_where_it_was_stopped(quick, tmp_path, capsys):
    asked = ["atlas", "--only", "tiny, raw", "--parts", str(tmp_path / "parts"), "--out", str(tmp_path / "a.npz")]
    assert main(asked) == 0
    assert capsys.readouterr().out.count("(known)") == 0
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert told.count("(known)") == 3
    assert "3 of 3 problems" in told
    assert len(atlas.read(tmp_path / "a.npz").problems) == 3


@pytest.mark.parametrize(
    ("flags", "word"), [(["--only", "nonesuch"], "in no problem's name"), (["--data", "nonesuch"], "no such folder")]
)
def test_what_is_wrong_is_said_in_a_sentence(flags, word, capsys):
    assert main(["atlas", *flags]) == 2
    told = capsys.readouterr().err
    assert word in told
    assert told.count("\n") == 1
