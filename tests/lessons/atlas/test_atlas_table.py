"""Claims about the atlas's tables: failures come first, and every number is in the file."""

import io

import numpy as np
import pandas as pd

from cvar_core.lessons.atlas import LAMBDAS, METHODS, STATES, View, cells, every_number, failures_first
from tests.lessons.atlas.toy import SHAPE, at, at_random, entry, toy

GOOD = at("spl-u", 1.0)


def test_where_the_best_method_fails_is_first_and_worst_first():
    left = np.full((4, *SHAPE), 0.01)
    left[1], left[3] = 0.3, 0.7
    both = GOOD | at("spl", 1.0)
    entries = [entry(name) for name in ("fine for both", "fails", "fine", "fails worse")]
    view = View(toy(entries, [both, ~GOOD & False, GOOD, ~GOOD & False], left))
    order = [view.entries[k].name for k in failures_first(view)]
    assert order == ["fails worse", "fails", "fine", "fine for both"]


def test_a_cell_has_a_sign_the_verdict_and_what_is_left():
    left = np.full((3, *SHAPE), 0.02)
    left[1], left[2] = 42.0, np.inf
    view = View(toy([entry(name) for name in "abc"], [GOOD, ~GOOD & False, ~GOOD & False], left))
    assert cells(view, "spl-u") == ["✓ safe so far, 2%", "✗ not safe, 42 ×", "✗ not safe, diverged"]


def test_the_file_has_one_row_for_each_problem_method_and_lambda():
    view = View(at_random(5, 2))
    text = every_number(view).to_csv(index=False)
    rows = pd.read_csv(io.StringIO(text))
    assert len(rows) == 5 * len(METHODS) * len(LAMBDAS)
    assert set(rows["measure"]) == {"risk"}
    for p, m, k in ((0, 0, 0), (3, 4, 24), (4, 2, 7)):
        chosen = rows[(rows["problem"] == view.entries[p].name) & (rows["method"] == METHODS[m])]
        (row,) = chosen[np.isclose(chosen["lambda"], LAMBDAS[k], rtol=1e-9)].itertuples()
        assert row.state == STATES[view.states[p, m, k]]
        assert row.left == view.left[p, m, k] or np.isclose(row.left, view.left[p, m, k])
        assert row.origin == view.entries[p].origin
