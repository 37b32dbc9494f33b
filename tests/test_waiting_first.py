"""Each worker begins with tests that wait, and no test is lost."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.waiting_first import ordered, shares


def made(file, *fixtures):
    return SimpleNamespace(path=Path(file), fixturenames=list(fixtures))


@pytest.mark.parametrize("workers", [1, 2, 3, 50])
def test_all_are_there_and_those_that_wait_begin_each_share(workers):
    quick = [made("a.py", "tmp_path") for _ in range(31)]
    waiting = [made(f"{name}.py", "server") for name in "bcd" for _ in range(4)]
    items = [*quick[:20], *waiting, *quick[20:]]
    order = ordered(items, workers)
    assert sorted(map(id, order)) == sorted(map(id, items))
    start = 0
    for share in shares(len(items), workers)[:3]:
        assert order[start] in waiting
        start += share


def test_what_shares_a_server_stays_together():
    names = ["components/x", "components/y", *"bcdefg"]
    waiting = [made(f"{name}.py", "browser") for name in names for _ in range(3)]
    order = ordered([*waiting, *(made("z.py") for _ in range(60))], 3)
    files = [item.path.stem for item in order if "browser" in item.fixturenames]
    assert files == list("xxxyyyfffbbbdddgggccceee")
