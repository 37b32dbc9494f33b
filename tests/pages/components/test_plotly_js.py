"""plotly.js is put where the browser finds it, whoever else does the same, or the log says why not."""

from concurrent.futures import ThreadPoolExecutor

from pages.components.drawing import plotly_js
from pages.components.drawing.plotly_js import NAME, publish


def test_the_file_is_copied_once_and_again_when_it_differs(tmp_path):
    assert publish.__wrapped__(tmp_path / "static")
    copy = tmp_path / "static" / NAME
    assert copy.read_bytes() == plotly_js._installed().read_bytes()
    copy.write_text("half a fi")
    assert publish.__wrapped__(tmp_path / "static")
    assert copy.read_bytes() == plotly_js._installed().read_bytes()
    assert [file.name for file in copy.parent.iterdir()] == [NAME]


def test_many_may_copy_at_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(publish.__wrapped__, [tmp_path / "static"] * 8))
    assert [file.name for file in (tmp_path / "static").iterdir()] == [NAME]


def test_a_read_only_folder_that_has_the_file_is_enough(tmp_path, monkeypatch, caplog):
    publish.__wrapped__(tmp_path)

    def refuse(*_):
        raise PermissionError("read-only")

    monkeypatch.setattr(plotly_js, "_copy", refuse)
    assert publish.__wrapped__(tmp_path)
    assert not caplog.records
    (tmp_path / NAME).unlink()
    assert not publish.__wrapped__(tmp_path)
    assert "Make that folder writable" in caplog.text
