"""The tour: six lessons, and links that other pages can read."""

import pytest

from tests.pages.opening import opened, words
from tests.pages.serving import ROOT

pytestmark = pytest.mark.usefixtures("small_lessons")


def test_six_lessons_each_with_a_question_and_a_page(linked):
    page = opened("pages/tour.py")
    titles = [each.value for each in page.markdown if each.value.startswith("### ")]
    assert [title[4] for title in titles] == list("123456")
    assert sum("Before you look" in each.value for each in page.markdown) == 6
    assert len(linked) == 8
    assert all((ROOT / target).exists() for target, *_ in linked)


def test_every_link_is_read_by_its_page(linked):
    opened("pages/tour.py")
    for target, _, setup in list(linked):
        if target == "pages/explore.py" or not setup:
            continue  # Explore starts a run; its links are tested with it
        assert "could not be read" not in words(opened(target, **setup))
