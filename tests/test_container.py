"""The image, as far as it can be checked without building it."""

import json
import re
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cvar_core.jobs import Limits
from cvar_core.processors import processors
from cvar_core.version import __version__
from tools.container import healthy, start

ROOT = Path(__file__).parent.parent
DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text("utf-8"))
BUILD, FINAL = re.split(r"^FROM .*$", DOCKERFILE, flags=re.MULTILINE)[1:]
COMPOSE = (ROOT / "compose.yaml").read_text("utf-8")
IGNORE = (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def said(stage: str, instruction: str) -> list[str]:
    return re.findall(rf"^{instruction} (.*)$", stage, re.MULTILINE)


def variables() -> dict[str, str]:
    return dict(pair.split("=", 1) for line in said(FINAL, "ENV") for pair in line.split())


def test_versions_stand_in_one_place():
    pins = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line]
    assert not [pin for pin in pins if pin.split("==")[1] in BUILD]
    assert BUILD.count("--constraint requirements.txt torch") == 2, "from the CPU index, or else from the default one"
    assert "--requirement requirements.txt" in BUILD
    assert f'image.version="{__version__}"' in FINAL


def test_torch_comes_from_the_index_that_make_uses():
    (index,) = re.findall(r"^TORCH_INDEX_URL \?= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert said(BUILD, "ARG") == [f"TORCH_INDEX_URL={index}"]


def test_everything_the_dashboard_needs_is_in_the_image_and_nothing_else():
    copied = {source for line in said(BUILD, "COPY") for source in line.split()[:-1]}
    assert all((ROOT / source).exists() for source in copied)
    assert copied == {line[1:] for line in IGNORE if line.startswith("!")}, ".dockerignore lets in what is copied"
    assert [line for line in IGNORE if line and line[0] not in "!#"] == ["*", "**/__pycache__"]
    assert {"app.py", "pages", "cvar_core", ".streamlit/config.toml"} <= copied


def test_what_a_first_visit_would_write_is_there_before_the_root_is_read_only():
    assert BUILD.count("compileall -q -j 0 --invalidation-mode unchecked-hash") == 2, "of the packages and of the app"
    assert "python -m tools.container.start compile" in BUILD
    kernels = variables()["NUMBA_CACHE_DIR"]
    assert f"NUMBA_CACHE_DIR={kernels}" in BUILD
    assert f"--from=build {kernels} {kernels}" in said(FINAL, "COPY")


def test_the_image_has_a_bill_of_materials_and_keeps_licences():
    assert "python -m tools.container.licences --sbom sbom.json" in BUILD
    assert BUILD.count("find /opt/venv -name '*.dist-info' -prune -o ") == 2, "of what is left out by name"


def test_the_main_process_is_python_itself_and_not_root():
    (entry,), (command,) = said(FINAL, "ENTRYPOINT"), said(FINAL, "CMD")
    assert json.loads(entry) == ["python", "-m", "tools.container.start"], "a shell would keep the signal to itself"
    assert json.loads(command) == ["dashboard"]
    (user,) = said(FINAL, "USER")
    assert int(user.split(":")[0]) > 0
    assert FINAL.rindex("\nRUN ") < FINAL.index("\nUSER ")


def test_compose_runs_it_with_as_little_as_it_needs():
    (port,), (data,) = said(FINAL, "EXPOSE"), said(FINAL, "VOLUME")
    assert variables()["CVAR_DATA_DIR"] == data
    assert variables()["STREAMLIT_SERVER_PORT"] == port
    for line in (f"}}:{port}", f"runs:{data}", "read_only: true", "/tmp:", "- ALL", "no-new-privileges:true"):
        assert line in COMPOSE
    gigabytes, *_ = re.findall(r"mem_limit: (\d+)g", COMPOSE.partition("  dashboard:")[2])
    allowed = Limits()
    needed = allowed.memory + allowed.data + allowed.upload_memory + 2**30
    assert int(gigabytes) * 2**30 > needed, "the runs, what is kept of files, what comes in, and the server itself"


def test_a_cluster_runs_in_the_same_image_with_the_same_kernels_and_opens_no_port(monkeypatch):
    cluster = COMPOSE.partition("  scheduler:")[2]
    assert cluster.count("profiles: [cluster]") == cluster.count("<<: *locked-down") == cluster.count("[dask, ") == 2
    assert "ports:" not in cluster
    assert "entrypoint" not in cluster, "kernels are pinned by the image's own"
    pinned = []
    monkeypatch.setattr(start, "pin_kernels", lambda: pinned.append("kernels"))
    monkeypatch.setattr(start, "bound_threads", lambda: pinned.append("threads"))
    monkeypatch.setattr("dask.cli.run_cli", lambda: pinned.append(sys.argv))
    monkeypatch.setattr(sys, "argv", [])
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert start.main(["dask", "worker", "tcp://scheduler:8786"]) == 0
    finally:
        signal.signal(signal.SIGTERM, before)
    assert pinned == ["kernels", "threads", ["dask", "worker", "tcp://scheduler:8786"]]


@pytest.mark.parametrize(
    ("machine", "flags", "name"),
    [
        ("x86_64", "sse4_2 abm avx avx2 bmi1 bmi2 f16c fma movbe avx512f", "x86-64-v3"),
        ("x86_64", "sse4_2 avx", "generic"),
        ("aarch64", "", "generic"),
    ],
)
def test_kernels_are_for_a_family_of_processors(machine, flags, name):
    assert start.processor(machine, set(flags.split())) == name


def test_libraries_have_as_many_threads_as_the_container_has_processors():
    """They read the variable when they are loaded, and not again."""
    script = "import os, sys; from tools.container import start; start.bound_threads()"
    told = "print(os.environ['OMP_NUM_THREADS'], {'numpy', 'torch'} & {*sys.modules})"
    for own, expected in ({}, str(processors())), ({"OMP_NUM_THREADS": "7"}, "7"):
        command = [sys.executable, "-c", f"{script}; {told}"]
        said = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=True)
        assert said.stdout == f"{expected} set()\n"


