"""Claims about what can be looked at: a filter has what it says, and what it can say is what there is."""

from cvar_core.lessons.atlas import Filter, View, choices, filtered
from cvar_core.results import RISK
from tests.lessons.atlas.toy import SHAPE, entry, toy

ENTRIES = [
    entry("a", loss="huber", beta=0.5), entry("b", loss="squared", beta=0.0), entry("c", "b", loss="huber", beta=0.0),
]  # fmt: skip
ATLAS = toy(ENTRIES, [[[False]]] * 3)


def names(wanted):
    return [each.name for each in filtered(ATLAS, RISK, wanted).entries]


def test_nothing_asked_for_is_everything():
    assert names(Filter()) == ["a", "b", "c"]


def test_values_of_one_field_are_added_and_fields_are_met_together():
    assert names(Filter(loss=("huber",))) == ["a", "c"]
    assert names(Filter(loss=("huber", "squared"))) == ["a", "b", "c"]
    assert names(Filter(loss=("huber",), beta=(0.0,))) == ["c"]
    assert names(Filter(origin=("b",), loss=("squared",))) == ["b"]
    assert names(Filter(loss=("logistic",))) == []


def test_the_choices_are_the_values_that_there_are():
    assert choices(ATLAS, "loss") == ("huber", "squared")
    assert choices(ATLAS, "beta") == (0.0, 0.5)


def test_the_same_question_is_answered_once():
    assert filtered(ATLAS, RISK, Filter()) is filtered(ATLAS, RISK, Filter())
    assert View(ATLAS).safe.shape == (3, *SHAPE)
