"""Compiled code is kept by content: never stale, never in the way."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from numba.core import caching

from cvar_core import Problem, sweep
from cvar_core.catalogue import methods
from cvar_core.compiled import cache_folder, fingerprint, jit
from cvar_core.engine import kernel
from cvar_core.problem import evaluation

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


def test_fingerprint_follows_defaults():
    def scaled(factor):
        def times(x, factor=factor):
            return factor * x

        return times

    assert fingerprint(scaled(2.0)) == fingerprint(scaled(2.0))
    assert fingerprint(scaled(2.0)) != fingerprint(scaled(3.0)), "a kernel that knows no other would be served the old"


FACTOR = 2.0


def scaled(x):
    return FACTOR * x


def test_fingerprint_follows_globals(monkeypatch):
    before = fingerprint(scaled)
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 3.0)
    assert fingerprint(scaled) != before


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of the test's own, which is empty at first."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    cache_folder.cache_clear()
    yield tmp_path / "cache"
    cache_folder.cache_clear()


def written(factor: float):
    """A loss as its author has it in a file; read again, it is another function, as it is in another process."""
    scope = {"__name__": __name__}
    exec(f"def scalar(p, y):\n    r = p - y\n    return {factor} * r * r, 2 * {factor} * r", scope)
    return scope["scalar"]


def summed(scalar):
    def total(p, y):
        value = 0.0
        for i in range(p.shape[0]):
            value += scalar(p[i], y[i])[0]
        return value

    return total


def served(compiled) -> bool:
    """Whether a compiled function came from the disk."""
    found = compiled.dispatcher.stats
    return (sum(found.cache_hits.values()), sum(found.cache_misses.values())) == (1, 0)


def test_an_edited_loss_is_never_served_from_a_stale_cache(folder):
    p, y = np.arange(4.0), np.ones(4)
    for factor, value, known in ((0.5, 3.0, False), (0.75, 4.5, False), (0.5, 3.0, True)):
        compiled = jit(summed(written(factor)))
        assert compiled(p, y) == value
        assert served(compiled) == known
    assert len(list(folder.rglob("*.nbc"))) == 2


@pytest.mark.parametrize(
    "kernel_of",
    [
        lambda scalar: kernel._kernel(scalar, methods["spl"].weight, False),
        lambda scalar: evaluation._kernel(scalar, None, None, None),
    ],
    ids=["steps", "sums"],
)
def test_a_kernel_is_known_by_its_loss(kernel_of):
    compiled = [kernel_of(written(factor)) for factor in (0.5, 0.75, 0.5)]
    one, edited, again = (each.dispatcher._cache._impl.locator.get_source_stamp() for each in compiled)
    assert one == again != edited


SWEEP = {"methods": ["spl"], "lambdas": [0.1], "iterations": 20, "seeds": 1}
NEXT = f"""
from cvar_core import Problem, sweep
from cvar_core.catalogue import losses, methods
from cvar_core.engine import kernel
from cvar_core.problem import evaluation
print(sweep(Problem.synthetic(eval_size=50), **{SWEEP}).objectives[0, 0, -1, 0].hex())
scalar = losses["squared"].scalar
for each in (kernel._kernel(scalar, methods["spl"].weight, False), evaluation._kernel(scalar, None, None, None)):
    found = each.dispatcher.stats
    print(sum(found.cache_hits.values()), sum(found.cache_misses.values()))
"""


def test_compiled_code_is_found_again_by_the_next_process_and_not_beside_the_package():
    here = sweep(Problem.synthetic(eval_size=50), **SWEEP).objectives[0, 0, -1, 0].hex()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache_folder())}
    done = subprocess.run([sys.executable, "-c", NEXT], env=env, capture_output=True, text=True, check=False, cwd="/")
    assert done.stdout.split("\n") == [here, "1 0", "1 0", ""], done.stderr
    assert set((ROOT / "cvar_core").rglob("*.nb*")) == set()


def test_a_folder_that_cannot_be_made_costs_only_a_compilation(folder, tmp_path, monkeypatch):
    blocked, temporary = tmp_path / "file", tmp_path / "temporary"
    blocked.write_text("not a folder")  # no folder can be made below a file, whoever asks
    temporary.mkdir()
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(blocked / "x"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert jit(made(3.0, double))(1.0) == 5.0
    assert cache_folder().parent == temporary


def test_a_disk_that_cannot_be_written_costs_only_a_compilation(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(caching.IndexDataCacheFile, "save", full)
        assert jit(made(4.0, double))(1.0) == 6.0
    assert list(folder.rglob("*.nbc")) == []
