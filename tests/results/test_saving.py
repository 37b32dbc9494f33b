"""A result in a file: bit for bit, versioned, bounded, and a sentence for whatever else a file is."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from cvar_core import Problem, Result, SpecError, sweep
from cvar_core.results import saving


@pytest.fixture(scope="module")
def diverging():
    problem = Problem.synthetic(noise="normal", eval_size=300, dim=3)
    result = sweep(problem, ["sgm", "spl+"], [0.1, 1e9], iterations=60, seeds=[3, 1], checkpoints=4)
    assert np.isnan(result.objectives).any(), "a diverged run is among them"
    return result


@pytest.fixture(scope="module")
def on_rows():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 3))
    return sweep(Problem.from_arrays(x, x.sum(1), "absolute", test=(x[:9], x[:9, 0])), ["spl"], [1], 30, 2)


def bits(result):
    arrays = {"objectives": result.objectives, "recorded": result.recorded, **result.beside}
    return {name: values.tobytes() for name, values in arrays.items()}, result.optimum.theta.numpy().tobytes()


@pytest.mark.parametrize("which", ["diverging", "on_rows"])
def test_a_file_has_the_same_bits(which, request, tmp_path):
    result = request.getfixturevalue(which)
    result.save(tmp_path / "run.npz")
    again = Result.load(tmp_path / "run.npz")
    assert again == result
    assert bits(again) == bits(result)
    assert (again.spec.id, again.timings) == (result.spec.id, result.timings)
    assert again.to_dict() == result.to_dict()


def test_a_sweep_that_is_not_over_is_kept_as_it_is(diverging, tmp_path):
    recorded = diverging.recorded.copy()
    recorded[1, 0] = 2
    half = replace(diverging, recorded=recorded)
    half.save(tmp_path / "run.npz")
    assert Result.load(str(tmp_path / "run.npz")) == half != diverging


def rewritten(path, **changes):
    """Write the file again with other members."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    for name, change in changes.items():
        key = f"{name}.npy"
        found = change(np.load(io.BytesIO(members.pop(key)), allow_pickle=False))
        if found is not None:
            content = io.BytesIO()
            np.save(content, found, allow_pickle=True)
            members[key] = content.getvalue()
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


def about(**changes):
    def change(stored):
        said = json.loads(stored.tobytes()) | changes
        return np.frombuffer(json.dumps(said).encode(), np.uint8)

    return change


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"about": about(format=99)}, "has format 99.* this version reads format 1"),
        ({"about": lambda _: None}, "is not a file that Result.save has written"),
        ({"about": about(beside=["risk"])}, "is not a file"),
        ({"about": about(spec={"problem": {"beta": 2}})}, "beta is 2"),
        ({"objectives": lambda found: found[:1]}, "is not a file"),
        ({"objectives": lambda found: np.zeros(found.shape, "f4")}, "is not a file"),
        ({"objectives": lambda found: np.zeros(10**6)}, "is not a file"),
        ({"recorded": lambda found: np.array([[None]])}, "is not a file"),
        ({"theta": lambda found: found[:-1]}, "is not a file"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(diverging, tmp_path, changes, words):
    path = tmp_path / "run.npz"
    diverging.save(path)
    rewritten(path, **changes)
    with pytest.raises(SpecError, match=words):
        Result.load(path)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04" + bytes(50)])
def test_other_files_get_a_sentence(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(SpecError, match=r"is not a file that Result\.save has written"):
        Result.load(tmp_path / "other")


def test_files_that_cannot_be_opened_get_a_sentence(diverging, tmp_path):
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        Result.load(tmp_path / "nowhere.npz")
    with pytest.raises(SpecError, match="cannot be written: No such file"):
        diverging.save(tmp_path / "nowhere" / "run.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_cut_file_is_never_read_as_another(diverging, tmp_path):
    diverging.save(tmp_path / "run.npz")
    whole = (tmp_path / "run.npz").read_bytes()
    for length in range(0, len(whole), 97):
        (tmp_path / "cut.npz").write_bytes(whole[:length])
        with pytest.raises(SpecError):
            Result.load(tmp_path / "cut.npz")


def test_no_more_is_unpacked_than_the_spec_has(diverging, tmp_path, monkeypatch):
    diverging.save(tmp_path / "run.npz")
    monkeypatch.setattr(saving, "_MOST", 8)
    with pytest.raises(SpecError, match=r"holds 0\.0 GB; at most"):
        Result.load(tmp_path / "run.npz")


def test_a_member_that_is_too_long_is_left_before_it_is_unpacked(diverging, tmp_path, monkeypatch):
    path, taken = tmp_path / "run.npz", []
    diverging.save(path)
    rewritten(path, objectives=lambda _: np.zeros(10**6))
    read = zipfile.ZipExtFile.read

    def counted(self, n=-1):
        found = read(self, n)
        taken.append(len(found))
        return found

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    with pytest.raises(SpecError, match="is not a file"):
        Result.load(path)
    assert 0 < max(taken) < 100_000, "of eight million bytes"
