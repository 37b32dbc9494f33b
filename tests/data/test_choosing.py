"""Columns: what is told of them, which are left out by themselves, and how somebody chooses."""

import numpy as np
import pytest
from hypothesis import given as every
from hypothesis import strategies as st

from cvar_core import DataError, load
from cvar_core.data import columns
from tests.data.tables import given, table

ROWS = 40
RNG = np.random.default_rng(0)
PEOPLE = {
    "PassengerId": [*range(1, ROWS + 1)],
    "name": [f"Doe, {k}" for k in range(ROWS)],
    "age": [None if k % 8 == 0 else float(k % 11) for k in range(ROWS)],
    "town": ["Ulm" if k % 3 else "Bonn" for k in range(ROWS)],
    "flag": [7] * ROWS,
    "nothing": [None] * ROWS,
    "code": [*(RNG.permutation(ROWS) * 3)],
    "customer_id": [*(RNG.permutation(ROWS) * 3)],
    "fare": [*RNG.normal(size=ROWS)],
}
LEFT_OUT = {"PassengerId", "name", "flag", "nothing", "customer_id"}


def people():
    return table(**PEOPLE)


def features(**asked):
    layout = load(people(), "fare", **asked).layout
    assert layout.target not in layout.names
    return set(layout.names)


def test_columns_are_told_with_what_is_left_out_and_why():
    found = {column.name: column for column in columns(people())}
    assert list(found) == list(PEOPLE), "in the order of the file"
    assert {name for name, column in found.items() if column.left_out} == LEFT_OUT
    assert (found["age"].kind, found["age"].missing, found["age"].distinct) == ("number", 5, 11)
    assert (found["age"].low, found["age"].high, sum(found["age"].counts)) == (0.0, 10.0, ROWS - 5)
    assert len(found["age"].counts) == 12
    assert found["town"].kind == "text"
    assert found["town"].counts == (26, 14), "the most frequent text first"
    assert found["nothing"].counts == ()
    assert found["PassengerId"].left_out == "it counts the rows"
    assert "like an id" in found["customer_id"].left_out
    assert found["code"].left_out is None, "any numbers may be distinct"


def test_what_has_no_names_has_no_columns_to_tell_of():
    assert columns(given("1 1:2\n2 2:3\n")) == ()
    with pytest.raises(DataError, match="is empty"):
        columns(given(""))
    with pytest.raises(DataError, match="no table"):
        load(given("1 1:2\n2 2:3\n"), drop=["column 1"])


@pytest.mark.parametrize(
    "name", ["id", "ID", "user_id", "userId", "order ID", "index", "Unnamed: 0", "rownum", "row.names"]
)
def test_names_of_ids(name):
    found = table(**{name: PEOPLE["code"], "y": PEOPLE["fare"]})
    assert columns(found)[0].left_out
    few = table(**{name: PEOPLE["code"][:19], "y": PEOPLE["fare"][:19]})
    assert columns(few)[0].left_out is None, "in a few rows anything may be distinct"
    twice = table(**{name: [*PEOPLE["code"][1:], PEOPLE["code"][1]], "y": PEOPLE["fare"]})
    assert columns(twice)[0].left_out is None


@pytest.mark.parametrize("name", ["paid", "humid", "Kid", "grid", "period", "width"])
def test_names_that_only_end_alike(name):
    assert columns(table(**{name: PEOPLE["code"], "y": PEOPLE["fare"]}))[0].left_out is None


@pytest.mark.parametrize("first", [0, 1])
def test_a_counter_is_one_whichever_rows_are_held_out(first):
    counted = table(t=[*range(first, ROWS + first)], size=PEOPLE["code"], y=PEOPLE["fare"])
    assert load(counted, holdout=0.3, seed=5).columns == ("size",)
    years = table(t=[*range(1990, 1990 + ROWS)], size=PEOPLE["code"], y=PEOPLE["fare"])
    assert load(years, holdout=0.3, seed=5).columns == ("t", "size")


def test_many_texts_are_left_out_and_can_be_put_back():
    texts = [f"text {k % 1_001}" for k in range(3_000)]
    many = table(note=texts, size=[*range(3_000)][::-1], y=[k % 7 for k in range(3_000)])
    assert load(many).columns == ("size",)
    assert "1,001 different texts" in load(many).notes[1]
    assert load(many, keep=["note"]).shape == (3_000, 1_002)


