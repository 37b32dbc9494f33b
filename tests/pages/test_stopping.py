"""A server ends well: at once, with exit code 0, and whoever comes next can go on from where it stopped."""

import contextlib
import json
import re
import signal
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from cvar_core.jobs import Limits, Manager
from cvar_core.store import Store
from pages.components.sending.ticket import Tickets
from tests.pages.driving import link
from tests.pages.gated import Gate, laboratory
from tests.pages.held import Held
from tests.pages.serving import Server

LISTENERS = 30
LONGEST = 2.0  # seconds
RUN = link(noise="normal", eval_size=2_000, iterations=3_000, seeds=2).removeprefix("?")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["stop", "Ctrl-C"])
def test_a_signal_ends_the_server_at_once_with_code_0_and_its_runs_can_be_resumed(number, tmp_path):
    gate = Gate(tmp_path / "seconds")
    gate.pace(0.2)
    with laboratory(tmp_path, gate) as server, ExitStack() as connections:
        run_id = started(server, connections)
        listeners = [listening(server, connections, tmp_path, run_id) for _ in range(LISTENERS)]
        until_it_computes(listeners[0])
        begun = time.monotonic()
        server.process.send_signal(number)
        assert server.process.wait(10 * LONGEST) == 0
        assert time.monotonic() - begun < LONGEST
        for each in listeners:
            assert goodbye(each) == 1012  # the server restarts: browsers come back
        assert "Traceback" not in server.said()
    with closing(Manager(Store.open(tmp_path / "runs.sqlite"), Held(), 1, Limits())) as next_one:
        spec = next_one.spec_of(run_id)
        assert spec is not None
        view = next_one.view(spec, "anybody")
        assert view.status == "interrupted"
        assert 0 < view.progress < 1


def started(server: Server, connections: ExitStack) -> str:
    """Open the page of a run as a browser does, and return the run's id when it is under way."""
    visitor = connections.enter_context(connect(address(server, "_stcore/stream"), subprotocols=["streamlit"]))  # type: ignore[list-item]
    visitor.send(BackMsg(rerun_script={"query_string": RUN}).SerializeToString())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := re.search(r"event=queued run=(\w+)", server.said()):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"no run has begun: {server.said()}")


def listening(server: Server, connections: ExitStack, folder: Path, run_id: str) -> ClientConnection:
    stream = connections.enter_context(connect(address(server, "live")))
    ticket = Tickets.kept_in(folder).issue("run", "explore", "somebody", run_id)
    stream.send(json.dumps({"ticket": ticket, "part": "status"}))
    return stream


def until_it_computes(stream: ClientConnection) -> None:
    while not re.search(r"Running.* [1-9]\d?%", json.loads(stream.recv(timeout=30))["words"]):
        stream.send(json.dumps({"drawn": True}))


def goodbye(stream: ClientConnection) -> int | None:
    """Return the code with which the server has closed a connection."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            stream.recv(timeout=1)
    return stream.close_code


def address(server: Server, path: str) -> str:
    return f"ws{server.url.removeprefix('http')}/{path}"
