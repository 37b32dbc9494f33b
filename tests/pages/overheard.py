"""Streamlit's command in a process that notes whatever it would say to another machine."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.pages.serving import ROOT, Server, served

_VARIABLE = "CVAR_TEST_NOTES"
_HERE = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", None)
_NAMES = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")  # a question to a name server
_PLACES = ("socket.connect", "socket.sendto", "socket.sendmsg")


@contextmanager
def overheard(folder: Path, **env: str) -> Iterator[tuple[Server, Path]]:
    """Serve the app with its data in a folder; also return the file with a line for each step out of the house."""
    notes = folder / "notes"
    notes.touch()
    env = {"CVAR_DATA_DIR": str(folder / "data"), _VARIABLE: str(notes), **env}
    with served(ROOT / "app.py", env=env, by=__name__) as server:
        yield server, notes


def _note(event: str, given: tuple[Any, ...]) -> None:
    if event in _NAMES:
        where = given[0].decode() if isinstance(given[0], bytes) else given[0]
    elif event in _PLACES and isinstance(given[1], tuple):  # else it is a socket of this machine, or connected before
        where = given[1][0]
    else:
        return
    if where not in _HERE:
        with Path(os.environ[_VARIABLE]).open("a") as notes:
            notes.write(f"{event} {where}\n")


def main() -> None:
    from streamlit.web.cli import main as streamlit

    sys.addaudithook(_note)
    streamlit(prog_name="streamlit")


if __name__ == "__main__":
    main()
