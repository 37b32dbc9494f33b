"""For pages under ``AppTest`` a manager whose work the test does, for a browser a server whose work it paces."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner

from cvar_core.jobs import Limits, Manager, Settings, Shelf, Uploads
from cvar_core.jobs import job as job_module
from cvar_core.lessons import anatomy, units
from cvar_core.lessons.theory import measured as measuring
from cvar_core.store import Store
from pages.components.asking.fields import Asked
from pages.components.run import run_page
from pages.components.run.session import Session, Shown
from pages.components.sending import server as server_module
from pages.components.sending.ticket import Tickets
from tests.pages.driving import Visits
from tests.pages.gated import Gate, laboratory
from tests.pages.held import Held
from tests.pages.opening import AT_ONCE, smaller
from tests.pages.profiles import Profiles
from tests.pages.serving import Server
from tests.solving import solved_once as solved_once


@pytest.fixture(scope="session", autouse=True)
def packages_are_searched_once() -> Iterator[None]:
    """Streamlit looks for components in all installed packages whenever a test opens a page."""
    with pytest.MonkeyPatch.context() as patch:
        search = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", search)
        yield


@pytest.fixture(scope="module")
def small_lessons() -> Iterator[None]:
    """For tests that do not look at what the lessons compute."""
    sizes = (anatomy, "POINTS", 500), (anatomy, "_STEP", 0.3), (measuring, "POINTS", 500), (measuring, "SEEDS", 2)
    with smaller(*sizes, (units, "EVAL_SIZE", 500), AT_ONCE):
        yield


@pytest.fixture
def linked(monkeypatch) -> list[tuple]:
    """Where the links lead: they need the app's navigation, which a page by itself has not."""
    links: list[tuple] = []
    monkeypatch.setattr("pages.components.lessons.ways.link_to", lambda *link: links.append(link))
    return links


@pytest.fixture(autouse=True)
def sharing(tmp_path, monkeypatch) -> Callable[..., None]:
    """Has pages find a server that keeps nothing; what a test gives it takes the place of that server's own."""
    settings = Settings(tmp_path / "shared")
    idle = Manager(Store.open(None), Held(), 2, Limits())
    own = server_module.Shared(settings, idle, Uploads(settings.folder, Limits()), Shelf(2**20), Tickets(b"a test's"))

    def take(**given: Any) -> None:
        monkeypatch.setattr(server_module, "_shared", replace(server_module._shared or own, **given))

    take()
    return take


@pytest.fixture(autouse=True)
def noting(monkeypatch) -> None:
    """Have pages that run sweeps note what their controls ask for, whether it is shown or not."""
    choose = run_page.choose

    def noted(session: Session, asked: Asked, buttons: Any) -> Shown | None:
        st.session_state[f"{session.page}-asked"] = asked.spec
        return choose(session, asked, buttons)

    monkeypatch.setattr(run_page, "choose", noted)


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def jobs(held, sharing, solved_once, monkeypatch) -> Iterator[Manager]:
    """The pages' manager, which gets ahead only by ``held.work``."""
    manager = Manager(Store.open(None), held, 2, Limits())
    sharing(manager=manager)
    monkeypatch.setattr(job_module, "_ROUNDS", 5)  # few pieces, because each of them costs more than its steps,
    monkeypatch.setattr(job_module, "_SHORTEST", 0.0)  # and yet some, so that there is a middle to look at
    yield manager
    manager.close()


# In a browser.


@pytest.fixture(scope="session")
def profiles(browser) -> Profiles:
    return Profiles(browser)


@pytest.fixture(scope="session")
def everybodys_gate(tmp_path_factory) -> Gate:
    return Gate(tmp_path_factory.mktemp("gate") / "seconds")


@pytest.fixture(scope="session")
def server(tmp_path_factory, everybodys_gate) -> Iterator[Server]:
    """One for all tests that do not ask for an empty one: each has runs of its own, by its number of iterations."""
    with laboratory(tmp_path_factory.mktemp("data"), everybodys_gate) as running:
        yield running


@pytest.fixture
def gate(everybodys_gate) -> Iterator[Gate]:
    """Slows the runs of this test's server; the next test finds it open."""
    yield everybodys_gate
    everybodys_gate.open()


@pytest.fixture
def visit(profiles, server) -> Iterator[Visits]:
    """Opens links, each as a new visitor; nothing may go wrong in their browsers."""
    visits = Visits(profiles, server.url)
    yield visits
    visits.close()
    assert visits.errors == []
