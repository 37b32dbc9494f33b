"""The load driver against a real server."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_visitor_of_a_small_crowd_sees_his_run_end(tmp_path):
    found = tmp_path / "report.json"
    command = [
        sys.executable,
        "-m",
        "tools.load",
        "--visitors",
        "3",
        "--arrive",
        "0.5",
        "--no-alone",
        "--json",
        str(found),
    ]
    command += ["--quick", "iterations=200&eval_size=1000&seeds=1", "--paper", "iterations=400&eval_size=2000&seeds=1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(found.read_text("utf-8"))
    # Streamlit itself logs a traceback when a tab closes while something is being sent to it.
    assert [error for error in report["errors"] if not error.startswith("log: ")] == []
    assert {kind: part["finished"] for kind, part in report["kinds"].items()} == {"quick": 2, "paper": 1}
    assert all(part["first_chart"]["count"] == part["visitors"] for part in report["kinds"].values())
    assert report["server"]["peak_memory_MB"] > 0
    assert "quick: 2 of 2 done" in ended.stdout
