"""Pages run under ``app.py`` whoever comes first, and however many at once."""

from streamlit.runtime.pages_manager import PagesManager

from pages.components.internals import run_pages_under_the_app
from tests.pages.serving import ROOT


def test_streamlit_does_not_take_the_folder_of_pages_for_the_list_of_pages(monkeypatch):
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(ROOT / "app.py"))
    assert PagesManager.uses_pages_directory, "there is something to prevent"
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    run_pages_under_the_app()
    PagesManager(str(ROOT / "app.py"))
    assert not PagesManager.uses_pages_directory
