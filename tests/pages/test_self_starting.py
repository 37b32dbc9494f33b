"""The Data page starts short runs by itself, and never lets one set's result pass for another's."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from cvar_core.jobs import Limits, Uploads
from pages.components.asking.own_data import FIRST
from pages.components.run import self_starting
from tests.pages.opening import button, shown, words
from tests.pages.serving import ROOT

ADA = "a" * 32
ROWS = "size,price\n" + "".join(f"{k * k},{2 * k + k % 5}\n" for k in range(40))


@pytest.fixture
def files(tmp_path, sharing) -> Uploads:
    uploads = Uploads(tmp_path / "uploads", Limits())
    sharing(uploads=uploads)
    return uploads


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """The clock that the page looks at, which stands still unless the test moves it."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(self_starting, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


@pytest.fixture
def page(jobs, files, clock, held) -> AppTest:
    """The page after its first run, on a small set."""
    opened = open_page(data_set="made-tiny", data_passes="2", data_seeds="1")
    held.work()
    return shown(opened.run())


def open_page(**link: str) -> AppTest:
    opened = AppTest.from_file(str(ROOT / "pages/data.py"), default_timeout=120)
    opened.session_state["cvar-visitor"] = ADA
    for name, value in link.items():
        opened.query_params[name] = value
    return shown(opened.run())


def seeds(page: AppTest, count: int) -> AppTest:
    return shown(page.number_input(key="data_seeds").set_value(count).run())


def a_moment_later(page: AppTest, clock: SimpleNamespace) -> AppTest:
    """What the browser does by itself after the pause."""
    clock.seconds += self_starting.PAUSE
    return shown(page.run())


def shows_what_is_asked_for(page: AppTest) -> bool:
    return bool(page.session_state["data-shown"].spec == page.session_state["data-asked"])


def test_who_comes_sees_a_run_at_once(jobs, files):
    page = open_page()
    assert page.selectbox(key="data_set").value == FIRST
    assert page.query_params["data_set"] == FIRST, "so that the link says it whatever comes first one day"
    assert "This run is under way." in words(page)


def test_the_first_set_has_a_safe_step_size(jobs, files, held):
    page = open_page(data_set=FIRST, data_methods="spl")
    held.work()
    assert "with SPL: safe so far for 5 of 5 starts" in words(shown(page.run()))


def test_a_link_without_a_set_means_what_it_meant(jobs, files):
    assert open_page(data_beta="0.5").selectbox(key="data_set").value == "breast-cancer"


def test_a_short_run_starts_when_the_controls_have_stayed_for_a_moment(page, clock):
    page = seeds(page, 2)
    assert not shows_what_is_asked_for(page)
    assert "The controls have changed. Below is still the run before: made\\-tiny" in words(page)
    assert "The new one starts by itself." in words(page)
    clock.seconds += 0.5 * self_starting.PAUSE
    page = seeds(page, 3)  # which begins the moment anew
    clock.seconds += 0.5 * self_starting.PAUSE
    assert not shows_what_is_asked_for(shown(page.run()))
    page = a_moment_later(page, clock)
    assert shows_what_is_asked_for(page)
    assert "This run is under way." in words(page)
    assert "Below is still" not in words(page)


def test_the_next_one_takes_the_place_of_one_that_has_started_by_itself(page, clock, held, jobs):
    for count in (2, 3, 4):
        page = a_moment_later(seeds(page, count), clock)
    assert jobs.open_jobs == 1
    assert [len(run.spec.seeds) for run in jobs.history(ADA)] == [4, 1], "what was given up is not in the history"
    held.work()
    page = a_moment_later(seeds(shown(page.run()), 5), clock)
    assert [len(run.spec.seeds) for run in jobs.history(ADA)] == [5, 4, 1], "what was done is"
    page = seeds(page, 6)
    page = shown(button(page, "Run").click().run())
    assert [len(run.spec.seeds) for run in jobs.history(ADA)] == [6, 4, 1], "nor does it stay when Run is pressed"
    page = a_moment_later(seeds(page, 7), clock)
    assert jobs.open_jobs == 2, "what was asked for by hand stays"


def test_somebody_else_keeps_a_run_that_is_given_up(page, clock, jobs):
    page = a_moment_later(seeds(page, 2), clock)
    theirs = page.session_state["data-asked"]
    jobs.submit(theirs, "b" * 32)
    a_moment_later(seeds(page, 3), clock)
    assert jobs.is_live(theirs.id)


def test_a_long_run_waits_for_the_button_and_says_how_long(page, clock, jobs, monkeypatch):
    monkeypatch.setattr(jobs, "estimate", lambda spec: 60.0)
    page = a_moment_later(seeds(page, 2), clock)
    assert not shows_what_is_asked_for(page)
    assert "**Run** computes the new one: about 60 s." in words(page)
    page = shown(button(page, "Run").click().run())
    assert shows_what_is_asked_for(page)


def test_what_the_server_refuses_is_not_tried_again_and_again(page, clock, jobs, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(jobs_per_visitor=0))
    page = a_moment_later(seeds(page, 2), clock)
    assert "You have 0 runs open" in words(page)
    assert "starts by itself" not in words(page)
    monkeypatch.setattr(jobs, "limits", Limits())
    page = a_moment_later(page, clock)
    assert not shows_what_is_asked_for(page), "until the visitor presses Run"


def test_one_sets_result_does_not_pass_for_anothers(page, files, clock):
    files.add(ADA, "cars.csv", ROWS.encode())
    page = shown(shown(page.run()).selectbox(key="data_set").set_value("cars.csv").run())
    assert "Below is still **made\\-tiny**, not **cars\\.csv**: made\\-tiny" in words(page)
    page = a_moment_later(page, clock)
    assert shows_what_is_asked_for(page)
    assert "Below is still" not in words(page)
    files.add(ADA, "bad.csv", b"a,b\n1,2\n3\n")
    page = shown(shown(page.run()).selectbox(key="data_set").set_value("bad.csv").run())
    assert "Below is still **cars\\.csv**, not **bad\\.csv**: cars\\.csv" in words(page)
    assert "What is marked in red cannot be run." in words(page)