def test_the_stop_signal_ends_the_first_process_at_once_while_it_starts():
    script = "import signal; from tools.container import start; start.pin_kernels = lambda: signal.raise_signal(15)"
    ended = subprocess.run([sys.executable, "-c", f"{script}; start.main(['dashboard'])"], cwd=ROOT)
    assert ended.returncode == 128 + signal.SIGTERM


def test_the_stop_signal_is_ctrl_c_to_a_command(monkeypatch):
    monkeypatch.setattr("cvar_core.cli.main", lambda arguments: signal.raise_signal(signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(KeyboardInterrupt):
            start.command(["sweep"])
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.fixture
def dashboard():
    """A server that answers with ``status``, or never when that is 0, and knows what it was asked."""

    class Dashboard(BaseHTTPRequestHandler):
        def do_GET(self):
            server.asked.append(self.path)
            if server.status:
                self.send_response(server.status)
                self.end_headers()
            else:
                server.over.wait()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Dashboard) as server:
        server.status, server.asked, server.over = 200, [], threading.Event()
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server
        server.over.set()
        server.shutdown()


@pytest.fixture
def first(tmp_path):
    """Write the command line of a container's first process, as Linux shows it."""

    def written(*words: str) -> Path:
        (tmp_path / "cmdline").write_text("".join(f"{word}\0" for word in words))
        return tmp_path / "cmdline"

    return written


START = "python", "-m", "tools.container.start"


@pytest.mark.parametrize(("status", "wrong"), [(200, None), (503, "answers 503"), (0, "does not answer: timed out")])
@pytest.mark.parametrize("before", [(), ("/sbin/docker-init", "--")], ids=["alone", "behind --init"])
def test_health_is_what_the_dashboard_says(monkeypatch, dashboard, first, status, wrong, before):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", str(dashboard.server_port))
    monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", "/lab/")
    dashboard.status = status
    said = healthy.trouble(first(*before, *START, "dashboard"), patience=healthy.PATIENCE if status else 0.1)
    assert said == (wrong and f"port {dashboard.server_port} {wrong}")
    assert dashboard.asked == ["/lab/_stcore/health"]


def test_a_dashboard_is_asked_where_its_options_put_it(monkeypatch, dashboard, first):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "9")
    port = str(dashboard.server_port)
    assert healthy.trouble(first(*START, "dashboard", "--server.port", port, "--server.baseUrlPath=lab")) is None
    assert healthy.trouble(first(*START, "dashboard", f"--server.port={port}")) is None
    assert dashboard.asked == ["/lab/_stcore/health", "/_stcore/health"]


def test_a_port_that_nobody_serves_is_not_healthy(monkeypatch, first):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "9")
    assert healthy.trouble(first(*START, "dashboard")).startswith("port 9 does not answer: ")


@pytest.mark.parametrize("words", ["sweep --out dashboard", "dask worker tcp://scheduler:8786", ""])
def test_whatever_else_a_container_runs_is_healthy_while_it_runs(monkeypatch, first, words):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "9")
    assert healthy.trouble(first(*START, *words.split())) is None
    assert healthy.trouble(first("python", "-c", "print('dashboard')")) is None


def test_the_image_asks_for_its_health():
    (check,) = said(FINAL, "HEALTHCHECK")
    assert check.endswith('CMD ["python", "-S", "/app/tools/container/healthy.py"]')
    assert f"--timeout={healthy.PATIENCE + 1:.0f}s" in check
    ended = subprocess.run([sys.executable, "-S", str(ROOT / "tools/container/healthy.py")])
    assert ended.returncode == 0, "the first process of this machine is no dashboard"
