"""Compiled code is kept by content: never stale, never in the way."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cvar_core.compiled import fingerprint

ROOT = Path(__file__).parent.parent


def made(constant: float, helper):
    def function(x):
        return helper(x) + constant

    return function


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def test_fingerprint_is_of_the_content():
    assert fingerprint(made(1.0, double)) == fingerprint(made(1.0, double))
    assert fingerprint(made(1.0, double)) != fingerprint(made(2.0, double)), "a captured number counts"
    assert fingerprint(made(1.0, double)) != fingerprint(made(1.0, triple)), "so does what a callee does"


def test_fingerprint_follows_globals(monkeypatch):
    module = importlib.import_module("cvar_core.catalogue.losses")
    before = fingerprint(module._huber)
    monkeypatch.setattr(module, "_HUBER_KNEE", 2.0)
    assert fingerprint(module._huber) != before


def run(script: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


CUSTOM = """
import torch
from cvar_core import Problem, sweep
from cvar_core.catalogue import Loss, losses
def scalar(p, y):
    r = p - y
    return {factor} * r * r, 2 * {factor} * r
losses.add(Loss("custom", "", "regression", lambda p, y: {factor} * (p - y) ** 2, lambda p, y: 2 * {factor} * (p - y),
                lambda p, y: 2 * {factor} * torch.ones_like(p), scalar))
problem = Problem.synthetic(loss="custom", eval_size=50)
print(sweep(problem, methods=["spl"], lambdas=[0.1], iterations=20, seeds=1).objectives[0, 0, -1, 0])
"""


def test_an_edited_loss_is_never_served_from_a_stale_cache(tmp_path):
    one, edited, again = (
        run(CUSTOM.format(factor=factor), NUMBA_CACHE_DIR=str(tmp_path)) for factor in ("0.5", "0.75", "0.5")
    )
    plain = run(
        "from cvar_core import *\n"
        "problem = Problem.synthetic(loss='squared', eval_size=50)\n"
        "print(sweep(problem, methods=['spl'], lambdas=[0.1], iterations=20, seeds=1).objectives[0, 0, -1, 0])",
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert one == again
    assert float(one) == pytest.approx(float(plain), rel=1e-12)
    assert float(edited) != pytest.approx(float(one), rel=1e-3)


COUNT = """
from cvar_core import Problem, sweep
from cvar_core.engine.kernel import _kernel
from cvar_core.catalogue import losses, methods
sweep(Problem.synthetic(eval_size=50), methods=["spl"], lambdas=[0.1], iterations=20, seeds=1)
hits = _kernel(losses["squared"].scalar, methods["spl"].weight).dispatcher.stats.cache_hits
print(sum(hits.values()))
"""


def test_compiled_code_is_found_again_by_the_next_process(tmp_path):
    assert run(COUNT, NUMBA_CACHE_DIR=str(tmp_path)) == "0"
    assert run(COUNT, NUMBA_CACHE_DIR=str(tmp_path)) == "1"


def test_nothing_is_written_beside_the_package(tmp_path):
    before = set((ROOT / "cvar_core").rglob("*.nb*"))
    run(COUNT, NUMBA_CACHE_DIR=str(tmp_path))
    assert set((ROOT / "cvar_core").rglob("*.nb*")) == before == set()


def test_a_cache_that_cannot_be_written_costs_only_a_compilation(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    # No folder can be made below a file, whoever asks.
    assert run(COUNT, NUMBA_CACHE_DIR=str(blocked / "x"), XDG_CACHE_HOME=str(blocked), HOME=str(blocked)) == "0"
