"""The field that takes files: it leaves none in memory, and says what became of those that were not taken in."""

from types import SimpleNamespace

import pytest
import uvicorn
from streamlit.testing.v1 import AppTest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from cvar_core.data import DataError, Recipe
from cvar_core.jobs import Limits, Shelf, Uploads
from pages.components import internals
from pages.components.asking import turned_away
from pages.components.asking.sources import Sources
from pages.components.sending import server
from tests.pages.opening import opened
from tests.pages.serving import ROOT


def script() -> None:
    import streamlit as st

    from cvar_core.jobs import Limits
    from pages.components.asking.files import draw_upload
    from pages.components.asking.sources import Sources
    from pages.components.sending.server import shelf, uploads

    sources = Sources(uploads(), shelf(), Limits(), "ada")
    draw_upload("data", sources, Limits(), lambda names: st.text(f"chosen: {names}"))


@pytest.fixture
def memory(monkeypatch) -> SimpleNamespace:
    """What Streamlit holds of the tab, and what it was told to let go."""
    held = SimpleNamespace(files=[], left=[])
    monkeypatch.setattr(internals, "session_id", lambda: "tab")
    monkeypatch.setattr(internals, "files_of", lambda session: held.files)
    monkeypatch.setattr(internals, "let_go", lambda session, file: held.left.append((session, file)))
    return held


@pytest.fixture
def page(memory, sharing, tmp_path) -> AppTest:
    sharing(uploads=Uploads(tmp_path / "uploads", Limits(uploads=1)))
    return AppTest.from_function(script).run()


def came(page: AppTest, *names: str) -> AppTest:
    page.file_uploader[0].set_value([(name, b"1,2\n", "text/plain") for name in names])
    return page.run()


def faults(page: AppTest) -> list[str]:
    assert not page.exception
    return [each.value.split("error: ")[1].rstrip("].\\") for each in page.markdown]


def test_no_file_stays_in_memory_taken_or_not(page, memory):
    came(page, "a.csv", "b.csv")
    assert len({file for session, file in memory.left if session == "tab"}) == 2
    assert len(faults(page)) == 1, "there is room for one"


def test_a_file_that_has_left_the_memory_gets_a_sentence(page, monkeypatch):
    monkeypatch.setattr(internals, "UploadedFile", SimpleNamespace)  # Streamlit gives something else in its place
    assert faults(came(page, "a.csv")) == ["A file was here too long before it was read\\. Upload it again"]


def test_a_refusal_is_said_until_other_files_come(page):
    before = page.file_uploader[0].key
    turned_away.note("tab", "Too many.")
    assert faults(page.run()) == ["Too many"]
    assert page.file_uploader[0].key != before, "the field knows no more than a number, and is cleared"
    assert faults(page.run()) == ["Too many"]
    assert faults(came(page, "a.csv")) == []


@pytest.mark.parametrize("first", ["refusal", "files"])
def test_a_refusal_is_said_beside_files_of_the_same_choice_that_came(page, memory, first):
    memory.files = ["a", "b"]  # they are there, and the page has not heard of them
    before = page.file_uploader[0].key
    if first == "refusal":
        turned_away.note("tab", "Too many.")
        assert faults(page.run()) == ["Too many"]
        assert page.file_uploader[0].key == before, "another field would not know of them"
        memory.files = []
        assert faults(came(page, "a.csv")) == ["Too many"]
    else:
        memory.files = []
        came(page, "a.csv")
        turned_away.note("tab", "Too many.")
        assert faults(page.run()) == ["Too many"]
    assert faults(came(page, "a.csv")) == []


def test_a_file_that_goes_while_it_is_asked_for_gets_a_sentence_without_its_place(tmp_path):
    files = Uploads(tmp_path / "uploads", Limits())
    kept = files.add("ada", "cars.csv", b"1,2\n")
    sources = Sources(files, Shelf(2**20), Limits(), "ada")
    kept.path.unlink()
    with pytest.raises(DataError, match=r"^cars\.csv is no longer here: upload it again, or choose another$"):
        sources.data(Recipe("cars.csv"))


@pytest.mark.parametrize("name", ["explore", "data"])
def test_pages_note_where_their_visitors_come_from(name, jobs, monkeypatch):
    monkeypatch.setattr(server, "whence", lambda peer, forwarded, proxies: f"192.0.2.{proxies}")
    visitor = opened(f"pages/{name}.py").session_state["cvar-visitor"]
    assert server._for_a_page().whereabouts.of(visitor) == "192.0.2.0"
    assert not [page.name for page in (ROOT / "pages").glob("*.py") if "visitor_id" in page.read_text("utf-8")]


def test_a_header_does_not_change_who_has_connected(monkeypatch):
    async def app(scope, receive, send) -> None: ...

    serving = uvicorn.Server(uvicorn.Config(app, log_config=None))
    monkeypatch.setattr(internals, "_server", lambda: serving)
    internals.trust_nobody()
    serving.config.load()
    assert not isinstance(serving.config.loaded_app, ProxyHeadersMiddleware)
