"""One server with the growing chart for all tests of the components."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.serving import Server, served


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    under_a_path = {"STREAMLIT_SERVER_BASE_URL_PATH": "lab"}
    with served(Path(__file__).with_name("growing.py"), env=under_a_path) as running:
        yield running
