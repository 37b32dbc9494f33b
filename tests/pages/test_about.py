"""The About page: what runs here, how busy it is, what it allows; and a server that was told nonsense."""

import re

import numba
import pytest

from cvar_core import ProblemSpec, SweepSpec, __version__
from cvar_core.engine import memory
from cvar_core.jobs import Limits, Manager, Settings
from cvar_core.store import Store
from pages.components.sending import server
from tests.pages.held import Held
from tests.pages.opening import opened
from tests.pages.reading import heard


@pytest.fixture
def jobs(sharing):
    manager = Manager(Store.open(None), Held(), 3, Limits(memory=sum(memory(_problem(0)))))  # for one at a time
    for seed in range(3):
        manager.submit(SweepSpec(_problem(seed), iterations=10, seeds=1), "somebody")
    sharing(manager=manager)
    return manager


def _problem(seed):
    return ProblemSpec(eval_size=1_000, seed=seed)


def test_it_says_how_busy_the_server_is(jobs):
    (heard_there,) = heard(opened("pages/about.py"))
    told = dict(re.findall("<small>(.*?)</small>(.*?)</div>", heard_there["words"]))
    assert told["workers"] == "3"
    assert (told["runs being computed"], told["runs in line"]) == ("1", "2")
    assert told["stored runs"].endswith(" MB")


def test_it_lists_the_limits_in_force_and_the_versions(jobs, sharing):
    sharing(settings=Settings.read({"CVAR_MAX_RUNS": "77", "CVAR_DATA_DIR": "/a/secret/place"}))
    limits, versions = (table.value for table in opened("pages/about.py").table)
    told = [
        row.about for row in Settings().rows if row.variable not in ("CVAR_DATA_DIR", "CVAR_PROXIES", "CVAR_SCHEDULER")
    ]
    assert limits["limit"].tolist() == told
    assert "77" in limits["at most"].tolist()
    assert "/a/secret/place" not in limits.to_string()
    parts = dict(zip(versions["part"], versions["version"], strict=True))
    assert (parts["cvar_core"], parts["numba"]) == (__version__, numba.__version__)


@pytest.mark.parametrize("name", ["about", "explore", "paper"])
def test_a_server_that_was_told_nonsense_says_so_on_the_page(monkeypatch, name, caplog):
    monkeypatch.setattr(server, "_shared", None)
    monkeypatch.setenv("CVAR_WORKERS", "many")
    (sentence,) = [each.value for each in opened(f"pages/{name}.py").error]
    assert "CVAR_WORKERS is 'many', but it must be a whole number above 0" in sentence
    assert "CVAR_WORKERS" in caplog.text
