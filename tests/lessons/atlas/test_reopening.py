"""Claims about computing a problem of the atlas again: what is opened is the very same problem."""

import shlex

import pytest

from cvar_core.data import sets
from cvar_core.lessons.atlas import SETS, command, every_problem, recipe

SHIPPING = [each for each in every_problem() if each.table is not None and SETS[each.table].file in sets]
FIRST_OF_EACH = {(each.table, each.prepared): each for each in reversed(SHIPPING) if each.table != "made sparse"}


@pytest.mark.parametrize("entry", FIRST_OF_EACH.values(), ids=lambda entry: entry.name)
def test_the_recipe_makes_the_data_of_the_problem(entry):
    made = recipe(entry)
    again = made.load().problem(entry.loss, entry.beta, positive=made.positive)
    assert again.spec.data == entry.make().spec.data


def test_every_set_has_a_recipe_unless_a_package_brings_it():
    for entry in every_problem():
        packaged = entry.table is not None and SETS[entry.table].package is not None
        assert (recipe(entry) is None) == (entry.table is None or packaged)


def test_the_command_names_the_problem_in_one_word_of_the_shell():
    for entry in every_problem():
        assert shlex.split(command(entry)) == ["python", "-m", "cvar_core", "atlas", "--only", entry.name]
