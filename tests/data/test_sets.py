"""The named sets: offered offline where they can be, else fetched, verified and remembered."""

import hashlib
import http.server
import threading

import pytest

from cvar_core import DataError, load
from cvar_core.data import fetch, folder, missing, sets
from cvar_core.data.sets import Download, NamedSet

CONTENT = b"1 1:1 2:0.5\n-1 2:1\n" * 20


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A server of one file, and a data folder of one's own."""
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "toy.txt").write_bytes(CONTENT)
    monkeypatch.setenv("CVAR_DATA_DIR", str(tmp_path / "kept"))
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(tmp_path / "web"))

        def log_message(self, *args):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/toy.txt", asked
    server.shutdown()
    server.server_close()


def toy(url: str, checksum: str | None = None) -> NamedSet:
    return NamedSet("toy", "a toy", "logistic", 40, 2, train=Download(url, checksum))


def test_a_set_is_fetched_once_and_verified(served):
    url, asked = served
    chosen = toy(url, f"sha256:{hashlib.sha256(CONTENT).hexdigest()}")
    assert missing(chosen)
    (path,) = fetch(chosen)
    assert path.read_bytes() == CONTENT
    assert not missing(chosen)
    assert fetch(chosen) == [path]
    assert len(asked) == 1
    path.write_bytes(b"damaged")
    assert fetch(chosen)[0].read_bytes() == CONTENT, "a file that is not what it should be is fetched again"


def test_a_wrong_file_is_refused_and_not_kept(served):
    url, _ = served
    with pytest.raises(DataError, match="its checksum differs, and nothing was kept"):
        fetch(toy(url, "md5:" + "0" * 32))
    assert list(folder().iterdir()) == []


def test_without_a_published_checksum_the_first_download_is_remembered(served, tmp_path):
    url, _ = served
    (path,) = fetch(toy(url))
    path.unlink()
    (tmp_path / "web" / "toy.txt").write_bytes(b"something else")
    with pytest.raises(DataError, match="checksum differs"):
        fetch(toy(url))


def test_a_folder_that_cannot_be_used_is_named_to_whoever_has_it_alone(served):
    url, _ = served
    folder().parent.mkdir(parents=True, exist_ok=True)
    folder().write_text("a file where the folder should be")
    with pytest.raises(DataError) as raised:
        fetch(toy(url))
    assert str(folder()) in str(raised.value)
    assert raised.value.sentences[0].startswith("cannot keep or read toy.txt (")
    assert str(folder()) not in " ".join(raised.value.sentences)


def test_offline_the_sentence_says_where_to_put_the_file(served):
    chosen = toy("http://127.0.0.1:9/toy.txt")
    with pytest.raises(DataError) as raised:
        fetch(chosen)
    place = folder() / "toy.txt"
    assert f"put it at {place}" in str(raised.value)
    assert str(place.parent) not in " ".join(raised.value.sentences), "visitors of a server are told these"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(CONTENT)
    assert fetch(chosen) == [place], "by hand is as good"


def test_a_server_that_says_no_gets_a_sentence(served):
    url, _ = served
    with pytest.raises(DataError, match="the server says 404"):
        fetch(toy(url + ".no"))


def test_a_name_loads_a_fetched_set(served):
    url, _ = served
    sets.add(toy(url))
    try:
        assert load("toy").shape == (40, 2)
    finally:
        sets.remove("toy")


@pytest.mark.parametrize("name", [each.name for each in sets if each.make is not None])
def test_small_sets_are_there_at_once(name):
    data = load(name, holdout=0.2, standardise=True)
    entry = sets[name]
    assert data.shape[0] + data.test.shape[0] == entry.rows
    assert data.shape[1] == entry.columns
    positive = "class_1" if name == "wine" else "3" if name == "digits" else None
    assert data.problem(entry.loss, positive=positive).ground.points.count == data.shape[0]


def test_the_papers_sets_have_the_known_sizes():
    sizes = {name: (sets[name].rows, sets[name].test_rows, sets[name].columns) for name in sets.names()[:4]}
    assert sizes == {
        "mushrooms": (8124, 0, 112),
        "covtype.libsvm.binary": (581012, 0, 54),
        "YearPredictionMSD": (463715, 51630, 90),
        "E2006-tfidf": (16087, 3308, 150360),
    }
