"""The design's own tests: a new entry is one line in a registry, defaults stand once, and names are telling."""

import inspect
import json
import math
import re
import shlex
from collections import defaultdict
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cvar_core import (
    Dataset,
    Problem,
    ProblemSpec,
    SweepSpec,
    check,
    decide,
    figures,
    recommend,
    report,
    sharpen,
    sweep,
    tail,
)
from cvar_core.catalogue import losses, methods, noises, schedules
from cvar_core.cli import arguments, main
from cvar_core.data import load
from cvar_core.engine import Shard, advance, start
from cvar_core.figures.ghosts import Pinned, haunt_sensitivity
from cvar_core.lessons import atlas, paper
from cvar_core.reproduce import command, python
from cvar_core.results import Criterion
from cvar_core.specs import RECOMMENDED_METHODS, USUAL_METHOD, USUAL_SEEDS, usual_methods
from cvar_core.store import Store
from tests.figures.results import all_figures
from tests.newcomers import halved as halved
from tests.newcomers import laplace as laplace
from tests.newcomers import newcomers as newcomers
from tests.newcomers import timid as timid
from tests.newcomers import waning as waning

ROOT = Path(__file__).parent.parent
TREES = ("cvar_core", "pages")
MAY_SHARE = {  # a file name, and why
    "__init__.py": "every package has one",
    "__main__.py": "what python -m runs",
    **dict.fromkeys(("anatomy.py", "models.py", "units.py"), "a lesson, and the page that shows it"),
    "preview.py": "a glance at data, and how a page shows it",
}


# Of a sample: what is known of a population takes a second, and is the same here as elsewhere.
MADE = {"loss": "halved", "noise": "laplace", "dim": 3, "sample_size": 300, "noise_params": {"scale": 2.0}}


@pytest.fixture
def spec(newcomers):
    """A run of what was registered last, beside SPL."""
    return SweepSpec(
        ProblemSpec(**MADE), methods=("timid", "spl"), lambdas=(0.01, 0.1), iterations=30, seeds=2, schedule="waning"
    )


def run_again(spec, **options):
    return sweep(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule, **options
    )


def told_by(words):
    """Return the spec that a command line stands for."""
    args = arguments.parsed(shlex.split(words)[3:])
    problem = arguments.problem(args, None).spec
    return arguments.sweep_spec(args, problem, arguments.iterations(args, None))


def test_new_entries_run_are_drawn_and_are_reported(spec):
    spec = replace(spec, problem=replace(spec.problem, sample_size=None))
    result = run_again(spec)
    assert np.isfinite(result.objectives).all()
    assert result.suboptimality.min() >= -1e-9 * (1 + result.optimum.value)
    for figure in all_figures(result):
        said = json.dumps(figure, allow_nan=False, ensure_ascii=False)
        assert "Timid" in said, "every chart of methods has it, under its label"
    behind, alone = figures.sensitivity(result), run_again(replace(spec, methods=("timid",)))
    haunt_sensitivity(behind, result, [Pinned("pinned", alone)], Criterion())
    ghosts = [each["name"] for each in behind["data"] if "-pinned-" in each["uid"]]
    assert [name.split(" · ")[0] for name in ghosts] == ["Timid"]
    json.dumps(figures.density(spec.problem), allow_nan=False)
    page = report.html(result, command(spec))
    assert all(word in page for word in ("Timid", "halved", "laplace", "waning"))


def test_new_entries_are_judged_and_recommended_like_all_others(newcomers):
    problem, runs = Problem.synthetic(**MADE), {"iterations": 30, "seeds": 2, "schedule": "waning"}
    found = check(problem, 0.1, "timid", **runs)
    assert "Timid" in str(recommend(problem, ["timid", "spl"], **runs))
    assert decide(problem, 0.1, "timid", **{**runs, "seeds": 1}).verdict.method == found.method == "timid"
    assert set(sharpen(problem, ["timid"], [0.01, 0.1], budget=1_000, **runs).methods) == {"timid"}


def test_what_is_said_to_reproduce_a_run_of_new_entries_does(spec, monkeypatch):
    assert told_by(command(spec)).id == spec.id
    seen = []

    class Nothing:
        def robustness(self):
            return None

    def recording(*given, **named):
        named = inspect.signature(sweep).bind(*given, **named)
        named.apply_defaults()
        asked = {name: value for name, value in named.arguments.items() if name in {f.name for f in fields(SweepSpec)}}
        seen.append(SweepSpec(**{**asked, "problem": named.arguments["problem"].spec, "lambdas": asked["lambdas"]}))
        return Nothing()

    monkeypatch.setattr("cvar_core.sweep", recording)
    exec(python(spec), {})
    assert [each.id for each in seen] == [spec.id]


