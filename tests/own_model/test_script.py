"""The script to copy is short, and what it studies can be studied."""

import runpy
from pathlib import Path

import numpy as np

from cvar_core.own_model import check_model

SCRIPT = Path(__file__).parents[2] / "docs" / "own_model.py"


def test_the_script_is_short_and_its_tasks_train(tmp_path):
    assert len(SCRIPT.read_text("utf-8").splitlines()) < 80
    script = runpy.run_path(str(SCRIPT))
    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "rows.csv", rng.standard_normal((60, 4)), delimiter=",", header="target,a,b,c")
    for task in (script["digits"](), script["table"](str(tmp_path / "rows.csv"))):
        study = check_model(**task, steps=2, seeds=1, lambdas=[0.1], optimisers=["spl-u", "adam-ru"])
        assert (study.frame["status"] == "ok").all()
    assert 0 <= check_model(**script["digits"](), steps=1, seeds=1, lambdas=[1], optimisers=["spl"]).starts[0, -1] < 1
