"""What the dashboard says would reproduce a run does describe that run."""

import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cvar_core
from cvar_core import ProblemSpec, SweepSpec
from cvar_core.cli import arguments
from cvar_core.data import DataError, Recipe
from cvar_core.reproduce import command, python
from cvar_core.results import MEASURES, Criterion, criterion
from cvar_core.specs import usual_methods

CRITERIA = [
    None,
    Criterion(),
    Criterion("objective"),
    Criterion("risk", 0.99),
    Criterion("objective", 0.07),
    Criterion(epsilon=1 / 3),
]

SPECS = [
    SweepSpec(ProblemSpec()),
    SweepSpec(ProblemSpec(loss="logistic", noise="gumbel", beta=0.0, dim=3, eval_size=5_000, seed=9, scale=0.01)),
    SweepSpec(ProblemSpec(noise="student", noise_params={"df": 2.5}, sample_size=1_000, beta=0.999), seeds=1),
    SweepSpec(
        ProblemSpec(noise="normal", noise_params={"mean": -1.0, "std": 1e-3}),
        methods=("spl+",), lambdas=(0.1, 1 / 3, 1e5), iterations=77, seeds=(3,), schedule="constant", checkpoints=5,
    ),
    SweepSpec(ProblemSpec(start="zero"), seeds=2),
    SweepSpec(ProblemSpec(mix=0.3), seeds=2),
    SweepSpec(ProblemSpec("huber", loss_params={"knee": 1 / 3}), seeds=2),
    SweepSpec(ProblemSpec("pinball", "gumbel", loss_params={"tau": 0.8}, start="zero"), seeds=2),
    SweepSpec(ProblemSpec(), seeds=(0, 2, 7), lambdas=tuple(10**k for k in range(-3, 3))),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_the_command_describes_the_run(spec):
    words = shlex.split(command(spec))
    assert words[:4] == ["python", "-m", "cvar_core", "sweep"]
    args = arguments.build().parse_args(words[3:])
    problem = arguments.problem(args, None).spec
    assert arguments.sweep_spec(args, problem, arguments.iterations(args, None)) == spec


@pytest.mark.parametrize("spec", SPECS)
def test_the_python_lines_describe_the_run(spec, monkeypatch):
    seen, judging = [], []

    class Nothing:
        def robustness(self, **given):
            judging.append(criterion(**given))

    def recording(problem, **fields):
        seen.append(SweepSpec(problem.spec, **fields))
        return Nothing()

    monkeypatch.setattr(cvar_core, "sweep", recording)
    for by in CRITERIA:
        exec(python(spec, by), {})
        assert seen.pop() == spec
        assert judging.pop() == (by or Criterion())


@pytest.mark.parametrize("by", CRITERIA)
def test_the_command_judges_by_the_criterion(by):
    args = arguments.build().parse_args(shlex.split(command(SPECS[0], by))[3:])
    assert arguments.criterion(args) == (by or Criterion())


@given(st.floats(1e-6, 1 - 1e-6), st.sampled_from(MEASURES))
def test_no_share_loses_digits_that_count(closed, measure):
    args = arguments.build().parse_args(shlex.split(command(SPECS[0], Criterion(measure, closed)))[3:])
    read = arguments.criterion(args)
    assert read.measure == measure
    assert 1 - read.closed == pytest.approx(1 - closed, rel=1e-6)


def test_only_what_is_not_a_default_is_spelt_out():
    assert command(SPECS[0]) == "python -m cvar_core sweep"
    assert command(SPECS[0], Criterion()) == "python -m cvar_core sweep"
    assert command(SPECS[0], Criterion(closed=0.999)) == "python -m cvar_core sweep --epsilon 99.9%"
    assert command(SPECS[0], Criterion("objective")) == "python -m cvar_core sweep --measure objective"
    assert python(SPECS[0]).endswith("result.robustness()")
    assert python(SPECS[0], Criterion("objective", 0.99)).endswith("robustness(measure='objective', closed=0.99)")
    assert "Problem.synthetic()" in python(SPECS[0])


RECIPES = [
    Recipe("diabetes"),
    Recipe("wine", holdout=0.25, seed=3, standardise=True, intercept=True, positive="class_1"),
    Recipe("my rows.csv", target="the price; rm -rf", test="other rows.csv"),
    Recipe("my rows.csv", target="-1", positive="-1"),
    Recipe("my rows.csv", target="a", drop=("the price; rm -rf",), missing="drop", standardise_target=True),
    Recipe("my rows.csv", target="a", only=("b", 'size, "net"')),
    Recipe("my rows.csv", target="a", drop=('size, "net"', "b"), keep=("-b",), standardise=True, missing="refuse"),
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name in ("my rows.csv", "other rows.csv"):
        (tmp_path / name).write_text('a,the price; rm -rf,"size, ""net""",-b,b\n1,2,7,1,-1\n3,5,,2,1\n4,4,9,1,-1\n')
    monkeypatch.chdir(tmp_path)


def swept(recipe):
    loss, chosen = ("huber", {"knee": 0.3}) if recipe.positive is None else ("logistic", None)
    problem = recipe.load().problem(loss, 0.9, positive=recipe.positive, loss_params=chosen, mix=0.25)
    return SweepSpec(problem.spec, iterations=50, seeds=2)


@pytest.mark.parametrize("names", [usual_methods(on_data=True), usual_methods(on_data=False), ("sgm-u",)])
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_command_describes_a_run_on_data(recipe, names, files):
    spec = replace(swept(recipe), methods=names)
    assert ("--methods" in command(spec, recipe=recipe)) == (names != usual_methods(on_data=True))
    args = arguments.build().parse_args(shlex.split(command(spec, recipe=recipe))[3:])
    data = arguments.dataset(args)
    problem = arguments.problem(args, data).spec
    assert arguments.sweep_spec(args, problem, arguments.iterations(args, data)) == spec


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_python_lines_describe_a_run_on_data(recipe, files, monkeypatch):
    spec, seen = swept(recipe), []
    monkeypatch.setattr(cvar_core, "sweep", lambda problem, **fields: seen.append(SweepSpec(problem.spec, **fields)))
    lines = python(spec, recipe=recipe).rpartition("\n")[0]
    exec(lines, {})
    assert seen == [spec]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_is_kept_as_text(recipe):
    assert Recipe.from_json(recipe.to_json()) == recipe


NOT_LISTS = [f'{{"data": "a", "drop": {each}}}' for each in ('"b"', "[1]", "3")]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"data": "a", "unknown": 1}', *NOT_LISTS])
def test_a_damaged_recipe_gets_a_sentence(text):
    with pytest.raises(DataError, match="the recipe of these data cannot be read"):
        Recipe.from_json(text)
