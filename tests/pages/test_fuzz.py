"""Two dozen of the mangled links that ``python -m tools.fuzz`` has thousands of."""

from tools.fuzz import PAGES, fuzz


def test_no_mangled_link_breaks_a_page(small_lessons):
    story = fuzz(cases=24, seed=3)
    assert story.faults == []
    assert all(story.seconds[page] for page in PAGES)
