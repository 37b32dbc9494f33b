"""plotly.js: the installed one, compressed once, kept by browsers, and asked for with the page."""

import gzip
import urllib.request

import pytest

from pages.components.drawing.plotly_js import NAME, compressed, installed
from tests.pages.serving import Server


def asked(server: Server, path: str, **headers: str) -> tuple[bytes, dict[str, str]]:
    request = urllib.request.Request(f"{server.url}/{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read(), {name.lower(): value for name, value in answer.headers.items()}


def test_it_is_compressed_once():
    assert gzip.decompress(compressed()) == installed().read_bytes()
    assert compressed() is compressed()


@pytest.mark.parametrize("encoding", ["gzip, deflate, br", "identity"])
def test_browsers_get_it_and_may_keep_it_for_good(server, encoding):
    sent, headers = asked(server, NAME, **{"Accept-Encoding": encoding})
    known = gzip.decompress(sent) if headers.get("content-encoding") == "gzip" else sent
    assert known == installed().read_bytes()
    assert (headers.get("content-encoding") == "gzip") == ("gzip" in encoding)
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("text/javascript")


def test_each_page_says_that_it_will_be_needed(server):
    _, headers = asked(server, "")
    assert headers["link"] == f"</lab/{NAME}>; rel=preload; as=script"
    assert "link" not in asked(server, "_stcore/health")[1]
