"""The tour: a lesson at a time, a click that answers, links that other pages can read, and answers that are true."""

import math
import re

import pytest

from cvar_core import paper_grid
from cvar_core.catalogue import losses, methods, noises
from cvar_core.lessons import tour
from cvar_core.lessons.models import Setup, update
from cvar_core.results import MEASURES, OBJECTIVE, RISK
from pages.components.lessons.tour_lessons import LESSONS
from tests.pages.opening import button, opened, shown, words
from tests.pages.reading import charts_of
from tests.pages.serving import ROOT

pytestmark = pytest.mark.usefixtures("small_lessons", "linked")

FACTS = tour.shipped()
RIGHT = "".join("abcd"[lesson.right] for lesson in LESSONS)


def tour_page(**link):
    return opened("pages/tour.py", **link)


def heading(page):
    (found,) = [each.value for each in page.markdown if each.value.startswith("# ")]
    return found


def in_link(page, name):
    """Return what the URL says: a list of texts as it was given, a text once a page has written it."""
    value = page.query_params[name]
    return value if isinstance(value, str) else value[-1]


def figure(page):
    return charts_of(page)["tour-figure"]


@pytest.mark.parametrize("number", range(1, len(LESSONS) + 1))
def test_each_lesson_has_a_figure_and_a_question_whose_answer_shows_in_it(number, linked):
    lesson, link = LESSONS[number - 1], {"tour_lesson": str(number)}
    page = tour_page(**link)
    assert heading(page) == f"# {number}. {lesson.title}"
    before = figure(page)
    assert before["title"]
    assert before["label"].startswith(before["title"])
    assert not page.success
    assert not page.warning
    shown(button(page, lesson.answers[lesson.right][0]).click().run())
    assert page.success[0].value.startswith("**Right.**")
    assert figure(page)["title"] != before["title"]
    assert "1 of 8 answered" in words(page)
    wrong = next(k for k in range(len(lesson.answers)) if k != lesson.right)
    shown(button(page, lesson.answers[wrong][0]).click().run())
    assert lesson.answers[wrong][1] in page.warning[0].value
    assert lesson.told in page.warning[0].value
    assert in_link(page, "tour_answers") == "-" * (number - 1) + "abcd"[wrong] + "-" * (8 - number)


def test_one_goes_on_and_back_and_the_answers_stay():
    page = tour_page(tour_answers="b")
    assert "1 of 8 answered" in words(page)
    assert button(page, "Back").disabled
    shown(button(page, "Next lesson").click().run())
    assert heading(page).startswith("# 2.")
    assert in_link(page, "tour_lesson") == "2"
    shown(button(page, "Back").click().run())
    assert heading(page).startswith("# 1.")
    assert page.success
    assert page.button_group[0].options[:2] == ["1\u2009✓", "2"]


def test_the_last_lesson_leads_out(linked):
    page = tour_page(tour_lesson="8", tour_answers=RIGHT)
    assert "8 of 8 answered" in words(page)
    assert "Next lesson" not in [each.label for each in page.button]
    assert all((ROOT / target).exists() for target, *_ in linked)
    assert len(linked) == 1 + 4


@pytest.mark.parametrize("link", [{"tour_lesson": "9"}, {"tour_lesson": "x"}, {"tour_answers": "zzzzzzzzzzzzz"}])
def test_a_mangled_link_opens_the_first_lesson(link):
    page = tour_page(**link)
    assert heading(page).startswith("# 1.")
    assert "0 of 8 answered" in words(page)


def test_another_level_is_another_line():
    page = tour_page(tour_answers="b")
    before = figure(page)
    (level,) = [each for each in page.button_group if each.key == "tour-beta"]
    shown(level.set_value("0.95").run())
    assert "worst 5%" in figure(page)["title"]
    assert figure(page)["figure"] != before["figure"]


# The links.


def links():
    return [(lesson.page, setup) for lesson in LESSONS for setup in (lesson.setup, *(lesson.then or ())[1:])]


