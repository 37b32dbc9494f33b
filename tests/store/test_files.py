"""A file that cannot be the store, or not now: it is left as it is, and runs go on in memory."""

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path

import pytest

from cvar_core.store import Store, tables
from tests.store.filling import UNTIL_FREE, fill, opened, spec_of, works


@contextlib.contextmanager
def unprivileged():
    """Without root's rights, which no permission binds."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that every user can reach, as pytest's own is not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def unusable():
    def folder(path):
        path.mkdir()
        return "cannot be opened, because a folder stands in its place"

    def foreign(path):
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE recipes (soup)")
        db.close()
        return "is the database of another program, which is left as it is"

    return [folder, foreign]


@pytest.mark.parametrize("breaks", unusable(), ids=lambda each: each.__name__)
def test_a_file_that_cannot_be_the_store(path, breaks):
    path.parent.mkdir()
    what = breaks(path)
    before = path.read_bytes() if path.is_file() else None
    with opened(path, mend=True) as at:
        works(at, path, what)
    assert before == (path.read_bytes() if path.is_file() else None)


def test_a_file_where_the_folder_should_be(path):
    path.parent.write_text("a file")
    with opened(path) as at:
        works(at, path, "cannot be made, because a file stands where its folder should be")


def test_a_folder_without_permission(open_folder):
    (open_folder / "closed").mkdir(mode=0o700 if os.geteuid() == 0 else 0)
    path = open_folder / "closed" / "deep" / "runs.db"
    with unprivileged(), opened(path) as at:
        works(at, path, "cannot be opened, because the dashboard has no permission for the file or its folder")


def test_a_read_only_file(open_folder):
    path = open_folder / "runs.db"
    with opened(path) as at:
        fill(at, spec_of())
    path.chmod(0o444)
    (open_folder / "runs.db.lock").chmod(0o666)
    with unprivileged(), opened(path) as at:
        works(at, path, "cannot be written, because the file or its folder is read-only")


def test_a_file_that_another_program_has_locked(path):
    with opened(path) as at:
        fill(at, spec_of())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with opened(path) as at:
        works(at, path, "is locked by another program")
    other.close()


def test_a_disk_that_is_full(path, monkeypatch):
    connect = tables.connect

    def cramped(where):
        db = connect(where)
        if where != ":memory:":
            db.execute("PRAGMA max_page_count = 3").fetchall()
        return db

    monkeypatch.setattr(tables, "connect", cramped)
    with opened(path) as at:
        works(at, path, "cannot grow, because the disk is full")


def test_a_disk_that_cannot_be_written(path):
    resource = pytest.importorskip("resource")
    with opened(path) as at:
        fill(at, spec_of())
    reader = sqlite3.connect(path)  # keeps the index of the log, which would need room too
    reader.execute("SELECT count(*) FROM runs").fetchone()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        at = Store.open(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        reader.close()
    works(at, path, "cannot be read or written, because the disk reports an error")
    at.close()


def test_two_stores_on_one_file(kept, path, tmp_path):
    fill(kept, spec_of())
    (tmp_path / "link").symlink_to(path)
    for name in (path, tmp_path / "link"):
        with opened(name) as second:
            works(second, name, "is in use by another dashboard", UNTIL_FREE)
    assert kept.trouble is None
    assert kept.run(spec_of(77).id) is None
    kept.close()
    with opened(path) as third:
        assert third.trouble is None
