"""The README's lines of Python run, on less than they would take."""

import functools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cvar_core

README = Path(__file__).parent.parent / "README.md"
LITTLE = {"iterations": 60, "workers": 1}


@pytest.fixture
def little(monkeypatch, tmp_path):
    """Small problems and short runs in the place of the defaults, and the files and arrays that a reader has."""
    monkeypatch.chdir(tmp_path)
    for name in ("sweep", "check", "recommend", "decide"):
        monkeypatch.setattr(cvar_core, name, functools.partial(getattr(cvar_core, name), **LITTLE))
    sharpen = functools.partial(cvar_core.sharpen, **LITTLE, budget=20_000)
    monkeypatch.setattr(cvar_core, "sharpen", sharpen)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    frame = pd.DataFrame({"rooms": x[:, 0], "size": x[:, 1], "town": rng.choice(["Bonn", "Ulm"], 60)})
    frame["price"] = x @ [2.0, 1.0] + rng.normal(size=60)
    frame.to_csv("train.csv", index=False)
    return {"X": x, "y": x[:, 0], "frame": frame}


def test_the_lines_in_python_run(little, capsys):
    (block,) = re.findall(r"## In Python\n\n```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    exec(compile(block.replace("10_000", "60").replace("seeds=20", "seeds=6"), "the README", "exec"), little)
    assert little["result"] == cvar_core.Result.load("run.npz")
    assert "λ" in capsys.readouterr().out
