"""A server ends well: at once, with exit code 0, and whoever comes next can go on from where it stopped."""

import contextlib
import re
import signal
import time
from contextlib import ExitStack, closing

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from cvar_core.jobs import Limits, Manager
from cvar_core.store import Store
from pages.components.sending.ticket import Tickets
from tests.pages.driving import link
from tests.pages.gated import Gate, laboratory
from tests.pages.held import Held
from tests.pages.raw import ask, heard, socket, tell, until_logged

LISTENERS = 30
LONGEST = 2.0  # seconds
RUN = link(noise="normal", eval_size=2_000, iterations=3_000, seeds=2).removeprefix("?")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["stop", "Ctrl-C"])
def test_a_signal_ends_the_server_at_once_with_code_0_and_its_runs_can_be_resumed(number, tmp_path):
    gate = Gate(tmp_path / "seconds")
    gate.pace(0.2)
    with laboratory(tmp_path, gate) as server, ExitStack() as connections:
        tell(connections.enter_context(socket(server, "_stcore/stream")), rerun_script={"query_string": RUN})
        run_id = until_logged(server, "queued")
        ticket = Tickets.kept_in(tmp_path).issue("run", "explore", "somebody", run_id)
        listeners = [connections.enter_context(socket(server, "live")) for _ in range(LISTENERS)]
        for each in listeners:
            ask(each, ticket)
        while not re.search(r"Running.* [1-9]\d?%", heard(listeners[0])["words"]):
            pass
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


def goodbye(stream: ClientConnection) -> int | None:
    """Return the code with which the server has closed a connection."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            stream.recv(timeout=1)
    return stream.close_code
