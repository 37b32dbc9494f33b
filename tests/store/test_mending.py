"""A file that is damaged before the start, or of another version: it is kept beside a new one with what can be read."""

import os
import random
import re
import shutil
import sqlite3

import pytest

from cvar_core.engine import shards
from cvar_core.problem import Optimum
from cvar_core.store import tables
from cvar_core.store.rescue import rescue
from tests.store.filling import bits, fill, ids, made_up, opened, spec_of, works
from tests.store.outdating import outdate

WHOLE = [made_up(spec_of(dim=40), 0, 6)]
PAGE = 4096


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """The file of thirty runs that somebody has opened."""
    path = tmp_path_factory.mktemp("healthy") / "runs.db"
    with opened(path) as at:
        for seed in range(30):
            at.visit("ann", fill(at, spec_of(seed, dim=40)))
    return path


@pytest.fixture
def path(healthy, tmp_path):
    copy = tmp_path / "runs.db"
    shutil.copy(healthy, copy)
    return copy


def whole(at, run_id) -> bool:
    """Whether a run is there, bit for bit."""
    states, records = at.load(run_id)
    return len(states) == 4 and all(
        bits([states[each], *records[each]]) == bits(list(WHOLE[0])) for each in shards(at.run(run_id).spec)
    )


def count(at) -> int:
    return sum(whole(at, run_id) for run_id in ids(at.history("ann", most=100)))


def overwrite(path, place, content):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


