"""Visitors' files: private, bounded, and gone after a while."""

import os
import time

import pytest

from cvar_core.jobs import Limits, Refused, Uploads


@pytest.fixture
def made(tmp_path):
    return lambda **limits: Uploads(tmp_path / "uploads", Limits(**limits))


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
    uploads = made(upload=100, uploads=2, upload_store=250)
    with pytest.raises(Refused, match=r"big\.csv has 0\.1 kB, but this server takes at most 0\.1 kB"):
        uploads.add("ada", "big.csv", bytes(101))
    uploads.add("ada", "a", bytes(100))
    uploads.add("ada", "b", bytes(100))
    with pytest.raises(Refused, match="You have 2 files here, which is the most"):
        uploads.add("ada", "c", bytes(1))
    with pytest.raises(Refused, match="no room for further files"):
        uploads.add("bob", "c", bytes(100))
    assert uploads.of("bob") == []
    uploads.remove("ada", "a")
    assert uploads.add("bob", "c", bytes(100)).size == 100


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
    with pytest.raises(Refused, match="The server cannot keep files"):
        made().add("ada", "cars.csv", b"1,2\n")
