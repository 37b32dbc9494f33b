"""The design's own tests: a new loss, noise or method is one registry entry and nothing else, and names are telling."""

import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from cvar_core import Problem, ProblemSpec, SweepSpec, sweep
from cvar_core.catalogue import Loss, Method, Model, Noise, Point, losses, methods, noises
from cvar_core.catalogue.methods import spl
from cvar_core.catalogue.methods.rules import ONE
from cvar_core.cli import main
from cvar_core.engine import Shard, advance, start
from cvar_core.results import Criterion

ROOT = Path(__file__).parent.parent
TREES = ("cvar_core", "pages")
MAY_SHARE = {  # a file name, and why
    "__init__.py": "every package has one",
    "__main__.py": "what python -m runs",
    **dict.fromkeys(("anatomy.py", "models.py", "units.py"), "a lesson, and the page that shows it"),
    "preview.py": "a glance at data, and how a page shows it",
}


@pytest.fixture
def quartic():
    """A loss with nothing but a value and a slope: no scalar form, no curvature."""
    entry = losses.add(Loss("quartic", "¼ r⁴", "regression", lambda p, y: (p - y) ** 4 / 4, lambda p, y: (p - y) ** 3))
    yield entry
    losses.remove("quartic")


@pytest.fixture
def laplace():
    entry = noises.add(
        Noise(
            "laplace", "Laplace(scale)", {"scale": 1.0}, frozenset({"scale"}),
            lambda rng, n, q: rng.laplace(0, q["scale"], n),
            lambda z, q: np.exp(-np.abs(z) / q["scale"]) / (2 * q["scale"]),
        )
    )  # fmt: skip
    yield entry
    noises.remove("laplace")


@pytest.fixture
def timid():
    """SPL with half the step, in torch alone."""

    def step(at, sizes):
        theta, alpha = spl.step(at, sizes)
        return Point((at.theta + theta) / 2, (at.alpha + alpha) / 2)

    entry = methods.add(
        Method("timid", "Timid", "half of SPL", Model("timid", "Timid", spl.model, step, spl.bound), ONE)
    )
    yield entry
    methods.remove("timid")


def test_new_entries_run_from_python_and_the_command_line(quartic, laplace, timid, capsys):
    wider = {"scale": 2.0}  # in both, for which what is known of the population is computed once
    problem = Problem.synthetic(loss="quartic", noise="laplace", eval_size=400, dim=3, noise_params=wider)
    result = sweep(problem, methods=["timid", "spl"], lambdas=[0.01, 0.1], iterations=30, seeds=2)
    assert np.isfinite(result.objectives).all()
    assert result.suboptimality.min() >= -1e-9 * (1 + result.optimum.value)
    flags = "--loss quartic --noise laplace --noise-param scale=2 --methods timid --lambdas 0.1 --iterations 20"
    assert main(["sweep", *flags.split(), "--seeds", "1", "--eval-size", "200", "--dim", "3"]) == 0
    assert main(["problems"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("quartic", "laplace", "timid"))


def test_huber_and_student_came_the_same_way():
    problem = Problem.synthetic(loss="huber", noise="student", eval_size=2_000)
    result = sweep(problem, iterations=2_000, seeds=3)
    assert result.judged(Criterion("objective")).forgiven["spl+"].decades > 0
    assert math.isfinite(result.optimum.value)
    assert result.optimum.gap < 1e-6


def test_the_torch_step_serves_where_there_is_no_compiled_form(timid):
    spec = SweepSpec(ProblemSpec(eval_size=300, dim=3), methods=("timid", "spl"), lambdas=(0.1,), iterations=1, seeds=1)
    problem = Problem(spec.problem)
    begin = start(problem, spec, Shard("spl", 0))
    half, full = (advance(problem, spec, Shard(name, 0), begin, 1)[0] for name in spec.methods)
    assert not torch.equal(full.theta, begin.theta)
    torch.testing.assert_close(half.theta, (begin.theta + full.theta) / 2)


def test_no_two_modules_share_a_file_name():
    places = defaultdict(list)
    for tree in TREES:
        for path in (ROOT / tree).rglob("*.py"):
            places[path.name].append(str(path.relative_to(ROOT)))
    assert places, "there are modules to look at"
    shared = {name: sorted(found) for name, found in places.items() if len(found) > 1 and name not in MAY_SHARE}
    assert not shared, "a newcomer who guesses a name should not find two: say in each which it is"


def test_what_is_private_to_streamlit_stands_in_one_file():
    private = re.compile(r"^\s*(from|import) (streamlit\.(?!testing)|uvicorn)|^\s*from streamlit import", re.MULTILINE)
    found = [path for path in (ROOT / "pages").rglob("*.py") if private.search(path.read_text("utf-8"))]
    assert [path.name for path in found] == ["internals.py"]
