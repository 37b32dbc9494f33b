"""Visitors' files: private, bounded, and gone after a while."""

import os
import time

import pytest

from cvar_core.jobs import Limits, Refused, Uploads, Whereabouts
from cvar_core.writing import UNFINISHED

KB = 2**10


@pytest.fixture
def made(tmp_path):
    return lambda known=None, **limits: Uploads(tmp_path / "uploads", Limits(**limits), known)


def grown_old(upload, hours):
    then = time.time() - 3600 * hours
    os.utime(upload.path, (then, then))


def test_a_file_is_its_visitors_alone(made):
    uploads = made()
    kept = uploads.add("ada", "cars.csv", b"a,b\n1,2\n")
    assert (kept.name, kept.size, kept.path.read_bytes()) == ("cars.csv", 8, b"a,b\n1,2\n")
    assert [each.name for each in uploads.of("ada")] == ["cars.csv"]
    assert uploads.of("bob") == []
    uploads.remove("bob", "cars.csv")
    assert len(uploads.of("ada")) == 1
    assert "ada" not in str(kept.path.relative_to(kept.path.parents[1])), "who sees the folder does not see the id"


def test_a_second_file_of_that_name_takes_the_place_of_the_first(made):
    uploads = made(uploads=1)
    first = uploads.add("ada", "cars.csv", b"1,2\n")
    os.utime(first.path, (1e9, time.time() - 60))
    second = uploads.add("ada", "cars.csv", b"3,4\n")
    (kept,) = uploads.of("ada")
    assert kept.path.read_bytes() == b"3,4\n"
    assert second.until > first.until - 60, "its time begins anew"


def test_size_and_number_are_bounded_with_a_sentence(made):
    uploads = made(upload=100 * KB, uploads=2, upload_store=250 * KB)
    with pytest.raises(Refused, match=r"big\.csv has 101\.0 kB, but this server takes at most 100\.0 kB"):
        uploads.add("ada", "big.csv", bytes(101 * KB))
    uploads.add("ada", "a", bytes(100 * KB))
    uploads.add("ada", "b", bytes(100 * KB))
    with pytest.raises(Refused, match="You have 2 files here, which is the most"):
        uploads.add("ada", "c", bytes(1))
    with pytest.raises(Refused, match=r"no room for further files\. Try"):
        uploads.add("bob", "c", bytes(100 * KB))
    assert uploads.of("bob") == []
    assert uploads.add("ada", "a", bytes(90 * KB)).size == 90 * KB, "it takes the place of the other"
    uploads.remove("ada", "a")
    assert uploads.add("bob", "c", bytes(100 * KB)).size == 100 * KB


@pytest.mark.parametrize(("size", "room"), [(1, 15), (100 * KB, 10)])
def test_one_address_does_not_fill_the_store_as_ever_new_visitors(made, size, room):
    """However small the files are: their number is bounded, too."""
    limits = {"upload": 100 * KB, "uploads": 2, "upload_store": 2000 * KB}
    known = Whereabouts()
    uploads = made(known, **limits)
    for number in range(room):
        known.note(f"mallory {number}", "192.0.2.1")
        uploads.add(f"mallory {number}", "a", bytes(size))
    known = Whereabouts()
    known.note("mallory 99", "192.0.2.1")
    known.note("mallory 0", "192.0.2.1")
    uploads = made(known, **limits)  # after a restart
    with pytest.raises(Refused, match="no room for further files from your address"):
        uploads.add("mallory 99", "a", bytes(size))
    known.note("ada", "192.0.2.2")
    assert uploads.add("ada", "a", bytes(100 * KB)).name == "a"
    assert uploads.add("mallory 0", "a", bytes(size)).size == size, "a file may take its own place"


def test_a_file_is_removed_when_its_time_is_over(made):
    uploads = made(upload_hours=2)
    old, young = uploads.add("ada", "old", b"1"), uploads.add("ada", "young", b"2")
    assert old.until == pytest.approx(time.time() + 7200, abs=60)
    grown_old(old, 2.01)
    grown_old(young, 1.9)
    assert [each.name for each in uploads.of("ada")] == ["young"], "it is not shown, even before it is removed"
    uploads.tidy()
    assert not old.path.exists()
    assert young.path.exists()
    grown_old(young, 2.01)
    uploads.tidy()
    assert list(young.path.parents[1].iterdir()) == [], "nothing is left, not even a name"


def test_what_a_killed_server_had_half_written_is_removed_as_well(made):
    uploads = made(upload_hours=2)
    whole = uploads.add("ada", "whole", b"1")
    half = whole.path.with_name(f".cvar-1{UNFINISHED}")
    half.write_bytes(b"0")
    uploads.tidy()
    assert half.exists(), "somebody may be writing it"
    then = time.time() - 3600 * 2.01
    os.utime(half, (then, then))
    uploads.tidy()
    assert (half.exists(), whole.path.exists()) == (False, True)


def test_it_tidies_by_itself(made, monkeypatch):
    monkeypatch.setattr("cvar_core.jobs.uploads._TIDY_SECONDS", 0.01)
    uploads = made(upload_hours=1)
    old = uploads.add("ada", "old", b"1")
    grown_old(old, 1.1)
    uploads.keep_tidy()
    end = time.monotonic() + 30
    while old.path.exists():
        assert time.monotonic() < end, "it was never removed"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a\nb\x00.csv", "a b .csv"),
        ("", "file"),
        ("/", "file"),
        ("x" * 200 + ".csv", "x" * 76 + ".csv"),
        ("🚗.csv", "🚗.csv"),
    ],
)
def test_a_name_is_a_name_and_not_a_path(made, tmp_path, name, kept):
    upload = made().add("ada", name, b"1")
    assert upload.name == kept
    assert upload.path.is_relative_to(tmp_path / "uploads")


def test_a_folder_that_cannot_be_written_gets_a_sentence(made, tmp_path):
    (tmp_path / "uploads").write_text("a file stands here")
    with pytest.raises(Refused, match="The server cannot keep files") as refused:
        made().add("ada", "cars.csv", b"1,2\n")
    assert str(tmp_path) not in str(refused.value), "where they would be is nobody's business"
