"""A store in a file of its own."""

from pathlib import Path

import pytest

from cvar_core.store import database
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


@pytest.fixture(autouse=True)
def looks_once(monkeypatch):
    """A file that fails is not tried again while a test looks, however long that takes."""
    monkeypatch.setattr(database, "PATIENCE", 1e9)
