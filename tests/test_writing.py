"""Files are written whole or not at all, and nothing is left beside them."""

import stat
from pathlib import Path

import pytest

from cvar_core.writing import UNFINISHED, write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_usual_permissions_and_one_that_is_there_keeps_its_own(tmp_path):
    usual, new, there = tmp_path / "usual", tmp_path / "new", tmp_path / "there"
    usual.touch()
    there.write_bytes(b"before")
    there.chmod(0o640)
    write_whole({new: b"a", there: b"b"})
    assert (new.read_bytes(), there.read_bytes()) == (b"a", b"b")
    assert (mode(new), mode(there)) == (mode(usual), 0o640)
    assert {path.name for path in tmp_path.iterdir()} == {"usual", "new", "there"}


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write_whole({tmp_path / "link": b"content"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"content"


def test_where_the_second_cannot_be_written_the_first_is_what_it_was(tmp_path):
    first, second = tmp_path / "first", tmp_path / "no folder" / "second"
    first.write_bytes(b"before")
    with pytest.raises(FileNotFoundError) as found:
        write_whole({first: b"after", second: b"after"})
    assert found.value.filename == str(second)
    assert first.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_what_is_not_yet_whole_has_a_name_of_its_own(tmp_path, monkeypatch):
    seen, replace = [], Path.replace

    def noted(self: Path, to: Path) -> Path:
        seen.append(sorted((path.suffix, path.read_bytes()) for path in tmp_path.iterdir()))
        return replace(self, to)

    monkeypatch.setattr(Path, "replace", noted)
    write_whole({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert seen[0] == [(UNFINISHED, b"1"), (UNFINISHED, b"2")], "both are complete before the first takes its name"
