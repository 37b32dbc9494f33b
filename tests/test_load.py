"""The load driver against a real server."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SMALL = ["--quick", "iterations=200&eval_size=1000&seeds=1", "--paper", "iterations=400&eval_size=2000&seeds=1"]


def crowd(folder, *options):
    """Let three visitors loose; return what the driver found, and what it printed."""
    found = folder / "report.json"
    command = [sys.executable, "-m", "tools.load", "--visitors", "3", "--arrive", "0.5", "--no-alone", *SMALL]
    command += ["--json", str(found), *options]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(found.read_text("utf-8"))
    # Streamlit itself logs a traceback when a tab closes while something is being sent to it.
    assert [error for error in report["errors"] if not error.startswith("log: ")] == []
    return report, ended.stdout


def test_every_visitor_of_a_small_crowd_sees_his_run_end(tmp_path):
    report, printed = crowd(tmp_path)
    assert {kind: part["finished"] for kind, part in report["kinds"].items()} == {"quick": 2, "paper": 1}
    for moment in ("first_chart", "first_curve", "done"):
        assert all(part[moment]["count"] == part["visitors"] for part in report["kinds"].values()), moment
    assert report["script"]["agreed"]["count"] == 3  # the script has run again, and knows that the runs are done
    assert report["stream"]["pictures"] >= 2 * 3  # the study, and the tab below it
    assert report["server"]["peak_memory_MB"] > 0
    assert report["server"]["cpu_of_the_studio_s"] > 0 or report["server"]["cpu_of_pages_s"] > 0
    assert "quick: 2 of 2 done" in printed


def test_visitors_of_one_run_change_their_own_step_size(tmp_path):
    report, printed = crowd(tmp_path, "--same", "--stay", "7")  # they change it every five seconds
    assert report["stream"]["changes"]["count"] >= 3
    assert "quick: 3 of 3 done" in printed
