"""What people type becomes numbers, and goes back to text without losing a bit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import SpecError, paper_grid
from cvar_core.reading import log_range, read_grid, read_names, write_grid, write_names

step_sizes = st.floats(1e-12, 1e12)


@given(st.sets(step_sizes, min_size=1, max_size=30))
def test_a_written_grid_reads_as_itself(lambdas):
    grid = tuple(sorted(lambdas))
    assert read_grid(write_grid(grid)) == grid


@given(step_sizes, step_sizes, st.integers(2, 200))
def test_a_log_range_is_written_as_a_range(low, high, count):
    if not low * 1.001 < high:
        return
    grid = log_range(low, high, count)
    assert len(grid) == count
    assert (grid[0], grid[-1]) == (low, high)
    assert count == 2 or ":" in write_grid(grid)
    assert read_grid(write_grid(grid)) == grid


@given(st.lists(st.text().map(str.strip).filter(bool)))
def test_written_names_read_as_themselves(names):
    assert read_names(write_names(names)) == tuple(names)


def test_grids():
    assert read_grid("0.1,1, 10") == (0.1, 1.0, 10.0)
    assert read_grid("1e-3:1e2:6") == pytest.approx((1e-3, 1e-2, 1e-1, 1, 10, 100))


def test_the_paper_s_grid_has_a_name():
    assert write_grid(paper_grid()) == "paper"
    assert read_grid(" paper ") == paper_grid()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("abc", "'abc', but it must be a number"),
        ("1,two", "'two'"),
        ("1:2", "low:high:count"),
        ("1:2:3:4", "low:high:count"),
        ("2:1:5", "0 < low < high"),
        ("0:1:5", "0 < low < high"),
        ("1:inf:5", "'inf', but it must be a finite number"),
        ("nan:1:5", "'nan', but it must be a finite number"),
        ("1:10:1", "between 2 and"),
        ("1:10:1000000", "between 2 and"),
        ("1:10:2.5", "whole number"),
    ],
)
def test_what_is_no_grid_gets_a_sentence(text, word):
    with pytest.raises(SpecError, match="lambdas") as wrong:
        read_grid(text)
    assert word in str(wrong.value)
