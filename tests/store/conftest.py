"""A store in a file of its own."""

from pathlib import Path

import pytest

from tests.store.filling import opened


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "data" / "runs.db"


@pytest.fixture
def kept(path):
    with opened(path) as each:
        assert each.trouble is None
        assert each.path == path
        yield each
