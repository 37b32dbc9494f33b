"""Every page with a further loss, noise, method and schedule; where one can be chosen, it is, and it runs."""

import pytest

from app import PAGES
from tests.newcomers import halved as halved
from tests.newcomers import laplace as laplace
from tests.newcomers import newcomers as newcomers
from tests.newcomers import timid as timid
from tests.newcomers import waning as waning
from tests.pages.opening import button, opened, shown, words
from tests.pages.reading import figures_of

PROBLEM = {"loss": "halved", "noise": "laplace"}
RUNS = {"methods": ["timid", "spl+"], "schedule": "waning", "seeds": "1", "grid": "list", "list": "0.001, 0.01"}
CHOSEN = {
    "explore": {**PROBLEM, **RUNS, "iterations": "50", "sample_size": "200"},
    "data": {"loss": "halved", **RUNS, "set": "diabetes", "passes": "0.2"},
    "anatomy": PROBLEM,
    "units": {"noise": "laplace"},  # and only losses that can be compiled
    "theory": {**PROBLEM, "iterations": "100"},
}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_with_what_was_registered_last(
    name, newcomers, jobs, held, small_lessons, linked, monkeypatch
):
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page alone has no others
    link = {f"{name}_{field}": value for field, value in CHOSEN.get(name, {}).items()}
    page = opened(f"pages/{name}.py", **link)
    assert "could not be read" not in words(page), "every entry that a link names is one of the page's choices"
    for field, value in CHOSEN.get(name, {}).items():
        if field in PROBLEM:
            assert page.selectbox(key=f"{name}_{field}").value == value
    if name not in ("explore", "data"):
        return
    asked = page.session_state[f"{name}-asked"]
    assert (asked.methods, asked.schedule, asked.problem.loss) == (("timid", "spl+"), "waning", "halved")
    if not held.waiting:
        shown(button(page, "Run").click().run())
    held.work()
    page = shown(page.run())
    assert jobs.view(asked, "").status == "done"
    page.session_state[f"{name}_panel"] = "Your runs"
    assert "Timid and SPL₊, waning step" in words(shown(page.run())), "the history names what sets the run apart"
    assert any(trace["uid"].startswith("timid") for trace in figures_of(page)[f"{name}-sensitivity"]["data"])