def test_a_new_method_does_not_change_what_a_command_without_methods_means(timid):
    spec = SweepSpec(ProblemSpec())
    assert command(spec) == "python -m cvar_core sweep"
    assert told_by(command(spec)) == spec
    assert not any("timid" in usual_methods(on_data) for on_data in (False, True))


def test_new_entries_are_stored_found_and_taken_up(spec, tmp_path):
    path = tmp_path / "runs.db"
    first = run_again(spec, store=path)
    steps = []
    again = run_again(spec, store=path, report=lambda progress: steps.append(progress.updates))
    assert max(steps, default=0) == 0, "nothing is computed twice"
    np.testing.assert_array_equal(first.objectives, again.objectives)
    store = Store.open(path)
    store.visit("ann", spec.id)
    assert [run.spec for run in store.history("ann")] == [spec]
    store.close()


def test_new_entries_run_on_data_and_tell_who_is_in_the_tail(newcomers):
    data = load("diabetes")
    problem = data.problem("halved", 0.9, start="zero")
    result = sweep(problem, ["timid"], [1.0], iterations=20, seeds=1)
    assert "Timid" in str(tail(data, problem, result, method="timid"))
    for draw in (figures.measures_by_lambda, figures.measures_along):
        assert "Timid" in json.dumps(draw(result), ensure_ascii=False)


def test_new_entries_run_from_the_command_line(newcomers, capsys, tmp_path):
    flags = "--loss halved --noise laplace --noise-param scale=2 --iterations 20 --schedule waning"
    small = ["--seeds", "1", "--sample-size", "200", "--dim", "3"]
    files = {name: tmp_path / f"found.{name}" for name in ("csv", "json", "html")}
    out = ["--out", str(files["csv"]), "--summary", str(files["json"]), "--html", str(files["html"])]
    assert main(["sweep", *flags.split(), *small, "--methods", "timid", "--lambdas", "0.1", *out]) == 0
    assert "timid" in capsys.readouterr().out
    assert SweepSpec.from_dict(json.loads(files["json"].read_text())["spec"]).methods == ("timid",)
    assert ",timid," in f",{files['csv'].read_text().splitlines()[1]}"
    assert main(["check", *flags.split(), *small, "--method", "timid", "--lambda", "0.1"]) in (0, 1)
    assert "Timid" in capsys.readouterr().out
    assert main(["problems"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("halved", "laplace", "timid", "waning"))
    for command_name in ("sweep", "check"):
        with pytest.raises(SystemExit):
            main([command_name, "--help"])
        told = capsys.readouterr().out
        assert all(name in told for name in ("halved", "laplace", "waning"))


def test_what_ships_is_read_whatever_is_registered(newcomers):
    assert set(atlas.shipped().problems[0].spec.methods) <= set(methods.names())
    assert len(paper.shipped().results) == 9
    assert "timid" not in atlas.METHODS, "what was computed does not have it"


# Defaults stand once.

CALLS = [sweep, check, sharpen, decide, recommend, Problem.synthetic, Problem.from_arrays, Dataset.problem]


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__qualname__)
def test_a_call_has_the_defaults_of_the_specs(function):
    usual = {each.name: each.default for spec in (ProblemSpec, SweepSpec) for each in fields(spec)}
    usual |= {"seeds": USUAL_SEEDS, "lambdas": None, "method": USUAL_METHOD}
    usual |= {"methods": RECOMMENDED_METHODS} if function is recommend else {}
    found = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name in usual and parameter.default is not inspect.Parameter.empty
    }
    assert found == {name: usual[name] for name in found}
    assert len(found) >= 4


def test_a_command_without_flags_has_the_defaults_of_the_specs():
    assert told_by("python -m cvar_core sweep") == SweepSpec(ProblemSpec())
    args = arguments.parsed(["check"])
    assert arguments.names(args.method) == RECOMMENDED_METHODS
    assert arguments.seeds(args.seeds) == USUAL_SEEDS
    assert {each.name for each in (*losses, *noises, *methods, *schedules)}, "the registries are whole again"


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