def test_every_link_takes_the_lesson_along(linked):
    for number, lesson in enumerate(LESSONS, start=1):
        linked.clear()
        tour_page(tour_lesson=str(number), tour_answers=RIGHT)
        assert [target for target, *_ in linked][:1] == [lesson.page]
        for _, _, setup in linked[: 1 + (lesson.then is not None)]:
            assert setup["tour_lesson"] == str(number)
            assert setup["tour_answers"] == RIGHT


@pytest.mark.parametrize(
    ("target", "setup"),
    [link for link in links() if link[0] in ("pages/anatomy.py", "pages/models.py", "pages/theory.py")],  # soon there
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_link_is_read_by_its_page(target, setup):
    page = opened(target, **setup, tour_lesson="3", tour_answers=RIGHT)
    assert "could not be read" not in words(page)
    told = {name: value for name, value in setup.items() if name in page.query_params}
    assert all(in_link(page, name) == value for name, value in told.items())


def test_a_link_to_explore_names_its_problem_and_judges_as_its_lesson_does():
    setups = [setup for target, setup in links() if target == "pages/explore.py"]
    assert len(setups) == 6
    for setup in setups:
        assert setup["explore_loss"] in losses
        assert setup["explore_noise"] in noises
        assert setup.get("explore_measure", RISK) in MEASURES
        assert set(setup.get("explore_methods", [])) <= set(methods.names())
        if setup["explore_noise"] == "lognormal":
            assert setup["explore_measure"] == OBJECTIVE, "by the risk there is nothing to close"
        if "explore_at" in setup:
            assert setup["explore_at"] in map(repr, paper_grid()), "a λ that has curves"
    *_, objective, risk = setups
    assert objective == {**risk, "explore_measure": OBJECTIVE}, "the same runs, judged twice"


# The answers, held to the numbers that ship, which tests/lessons/test_tour.py holds to what is computed.


def told(number, sentence):
    """Return the numbers of a lesson's sentence, with # in the place of each."""
    lesson = LESSONS[number - 1]
    said = "\n".join([lesson.text, lesson.question, lesson.told, *(each for pair in lesson.answers for each in pair)])
    found = re.search(re.escape(sentence).replace(r"\#", r"([\d.,]*\d)"), said)
    assert found, sentence
    return [float(each.replace(",", "")) for each in found.groups()]


def rounded(value, digits=2):
    return float(f"{value:.{digits}g}")


def right(number):
    lesson = LESSONS[number - 1]
    return lesson.answers[lesson.right][0]


def test_cvar_helps_the_hills_at_a_price():
    data = tour.deliveries()
    ordinary, careful = (FACTS.fits[beta].errors(data) for beta in (0.0, 0.9))
    tails = [FACTS.fits[beta].worst(data, 0.9) for beta in (0.0, 0.9)]
    assert right(1) == "The hills gain much, the town pays a little"
    assert careful[data.hills].mean() < 0.6 * ordinary[data.hills].mean()
    assert 0 < careful[~data.hills].mean() - ordinary[~data.hills].mean() < 2
    assert told(1, "worst # went to the hills: it is off by # minutes there") == [
        data.hills[tails[0]].sum(), rounded(ordinary[tails[0]].mean())
    ]  # fmt: skip
    assert told(1, "CVaR brings the worst #% down to # minutes, and only # of them") == [
        10, rounded(careful[tails[1]].mean()), data.hills[tails[1]].sum()
    ]  # fmt: skip
    assert told(1, "rises from # to # minutes") == [rounded(each.mean()) for each in (ordinary, careful)]


def test_cvar_is_so_far_from_the_mean():
    found = FACTS.losses
    assert told(2, "have a mean of #") == [rounded(found.mean)]
    assert told(2, "#, about three times the mean") == [rounded(found.cvar)]
    assert right(2).startswith("4.7")
    assert 2.8 < found.cvar / found.mean < 3.2
    assert told(2, "#, the largest loss") == [rounded(found.largest)]
    assert told(2, "it begins at #") == [rounded(found.var)]


def test_the_subgradient_method_has_so_narrow_a_valley():
    left = dict(zip(FACTS.calm.lambdas, FACTS.calm.left["sgm"], strict=True))
    low, high = FACTS.calm.usable["sgm"]
    assert told(3, "with λ = # it leaves #% of the excess risk") == [0.1, rounded(100 * left[0.1], 1)]
    assert right(3) == "It explodes: millions of times the start"
    assert left[1.0] > 1e6
    assert told(3, "over # decades of λ, from # to #.") == [
        rounded(math.log10(high / low)), rounded(low), rounded(high)
    ]  # fmt: skip
    assert FACTS.heavy.usable["sgm"] is None
    assert rounded(100 * dict(zip(FACTS.calm.lambdas, FACTS.calm.left["spl"], strict=True))[1.0], 1) == 0.1, (
        "as SPL does"
    )


def test_spl_stops_at_the_curve_and_sgm_does_not():
    sgm, spl = (update(name, Setup()) for name in ("sgm", "spl"))
    assert told(4, "falls from # to #; SGM’s step takes it to #.") == [
        spl.before, rounded(spl.after, 3), rounded(sgm.after, 3)
    ]  # fmt: skip
    above = spl.alpha - spl.loss - spl.slope * (spl.theta - 2)
    assert above == pytest.approx(0, abs=1e-9), "on the line that touches the curve at θ = 2"
    opening = LESSONS[3].setup
    assert [float(opening[f"models_{name}"]) for name in ("lambda", "theta", "alpha", "beta")] == [
        Setup().lam, Setup().theta, Setup().alpha, Setup().beta
    ]  # fmt: skip


def test_cents_leave_spl_nothing():
    spl, plus = (dict(zip(FACTS.units.scales, FACTS.units.usable[name], strict=True)) for name in ("spl", "spl+"))
    assert right(5) == "SPL₊ keeps its own, SPL has none left"
    assert spl[100.0] is None
    assert told(5, "From a factor of # on") == [min(scale for scale, each in spl.items() if each is None)]
    assert all(each == pytest.approx(plus[1.0], rel=1e-3) for each in plus.values())
    assert spl[1.0] == pytest.approx(plus[1.0], rel=0.7), "nearly the same in dollars"


def room(swept, name, lam):
    low, high = swept.usable[name]
    return [math.log10(lam / low), math.log10(high / lam)]


def test_one_step_size_has_the_most_room():
    calm, heavy = FACTS.calm, FACTS.heavy
    offers = [("sgm", 0.03), ("spl", 1.0), ("spl+", 100.0), ("sgm", 1.0)]
    assert [text for text, _ in LESSONS[5].answers] == [f"{methods[n].label} with λ = {lam:g}" for n, lam in offers]
    least = [min(room(calm, *offer)) for offer in offers]
    assert least.index(max(least)) == LESSONS[5].right
    assert least[3] < 0 < min(least[:3]) < 1.1, "the others work, but for ten times more"
    said = told(6, "SPL at λ = 1 has # decades of room below and # above, SPL₊ # and #.")
    assert said == [round(each, 1) for name in ("spl", "spl+") for each in room(calm, name, 1.0)]
    said = told(6, "SPL₊ has # and #, SPL # and #.")
    assert said == [round(each, 1) for name in ("spl+", "spl") for each in room(heavy, name, 1.0)]


def test_the_objective_misleads_about_the_model():
    found = FACTS.threshold
    assert found.objective[-1] == pytest.approx(0.1, abs=0.005), "a tenth"
    assert told(7, "Far more: #%") == [rounded(100 * found.risk[-1])]
    assert told(7, "fallen from # to #, where # is possible") == [rounded(each) for each in found.cvar]
    assert right(7) == "Far more: 72%"


def test_a_bound_is_so_much_too_careful():
    sgm, plus = FACTS.promises["sgm"], FACTS.promises["spl+"]
    least = sgm.at(sgm.best)
    assert told(8, "**at most #**") == [rounded(least)]
    assert told(8, "is least at λ ≈ #") == [rounded(sgm.best, 1)]
    assert told(8, "About twenty times less: #") == [rounded(sgm.reached)]
    assert least / sgm.reached == pytest.approx(20, rel=0.05)
    assert right(8).startswith("About twenty times less")
    assert told(8, "looser still: # times") == [rounded(plus.at(plus.best) / plus.reached)]
