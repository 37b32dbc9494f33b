"""What a server is told by its environment, and that the README lists all of it."""

from dataclasses import fields
from pathlib import Path

import pytest

from cvar_core import SpecError
from cvar_core.jobs import Limits, Settings

README = Path(__file__).parent.parent.parent / "README.md"


def test_an_empty_environment_has_the_usual_limits():
    told = Settings.read({"HOME": "/nowhere", "CVAR_MAX_RUNS": "  "})
    assert told.limits == Limits()
    assert told.workers >= 1


def test_every_limit_can_be_set():
    names = [each.name for each in fields(Limits)]
    told = Settings.read({f"CVAR_MAX_{name.upper()}": str(17 + k) for k, name in enumerate(names)})
    assert [getattr(told.limits, name) for name in names] == [17 + k for k in range(len(names))]
    assert told.limits.faults({"iterations": 18})["iterations"].endswith("at most 17")


def test_the_folder_the_workers_and_the_proxies_can_be_set():
    told = Settings.read({"CVAR_DATA_DIR": "somewhere", "CVAR_WORKERS": "3", "CVAR_PROXIES": "2"})
    assert (told.folder, told.workers, told.proxies) == (Path("somewhere"), 3, 2)
    assert Settings.read({"CVAR_SCHEDULER": " tcp://here:8786 "}).scheduler == "tcp://here:8786"
    assert Settings.read({"CVAR_PROXIES": "0"}).proxies == Settings.read({}).proxies == 0


@pytest.mark.parametrize("text", ["-1", "one", "1.5"])
def test_proxies_are_counted(text):
    with pytest.raises(SpecError, match=r"CVAR_PROXIES is .*, but it must be a whole number such as 0 or 1"):
        Settings.read({"CVAR_PROXIES": text})


@pytest.mark.parametrize(("text", "bytes_"), [("1000", 1000), ("64K", 2**16), ("512m", 2**29), (" 2G ", 2**31)])
def test_sizes_have_units(text, bytes_):
    assert Settings.read({"CVAR_MAX_STORE": text}).limits.store == bytes_


@pytest.mark.parametrize("text", ["abc", "0", "-3", "1.5", "nan", "inf", "1e400", "G", "5T", "9" * 30])
@pytest.mark.parametrize("variable", ["CVAR_MAX_STORE", "CVAR_WORKERS"])
def test_what_is_no_number_gets_a_sentence(variable, text):
    with pytest.raises(SpecError, match=f"{variable} is .*, but it must be a whole number above 0"):
        Settings.read({variable: text})


def test_a_limit_that_does_not_exist_is_not_overlooked():
    with pytest.raises(SpecError, match="CVAR_MAX_ITERATION is set, but there is no such limit; there are CVAR_MAX_I"):
        Settings.read({"CVAR_MAX_ITERATION": "5"})


def test_the_readme_lists_every_variable_with_its_usual_value():
    folder, workers, *limits = Settings().rows
    documented = [line for line in README.read_text("utf-8").splitlines() if line.startswith("| `CVAR_")]
    assert documented == [
        f"| `{folder.variable}` | the user's data folder | {folder.about} |",
        f"| `{workers.variable}` | all processors, or a container's share | {workers.about} |",
        *(f"| `{row.variable}` | {row.usual} | {row.about} |" for row in limits),
    ]
