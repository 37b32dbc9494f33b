"""The page "Your model": what it opens with, a study that is computed, stopped and gone on with, and bad links."""

from dataclasses import replace

import pytest

from cvar_core.jobs import Limits, Settings
from cvar_core.lessons import your_model
from cvar_core.lessons.your_model import QUICK, DigitStudy
from cvar_core.own_model import trainers
from pages.components.sending import studies
from pages.components.sending.studies import Studies
from tests.pages.held import Held
from tests.pages.opening import button, opener, shown, words
from tests.pages.reading import disagrees, figures_of, heard

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("your_model")
SMALL = DigitStudy(0.9, 8, 50, 1)
LINK = {"hidden": "8", "steps": "50", "seeds": "1"}


@pytest.fixture
def workers(sharing, monkeypatch):
    """Those of the studies, which get ahead only by ``work``; a training takes one step."""
    held = Held()
    sharing(studies=Studies(held))
    begin = your_model.begin

    def short(asked):
        growing = begin(asked)
        object.__setattr__(growing._plan, "steps", 1)
        return growing

    monkeypatch.setattr(studies, "begin", short)
    monkeypatch.setattr(studies, "PIECE", 0.02)
    return held


def curves(page):
    return {each["name"]: each["x"] for each in figures_of(page)["your_model-cvar"]["data"] if "lines" in each["mode"]}


def test_it_opens_with_the_study_that_ships():
    page = opened()
    study = your_model.shipped_study()
    text = words(page)
    assert f"{your_model.headline(study)}." in text
    assert your_model.untuned(study) in text
    assert your_model.reference_words(study) in text
    for row in your_model.rows(study):
        assert row.label in text
    found = curves(page)
    assert all(len(found[trainer.label]) == len(study.lambdas) for trainer in trainers)
    assert [code.value for code in page.code] == [your_model.TRAINING_CODE.strip(), your_model.STUDY_CODE.strip()]
    assert not page.info
    assert not disagrees(page)


def test_a_study_is_computed_live_stopped_and_gone_on_with(workers):
    page = opened(**LINK)
    shown(button(page, "Train").click().run())
    assert page.query_params["your_model_shown"] == SMALL.text
    assert "under way" in words(page)
    workers.work(2)
    early = sum(map(len, curves(page).values()))
    assert "Training · " in words(page)
    workers.work(2)
    assert sum(map(len, curves(page).values())) > early, "the curves grow without the script"
    shown(button(page, "Stop").click().run())
    workers.work()
    assert "Stopped at" in words(page)
    assert not disagrees(page)
    shown(button(page, "Go on").click().run())
    workers.until(lambda: "So far: " in words(page))
    workers.work()
    assert heard(page)[0]["settled"] == "done"
    assert disagrees(page), "the element has the script run again"
    shown(page.run())
    assert not disagrees(page)
    assert button(page, "Train").disabled, "it is there"
    assert "So far" not in words(page)
    shown(button(page, "Show what ships").click().run())
    assert your_model.headline(your_model.shipped_study()) in words(page)
    assert "your_model_shown" not in page.query_params


def test_a_smaller_share_of_the_gap_forgives_more():
    page = opened(closed="80%")
    study = replace(your_model.shipped_study(), closed=0.8)
    assert f"{your_model.headline(study)}." in words(page)
    assert "closes 80% of that gap" in words(page)
    assert all(
        (study.forgiven[name].decades or 0) >= (found.decades or 0)
        for name, found in your_model.shipped_study().forgiven.items()
    )


def test_a_link_to_a_study_has_it_computed(workers):
    page = opened(shown=SMALL.text, **LINK)
    assert len(workers.waiting) == 1
    assert button(page, "Stop")


def test_what_a_server_does_not_allow_gets_a_sentence(workers, sharing, tmp_path):
    sharing(settings=Settings(tmp_path, limits=Limits(seconds=5)))
    page = opened(shown=QUICK.text)
    assert "but this server allows 5" in words(page)
    assert button(page, "Train").disabled
    assert not workers.waiting, "nor by a link"


@pytest.mark.parametrize(
    "link", [{"shown": "0.9,32,50,7"}, {"beta": "2"}, {"steps": "many"}, {"seeds": "1e9"}, {"hidden": ""}]
)
def test_a_link_that_cannot_be_read_gets_a_sentence(link, workers):
    page = opened(**link)
    assert "Some of this link could not be read" in words(page)
    assert not workers.waiting
