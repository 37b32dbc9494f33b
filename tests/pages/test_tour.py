"""The tour: six lessons, and links that other pages can read."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parent.parent.parent / "pages"


@pytest.fixture
def links(monkeypatch):
    """Collect the links; drawing them needs the app's navigation, which a page by itself has not."""
    found = []
    monkeypatch.setattr("pages.components.lesson.link_to", lambda page, words, setup: found.append((page, setup)))
    return found


def opened(name, link=None):
    page = AppTest.from_file(str(PAGES / name), default_timeout=120)
    for key, value in (link or {}).items():
        page.query_params[key] = value
    page.run()
    assert not page.exception, page.exception[0].message
    return page


def test_six_lessons_each_with_a_question_and_a_page(links):
    page = opened("tour.py")
    titles = [each.value for each in page.markdown if each.value.startswith("### ")]
    assert [title[4] for title in titles] == list("123456")
    assert sum("Before you look" in each.value for each in page.markdown) == 6
    assert len(links) == 7
    assert all((PAGES.parent / target).exists() for target, _ in links)


def test_every_link_is_read_by_its_page(links):
    opened("tour.py")
    for target, setup in list(links):
        if target == "pages/explore.py" or not setup:
            continue  # Explore starts a run; its links are tested with it
        page = opened(Path(target).name, setup)
        assert "could not be read" not in " ".join(each.value for each in page.info)
