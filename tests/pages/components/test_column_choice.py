"""Which columns are ticked: what a link tells of it means the same again, and is what the library uses."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from cvar_core.data import DATE, Column, columns, load, read_table
from pages.components.asking.column_choice import ColumnChoice, Told
from pages.components.asking.column_table import changes, extent

ROWS = [f"{k},{k % 7},name {k},{k * k % 5},{k % 3},always,{(k + 3) % 4}" for k in range(30)]
TABLE = read_table(io.BytesIO("\n".join(["id,a,name,b,c,same,d", *ROWS]).encode()))
COLUMNS = columns(TABLE)
NAMES = [column.name for column in COLUMNS]
LEFT_OUT = {"id", "name", "same"}

choices = st.dictionaries(st.sampled_from(NAMES), st.booleans()).map(ColumnChoice(COLUMNS).using)
targets = st.sampled_from(sorted(set(NAMES) - LEFT_OUT))


def used(choice: ColumnChoice, target: str) -> tuple[str, ...]:
    return tuple(column.name for column in choice.features(target))


def test_what_is_of_no_use_is_left_out_at_first():
    assert {column.name for column in COLUMNS if column.left_out} == LEFT_OUT
    assert used(ColumnChoice(COLUMNS), "d") == ("a", "b", "c")
    assert ColumnChoice(COLUMNS).told("d") == Told()


@given(choices, targets)
def test_what_is_told_of_a_choice_means_the_same_again(choice, target):
    told = choice.told(target)
    assert used(ColumnChoice.of(COLUMNS, told), target) == used(choice, target)
    assert target not in (*told.drop, *told.keep, *told.only), "the target is not left out, nor put back"
    assert sum(map(len, told)) <= max(len(used(choice, target)), 1) or not used(choice, target)


@settings(deadline=None)
@given(choices, targets)
def test_what_is_ticked_is_what_is_used(choice, target):
    expected = used(choice, target)
    if expected:
        assert load(TABLE, target, **choice.told(target)._asdict()).layout.names == expected


@given(choices, choices)
def test_the_last_word_on_a_column_counts(first, second):
    wanted = {column.name: second.uses(column) for column in COLUMNS}
    assert first.using(wanted) == second


def test_names_that_no_column_has_are_passed_over():
    assert ColumnChoice.of(COLUMNS, Told(drop=("x", "a"), keep=("y", "b"))) == ColumnChoice(COLUMNS).using({"a": False})


def test_ticks_name_columns_and_the_last_target():
    edits = {0: {"use": True}, 3: {"use": False, "target": True}, 6: {"target": False}}
    assert changes(COLUMNS, edits) == ({"id": True, "b": False}, "b")
    assert changes(COLUMNS, {}) == ({}, None)


def test_a_column_of_any_dates_has_its_ends_in_words():
    assert extent(Column("day", DATE, 0, 2, -0.5, 18_262.75, (1, 1), None)) == "1969-12-31 to 2020-01-01"
    assert extent(Column("day", DATE, 0, 2, -719_162.0, 2_932_896.0, (1, 1), None)) == "0001-01-01 to 9999-12-31"
    assert extent(Column("name", "text", 0, 2, None, None, (1, 1), None)) == ""