def ways():
    """How a file is damaged, and the least of its thirty runs that have to come out of it."""

    def middle(path):
        overwrite(path, path.stat().st_size // 2 // PAGE * PAGE, b"\xff" * PAGE * 6)
        return 20

    def two_places(path):
        for part in (3, 7):
            overwrite(path, path.stat().st_size * part // 10 // PAGE * PAGE, b"\x00" * PAGE)
        return 24

    def truncated(path):
        os.truncate(path, path.stat().st_size // PAGE // 2 * PAGE)
        return 10

    def says_nothing(path):
        overwrite(path, 68, b"\xde\xad\xbe\xef")  # whose file it is
        return 30

    def garbage(path):
        path.write_bytes(b"These are not the pages you are looking for. " * 400)
        return 0

    def text(path):
        path.write_text("Dear diary")
        return 0

    def header(path):
        overwrite(path, 0, os.urandom(100))
        return 30

    def schema(path):
        overwrite(path, 100, os.urandom(PAGE - 100))
        return 30

    def first_page(path):
        overwrite(path, 0, bytes(PAGE))
        return 30

    return [middle, two_places, truncated, says_nothing, garbage, text, header, schema, first_page]


@pytest.mark.parametrize("damages", ways(), ids=lambda each: each.__name__)
def test_what_can_be_read_of_a_damaged_file_is_rescued(path, damages):
    least, told = damages(path), []
    before = path.read_bytes()
    with opened(path) as at:
        works(at, path, "is damaged")  # a file that is asked for by name is not moved without being told to
    assert path.read_bytes() == before
    with opened(path, mend=True, tell=told.append) as at:
        assert (at.trouble, at.path) == (None, path)
        assert count(at) >= least
        there = at._database.read(lambda db: db.execute("SELECT count(*) FROM runs").fetchone()[0])
        said = {0: "Nothing in it could be read"}.get(there, f"{there} runs could be read, and are kept")
        assert at.notice == f"The store of runs was damaged when the dashboard started. {said}."
        aside = path.with_name("runs.db.damaged")
        assert told == [f"{at.notice} What was at {path} is now {aside}."]
        assert aside.read_bytes() == before
        found, kept = count(at), fill(at, spec_of(99))
    with opened(path, mend=True, tell=told.append) as again:
        assert (again.trouble, again.notice, count(again), len(told)) == (None, None, found, 1)
        assert again.run(kept).progress == 1
    assert {each.name for each in path.parent.iterdir()} == {"runs.db", "runs.db.lock", "runs.db.damaged"}


@pytest.mark.parametrize("header", [False, True])
def test_a_store_that_was_brought_up_to_date_has_its_tables_elsewhere(path, header):
    db = sqlite3.connect(path, isolation_level=None)
    outdate(db)
    db.close()
    with opened(path) as at:
        assert count(at) == 30
    if header:
        overwrite(path, 0, os.urandom(100))
    else:
        os.truncate(path, path.stat().st_size - 4 * PAGE)
    with opened(path, mend=True) as at:
        assert count(at) >= (30 if header else 20)


def test_rows_between_and_behind_damaged_pages_are_found(tmp_path):
    """Of a table of many pages, all rows but those of the damaged ones."""
    path, leaf, lost = tmp_path / "many.db", 0x0D, set()
    db = tables.connect(path)
    tables.create(db)
    with tables.transaction(db):
        db.execute("PRAGMA defer_foreign_keys = ON")
        db.executemany("INSERT INTO visits (visitor, run) VALUES (?, '')", [(f"visitor {n}",) for n in range(1, 5_001)])
        db.execute("INSERT INTO runs VALUES ('', 1, '', '', 'done', NULL, '{}', 0, 0, 0, 1, NULL, '')")
    db.close()
    content = path.read_bytes()
    pages = [place for place in range(0, len(content), PAGE) if content[place] == leaf]
    pages = [place for place in pages if b"visitor " in content[place : place + PAGE]]
    for place in (pages[5], pages[6], pages[8], pages[20], pages[-1]):
        overwrite(path, place, b"\xff" * PAGE)
        lost |= {int(each) for each in re.findall(rb"visitor (\d+)", content[place : place + PAGE])}
    source, target = tables.connect(path), tables.in_memory()
    rescue(source, target)
    found = {row for (row,) in target.execute("SELECT id FROM visits")}
    assert found == {*range(1, 5_001)} - lost
    assert 500 < len(lost) < 1_000
    source.close()
    target.close()


def test_each_damaged_file_keeps_a_name_of_its_own(path):
    for _ in range(2):
        path.write_text("Dear diary")
        with opened(path, mend=True) as at:
            assert at.trouble is None
    assert path.with_name("runs.db.damaged-2").read_text() == "Dear diary"


def test_an_empty_file_is_a_new_store(path):
    os.truncate(path, 0)
    with opened(path, mend=True) as at:
        assert (at.trouble, at.notice, count(at)) == (None, None, 0)
        fill(at, spec_of())


@pytest.mark.parametrize("place", [0, 32, 32 + 24 + 100, -3_000])
def test_a_damaged_log_costs_only_what_was_in_it(path, tmp_path, place):
    killed = tmp_path / "killed" / "runs.db"
    killed.parent.mkdir()
    with opened(path) as at:
        fill(at, spec_of(50, dim=40))
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{killed}{suffix}")
    log = killed.with_name("runs.db-wal")
    content = bytearray(log.read_bytes())
    content[place] ^= 0xFF
    log.write_bytes(content)
    with opened(killed, mend=True) as at:
        assert (at.trouble, count(at)) == (None, 30)
        new = spec_of(51, dim=40)
        at.visit("ann", fill(at, new))
        assert count(at) == 31


def test_no_flipped_byte_ends_in_more_than_a_sentence(path, healthy):
    """Whatever a page holds after the damage, all that a store does is done."""
    luck, content = random.Random(0), healthy.read_bytes()
    for _ in range(12):
        changed = bytearray(content)
        for _ in range(luck.choice((1, 20, 400))):
            at = luck.randrange(len(changed)) if luck.random() < 0.7 else luck.randrange(5 * PAGE)
            changed[at] = luck.randrange(256)
        path.write_bytes(changed)
        with opened(path, mend=True) as at:
            if at.path is None:
                assert "another program" in at.trouble or "version" in at.trouble
            spec = spec_of(3, dim=40)
            for run in at.history("ann", most=100):
                assert at.run(run.id).spec == run.spec
                at.load(run.id)
            at.complete(spec)
            assert at.reached(spec_of(4, dim=40)) is not None
            at.set_optimum(spec.id, Optimum(1.0, made_up(spec, 0, 1)[0].theta[0], 2.0, None))
            at.optimum_of(spec.problem)
            fill(at, spec)
            assert whole(at, spec.id)
            at.forget("ann", spec.id)


@pytest.mark.parametrize(
    ("version", "whose"), [(99, "a newer version"), (0, "an earlier version, which can no longer be read,")]
)
def test_the_file_of_another_version_is_kept_and_named(path, version, whose):
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    what = f"was written by {whose} of this program (its tables are {version}, these are {tables.SCHEMA_VERSION})"
    with opened(path) as at:
        works(at, path, what)
    told = []
    with opened(path, mend=True, tell=told.append) as at:
        assert (at.trouble, count(at)) == (None, 0)
        assert at.notice == f"The store of runs {what}. It is kept, and a new one was begun."
        assert told == [f"{at.notice} What was at {path} is now {path}.schema-{version}."]
    db = sqlite3.connect(f"{path}.schema-{version}")
    assert db.execute("SELECT count(*) FROM shards").fetchone() == (120,)
    db.close()
    with opened(path, mend=True) as at:
        assert (at.trouble, at.notice) == (None, None)


def test_a_damaged_file_in_a_folder_that_cannot_be_written_is_left(path, monkeypatch):
    overwrite(path, 0, b"no" * 50)

    def refuse(*_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(path), "rename", refuse)
    with opened(path, mend=True) as at:
        works(at, path, "cannot be opened, because the dashboard has no permission for the file or its folder")
