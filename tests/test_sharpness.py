"""The tool that counts how often Sharpen is right: it cuts runs out of a whole as they would have been found."""

from dataclasses import replace

import numpy as np
import pytest

from cvar_core import Problem, paper_grid, sweep
from tests.jobs.running import same_bits
from tools import sharpness as tool


@pytest.fixture(scope="module")
def whole():
    problem = Problem.synthetic("absolute", "normal", noise_params={"std": 0.3}, dim=4, eval_size=500)
    return sweep(problem, ("spl+",), tool._LATTICE, 300, 90, checkpoints=1, workers=1)


def test_a_part_has_the_bits_of_a_sweep(whole):
    order = np.random.default_rng(1).permutation(90)
    lambdas = paper_grid()
    part = tool.part(whole, replace(whole.spec, lambdas=lambdas, seeds=(0, 1, 2)), order)
    seeds = [int(order[k]) for k in range(3)]
    afresh = sweep(Problem(whole.spec.problem), ("spl+",), lambdas, 300, seeds, checkpoints=1, workers=1)
    same_bits(part, afresh)


def test_intervals_hold_the_truth_of_all_starts(whole):
    (found,) = tool.stopped("absolute, normal", whole, "objective", 25, np.random.default_rng(2))
    assert found.held >= 0.9 - 4 * np.sqrt(0.09 / 25)
    assert sum(found.starts) == pytest.approx(1)
    assert 0 < found.work < 0.25
    assert "absolute, normal: objective: spl+" in tool.told([found])


def test_it_needs_as_many_starts_as_the_last_stage(capsys):
    with pytest.raises(SystemExit):
        tool.main(["--starts", "50"])
    assert "--starts is 50, but Sharpen may want 80" in capsys.readouterr().err
