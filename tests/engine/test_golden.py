"""The same seed means the same samples and the same run, as long as ENGINE_VERSION says so: see ``golden``."""

import copy
import json

import pytest

from cvar_core.catalogue import losses, methods, noises, schedules
from cvar_core.problem import draws
from cvar_core.version import ENGINE_VERSION
from tests.engine import golden
from tests.engine.golden_numbers import resumed

GOLDEN = golden.read()
ENTRIES = {golden.name(entry): entry for entry in GOLDEN["entries"]}
STOPPED = [each for each, entry in ENTRIES.items() if entry["kind"] == "stopped"]

ADVICE = """the numbers of a run have changed, in {}: {}

Runs that are stored would go on with other numbers than they began with, unseen. If the change is meant, or comes with
another release of numpy, raise ENGINE_VERSION (cvar_core/version.py) and write the numbers anew with
`python -m tests.engine.golden`."""


def test_the_numbers_are_of_this_engine_version():
    assert GOLDEN["engine_version"] == ENGINE_VERSION, "write the numbers anew with `python -m tests.engine.golden`"


@pytest.mark.parametrize("name", ENTRIES)
def test_the_numbers_have_not_changed(name):
    change = golden.change(ENTRIES[name])
    assert change is None, ADVICE.format(name, change)


@pytest.mark.parametrize("name", STOPPED)
def test_a_stored_state_goes_on_to_the_same_end(name):
    of, expected = ENTRIES[name]["of"], ENTRIES[name]["is"]
    change = golden.difference(expected["end"], resumed(expected["state"], **of))
    assert change is None, ADVICE.format(name, change)


def test_all_that_is_registered_has_golden_numbers():
    runs = [entry["of"] for entry in ENTRIES.values() if entry["kind"] == "run"]
    covered = {
        losses: {of["loss"] for of in runs},
        noises: {each for of in runs for each in of["noise"] or ()},
        methods: {of["method"] for of in runs},
        schedules: {of["schedule"] for of in runs},
    }
    lacking = [
        f"the {kind.kind} {each!r}" for kind, names in covered.items() for each in kind.names() if each not in names
    ]
    assert not lacking, f"{', '.join(lacking)}: no golden numbers yet; `python -m tests.engine.golden` adds them"


def test_no_two_entries_share_a_name():
    assert len(ENTRIES) == len(GOLDEN["entries"])


def test_runs_end_in_another_block_than_they_began():
    for entry in ENTRIES.values():
        if entry["kind"] in ("run", "stopped"):
            of, records = entry["of"], entry["is"].get("end", entry["is"])
            length = draws.SPARSE_BLOCK if of["on"] == "sparse rows" else draws.block_length(of["dim"])
            assert records["iterations"][-1] > length > of.get("at", 0)


@pytest.fixture
def file(tmp_path):
    """A small file of golden numbers, as the code at hand computes them."""
    written = tmp_path / "golden.json"
    wanted = [
        {"kind": "block length", "of": {"dim": 10}},
        {"kind": "step sizes", "of": {"method": "sgm", "initial_loss": 2.0}},
    ]
    golden.write(written, wanted)
    return written


def falsified(file):
    kept = golden.read(file)
    changed = copy.deepcopy(kept)
    changed["entries"][1]["is"]["theta"][0] *= 1 + 1e-6
    file.write_text(json.dumps(changed))
    return kept


def test_changed_numbers_are_not_written_over_with_the_same_engine_version(file):
    falsified(file)
    before = file.read_text()
    with pytest.raises(SystemExit, match="raise ENGINE_VERSION"):
        golden.write(file, [])
    assert file.read_text() == before


def test_a_raised_engine_version_writes_all_anew_and_is_not_lowered_again(file, monkeypatch):
    kept = falsified(file)
    monkeypatch.setattr(golden, "ENGINE_VERSION", ENGINE_VERSION + 1)
    golden.write(file, kept["entries"])
    assert golden.read(file) == {"engine_version": ENGINE_VERSION + 1, "entries": kept["entries"]}
    monkeypatch.undo()
    with pytest.raises(SystemExit, match=f"of engine {ENGINE_VERSION + 1}"):
        golden.write(file, [])


def test_what_is_new_is_added_and_what_is_there_stays(file):
    before = golden.read(file)["entries"]
    golden.write(file, [{"kind": "block length", "of": {"dim": 200}}, {"kind": "block length", "of": {"dim": 10}}])
    assert golden.read(file)["entries"] == [*before, {"kind": "block length", "of": {"dim": 200}, "is": 2_048}]


def test_numbers_of_what_is_no_longer_registered_count_as_changed():
    entry = {"kind": "step sizes", "of": {"method": "newton", "initial_loss": 2.0}, "is": {"theta": [1.0]}}
    assert "unknown method 'newton'" in golden.change(entry)


def test_a_difference_in_the_seventh_digit_is_seen_and_one_in_the_last_bits_is_not():
    assert golden.difference({"risk": [1.0, 2.0]}, {"risk": [1.0, 2.0 + 4e-15], "more": 1.0}) is None
    assert golden.difference({"risk": [1.0, 2.0]}, {"risk": [1.0, 2.0 + 1e-6]}).startswith("risk: ")
    assert golden.difference({"risk": [1.0, 2.0]}, {"objective": [1.0, 2.0]}).startswith("risk: ")
    assert golden.difference([0, 1, 60], [0, 1, 61]) is not None
