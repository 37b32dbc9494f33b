"""The benchmark runs, its contenders take the same steps, and its answer is plain JSON. Times are not judged."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from cvar_core import bench
from cvar_core.bench import growth
from cvar_core.bench.contenders import autograd, eager, jax_installed, jax_scan, ours
from cvar_core.bench.panel import Panel, draw, sweep_spec
from cvar_core.bench.sizes import QUICK
from cvar_core.catalogue import methods
from cvar_core.problem import Problem


@pytest.fixture(scope="module")
def printed() -> list[str]:
    return []


@pytest.fixture(scope="module")
def results(printed: list[str]) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:  # the panel has a process of its own: one shows how that is
        patch.setattr(growth, "sweep_in_new_process", lambda **_: {"timings": {"total": 1.0}, "peak_mb": 100.0})
        return bench.run(quick=True, out=printed.append)


def test_the_answer_is_json(results: dict[str, Any]) -> None:
    assert json.loads(json.dumps(results, allow_nan=False)) == results


def test_every_section_is_printed(results: dict[str, Any], printed: list[str]) -> None:
    text = "\n".join(printed)
    for heading in (
        "1. Stepping",
        "1b. A step by method",
        "1c. A step on a torch model",
        "1d. An update of SGM on a loss of your own",
        "2. Evaluation",
        "3. The optimum",
        "4. A whole panel",
        "5a.",
        "5e.",
        "6. Statistics",
    ):
        assert heading in text
    assert "DISAGREES" not in text


def test_every_method_is_told_beside_spl(results: dict[str, Any]) -> None:
    for found in results["by_method"].values():
        assert set(found) == set(methods.names())
        assert found["spl"]["times_spl"] == 1
        assert all(each["microseconds_per_step"] > 0 for each in found.values())


def test_a_loss_of_its_own_is_told_beside_the_compiled_one(results: dict[str, Any]) -> None:
    found = results["own_losses"]
    assert list(found) == ["squared loss, compiled", "Problem.from_torch", "a loop of autograd"]
    assert found["squared loss, compiled"]["times_compiled"] == 1
    assert all(each["microseconds_per_update"] > 0 for each in found.values())


def test_a_torch_step_is_told_beside_sgd(results: dict[str, Any]) -> None:
    found = results["torch_models"]
    assert found["torch SGD"]["times_sgd"] == 1
    assert all(each["milliseconds"] > 0 for each in found.values())
    weights = 2 * 16 * 17 + 17
    assert found["SPL₊"]["numbers_of_state"] == 4  # t, α, ℓ_0 and the average of α, whatever the model
    assert found["SPL₊ with an average"]["numbers_of_state"] == weights + 4


def test_sums_with_and_without_skipping_agree(results: dict[str, Any]) -> None:
    for loss in QUICK.losses:
        assert max(results["evaluation"][loss]["difference"].values()) < 1e-11


def test_growth_is_told_next_to_the_proportional_one(results: dict[str, Any]) -> None:
    for name in ("iterations", "runs", "dim", "points"):
        first, *others = results["growth"][name]
        assert first["proportional"] == 1
        assert set(first["ratio"].values()) == {1.0}
        assert all(row["proportional"] == row["size"] / first["size"] for row in others)


def test_memory_and_timings_of_whole_panels_are_there(results: dict[str, Any]) -> None:
    (panel,) = results["panels"].values()
    assert set(panel["timings"]) == {"sample", "step", "evaluate", "optimum", "total"}
    assert panel["peak_mb"] > 10


@pytest.fixture(scope="module")
def panel() -> Panel:
    problem = Problem.synthetic(eval_size=1_000)
    return draw(problem, sweep_spec(problem, QUICK)).cut(100, lambdas=slice(0, 3))


CONTENDERS = [autograd, eager] + [jax_scan] * jax_installed()


@pytest.mark.parametrize("contender", CONTENDERS)
def test_contenders_take_the_steps_that_ours_takes(contender: Any, panel: Panel) -> None:
    torch.testing.assert_close(contender(panel)(), ours(panel)(), rtol=1e-9, atol=1e-9)
