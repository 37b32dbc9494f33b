"""The shipped results: they are this engine's, they are complete and right, and no damaged file passes for them."""

import io
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from cvar_core import Problem, SpecError, SweepSpec, paper_grid
from cvar_core.engine import Shard, advance, start
from cvar_core.lessons.paper import LOSSES, NOISES, SHIPPED, compute, packed, panels, read, shipped
from cvar_core.lessons.paper.difference import relative
from cvar_core.results import MEASURES, Criterion
from tests.lessons.paper.optima import OPTIMA

ROOT = Path(__file__).parents[3]


def test_the_panels_are_the_papers():
    assert [(spec.problem.loss, spec.problem.noise) for spec in panels()] == [(a, b) for a in LOSSES for b in NOISES]
    for spec in panels():
        assert spec.methods == ("sgm", "spl", "spl+")
        assert spec.lambdas == paper_grid()
        assert (spec.iterations, spec.seeds, spec.schedule) == (100_000, (0, 1, 2, 3, 4), "decreasing")
        assert (spec.problem.beta, spec.problem.dim, spec.problem.eval_size) == (0.95, 10, 1_000_000)


def test_what_ships_is_of_the_panels_and_of_this_engine():
    assert [result.spec for result in shipped()] == list(panels())
    ids = tuple(spec.id for spec in panels())
    assert shipped().ids == ids, (
        "the engine's numbers changed: python -m cvar_core figures --out cvar_core/lessons/paper/results.npz"
    )
    assert {"cvar_core", "engine", "numpy", "torch"} <= shipped().versions.keys()


def test_what_ships_is_small_and_goes_into_the_wheel():
    assert SHIPPED.stat().st_size < 1_500_000  # 54,675 objectives, risks and distances with all their bits
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert SHIPPED.name in settings["package-data"]["cvar_core.lessons.paper"]


def test_every_run_is_complete_and_none_beats_the_optimum():
    for result in shipped():
        assert (result.recorded == len(result.checkpoints)).all()
        assert np.nanmin(result.suboptimality) >= -1e-9 * (1 + abs(result.optimum.value))
        assert np.nanmin(result.excess_risk) >= -1e-9 * (1 + abs(result.optimum.value))
        assert np.nanmin(result.objectives - result.risks) >= 0, "the model alone is never worse"
        assert np.isfinite(result.objectives[:, :, 0]).all(), "a start cannot have diverged"
        gone = np.isnan(result.objectives)
        assert (gone[:, :, 1:] >= gone[:, :, :-1]).all(), "what diverged stays so"


def test_the_optima_are_certified_and_where_theory_has_them():
    assert shipped().certified < 1e-9
    for result in shipped():
        problem = result.spec.problem
        assert len(result.optimum.theta) == problem.dim
        value, error = OPTIMA[problem.loss, problem.noise]
        assert abs(result.optimum.value - value) < 4 * error


def test_a_run_computed_now_is_the_one_that_ships():
    full = panels()[4]  # absolute loss, Gumbel noise
    few = (1e-3, 0.1, 1.0, 10.0)  # larger ones may amplify another processor's rounding
    spec = SweepSpec(full.problem, ("spl+",), few, full.iterations, (0,))
    problem, shard = Problem(spec.problem), Shard("spl+", 0)
    _, records = advance(problem, spec, shard, start(problem, spec, shard), spec.iterations)
    places = [full.lambdas.index(lam) for lam in few]
    known = shipped().of(full).objectives[full.methods.index("spl+"), 0][:, places]
    assert records.iterations == full.checkpoint_iterations
    assert relative(known, records.objectives.numpy()).max() < 1e-9
    risks = shipped().of(full).risks[full.methods.index("spl+"), 0][:, places]
    assert relative(risks, records.beside[..., 0].numpy()).max() < 1e-9


def test_a_file_gives_back_every_bit(small, tmp_path):
    (tmp_path / "a.npz").write_bytes(packed(small.results))
    again = read(tmp_path / "a.npz")
    for result, known in zip(again, small, strict=True):
        assert result.spec == known.spec
        assert result.objectives.tobytes() == known.objectives.tobytes()
        assert (result.recorded == known.recorded).all()
        assert (result.optimum.value, result.optimum.alpha) == (known.optimum.value, known.optimum.alpha)
        assert result.optimum.gap == known.optimum.gap
        assert result.optimum.theta.tolist() == known.optimum.theta.tolist()
        assert result.optimum.floor == known.optimum.floor
        assert result.beside.keys() == known.beside.keys()
        for name, values in known.beside.items():
            assert result.beside[name].tobytes() == values.tobytes()
        for measure in MEASURES:
            assert result.judged(Criterion(measure)).forgiven == known.judged(Criterion(measure)).forgiven
    assert packed(again.results) == (tmp_path / "a.npz").read_bytes(), "the same results are the same bytes"


def test_the_nine_are_computed_in_their_order_and_the_share_grows(small):
    told = []
    specs = [result.spec for result in small]
    results = list(compute(specs, 1, told.append))
    for result, known in zip(results, small, strict=True):
        np.testing.assert_array_equal(result.objectives, known.objectives)
        np.testing.assert_array_equal(result.risks, known.risks)
    assert (told[0].stage, told[-1].stage) == ("squared loss, normal noise", "logistic loss, lognormal noise")
    shares = [each.share for each in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_damaged_file_is_said_to_be(small, tmp_path):
    whole = packed(small.results)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    for content in (b"", b"not a file", whole[: len(whole) // 2], bytes(damaged)):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(SpecError, match=r"bad\.npz is not a file of results, or it is damaged"):
            read(tmp_path / "bad.npz")


def test_a_file_of_something_else_is_said_to_be(small, tmp_path):
    content = dict(np.load(io.BytesIO(packed(small.results))))
    about = json.loads(content["about"].tobytes())

    def saved(**changed):
        np.savez_compressed(tmp_path / "bad.npz", **{**content, **changed})

    saved(about=np.frombuffer(json.dumps({**about, "format": 1}).encode(), dtype=np.uint8))
    with pytest.raises(SpecError, match="has format 1, but this version reads format 2"):
        read(tmp_path / "bad.npz")
    for changed in (
        {"0-objectives": content["0-objectives"][:1]},
        {"0-risk": content["0-risk"][..., :1]},
        {"0-objectives": np.array([object()])},  # pickled: never opened
        {"about": np.frombuffer(b"[]", dtype=np.uint8)},
    ):
        saved(**changed)
        with pytest.raises(SpecError, match="is not a file of results"):
            read(tmp_path / "bad.npz")