def test_texts_with_few_rows_each_are_left_out_but_not_those_with_many():
    def kinds(count, rows):
        return columns(table(town=[f"town {k % count}" for k in range(rows)], y=[float(k % 7) for k in range(rows)]))[0]

    assert kinds(101, 2_000).left_out == "it holds 101 different texts in 2,000 rows"
    assert kinds(101, 2_100).left_out is None
    assert kinds(100, 1_000).left_out is None


def test_a_column_of_tickets_is_texts_but_a_few_slips_are_said():
    lines = [f"{'A/5 ' if k % 3 == 0 else ''}{1_000 + k},{k % 2}" for k in range(60)]
    ticket = columns(given("\n".join(["ticket,y", *lines])))[0]
    assert (ticket.kind, ticket.distinct) == ("text", 60)
    lines = [f"{'?!' if k in (7, 9) else k % 5},{k % 2}" for k in range(60)]
    with pytest.raises(DataError, match="'size' of the file holds numbers, but '\\?!' in row 8"):
        load(given("\n".join(["size,y", *lines])))


def test_the_target_is_never_left_out():
    for name in LEFT_OUT - {"nothing"}:
        assert load(people(), name).layout.target == name
    assert load(people(), "name").texts == tuple(sorted(PEOPLE["name"]))


@pytest.mark.parametrize(
    ("names", "target"),
    [
        (["Target", "y", "a"], "Target"),
        (["label", "a", "b"], "label"),
        (["a", "CLASS", "b"], "CLASS"),
        (["y", "label", "b"], "y"),
        (["classes", "a", "b"], "b"),
    ],
)
def test_the_first_guess_of_a_target_is_said(names, target):
    data = load(table(**{name: [1.0, 2.0, 4.0] for name in names}))
    assert data.layout.target == target
    assert f"the target is {target!r}" in data.notes[0]
    assert ("the last column" in data.notes[0]) == (target == "b")


subsets = st.sets(st.sampled_from(sorted(set(PEOPLE) - {"fare"})), max_size=4)


@every(subsets, subsets)
def test_keep_and_drop_are_sets(keep, drop):
    keep, drop = keep - {"nothing"}, drop - keep
    usual = set(PEOPLE) - {"fare"} - LEFT_OUT
    wanted = (usual | keep) - drop
    if wanted:
        assert features(keep=tuple(keep), drop=tuple(drop)) == wanted
    else:
        with pytest.raises(DataError, match="left to learn from"):
            features(keep=tuple(keep), drop=tuple(drop))


@every(subsets, subsets)
def test_only_is_exactly_that(only, drop):
    only, drop = only - {"nothing"}, drop - only
    if only:
        assert features(only=tuple(only), drop=tuple(drop)) == only
        assert load(people(), "fare", only=sorted(only)).layout.names == tuple(
            name for name in PEOPLE if name in only
        ), "in the order of the file"


def test_columns_are_found_by_place_and_whatever_blanks_are_around():
    assert features(drop=["3"]) == features(drop=["age"]) == features(drop=[3]) == features(drop=[" age "])
    assert features(drop="age") == features(drop=["age"]), "one name is no list of letters"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"drop": ["prise", "x"]}, "no column 'prise' and no column 'x'; it has 'PassengerId'"),
        ({"keep": ["nam"]}, "did you mean 'name'?"),
        ({"drop": ["fare"]}, "'fare' is the target"),
        ({"drop": ["age"], "only": ["age", "town"]}, "'age' is to be dropped and to be used"),
        ({"drop": ["name"], "keep": ["name"]}, "'name' is to be dropped and to be kept"),
        ({"only": ["age"], "keep": ["name"]}, "not both"),
        ({"drop": ["age", "town", "code"]}, "no column of made.csv is left to learn from; left out: 'PassengerId'"),
        ({"missing": "guess"}, "missing is 'guess', but it must be one of fill, drop, refuse"),
    ],
)
def test_what_cannot_be_chosen_gets_a_sentence(asked, words):
    with pytest.raises(DataError) as raised:
        load(people(), "fare", **asked)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
