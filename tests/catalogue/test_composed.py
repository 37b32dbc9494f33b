"""Any rule goes with any model: by one composed name, which is listed nowhere."""

import dataclasses

import numpy as np
import pytest
import torch

from cvar_core import Problem, SpecError, SweepSpec, sweep
from cvar_core.catalogue import Method, UnknownName, losses, methods
from cvar_core.cli import main
from cvar_core.figures import style
from tests.catalogue.test_methods import in_its_metric, proximal, random_points

MODELS = {method.model.name: method.model for method in methods}
RULES = {method.rule.name: method.rule for method in methods}
NAMED = {(method.model.name, method.rule.name): method.name for method in methods}
UNNAMED = [f"{model}@{rule}" for model in MODELS for rule in RULES if (model, rule) not in NAMED]


def test_the_named_methods_are_models_with_rules():
    assert NAMED["sgm", "one"] == "sgm"
    assert NAMED["spl", "pair"] == "spl+"
    assert methods["spl"].model is methods["spl+"].model is methods["spl-u"].model
    assert methods["sgm-u"].rule is methods["spl-u"].rule
    assert "sgm@pair" in UNNAMED


@pytest.mark.parametrize("name", UNNAMED)
def test_a_composed_method_is_its_model_with_its_rule(name, rng):
    model, rule = name.split("@")
    method = methods[name]
    assert (method.model, method.rule) == (MODELS[model], RULES[rule])
    assert method is methods[name]
    assert name in methods
    assert name not in methods.names()
    assert method.label == f"{MODELS[model].label} with {RULES[rule].label}"
    assert style(name).colour.startswith("#")
    at, sizes = random_points(losses["huber"], 40, 3, rng)
    sizes = in_its_metric(method, sizes, 3, rng)
    here = proximal(method, at, sizes, *method.step(at, sizes))
    assert bool((here <= proximal(method, at, sizes, at.theta, at.alpha) + 1e-12).all())


def test_it_runs_like_any_other(capsys):
    problem = Problem.synthetic(loss="absolute", noise="normal", eval_size=300, dim=3)
    found = sweep(problem, ["sgm@pair", "spl+"], [0.1, 1.0], iterations=50, seeds=2)
    assert np.isfinite(found.objectives).all()
    assert SweepSpec.from_dict(found.spec.to_dict()) == found.spec
    lam = torch.tensor([0.1, 1.0], dtype=torch.float64)
    initial = torch.tensor(4.0, dtype=torch.float64)
    for one, other in zip(methods["sgm@pair"].step_sizes(lam, initial)[:2], (lam / 4, lam * 4), strict=True):
        assert torch.equal(one, other)
    flags = ["--methods", "sgm@pair", "--lambdas", "0.1", "--iterations", "20", "--seeds", "1", "--eval-size", "200"]
    assert main(["sweep", *flags]) == 0
    assert "sgm@pair" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("sgm@trio", "after it a rule for its step sizes, one of one, pair, unit-free"),
        ("adam@pair", "before the @ stands a model, one of sgm, spl"),
        ("spl@pair", "has a name of its own, spl[+]: ask for that"),
        ("@", "before the @ stands a model"),
        ("sgm@pair@pair", "after it a rule"),
    ],
)
def test_a_wrong_one_gets_a_sentence(wrong, said, capsys):
    assert wrong not in methods
    with pytest.raises(UnknownName, match=said):
        methods[wrong]
    with pytest.raises(SpecError, match=f"^methods is '{wrong}', but (unknown|the) method .*{said}"):
        SweepSpec(Problem.synthetic().spec, methods=(wrong,))
    assert main(["sweep", "--methods", wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_two_models_cannot_share_a_name():
    other = dataclasses.replace(methods["spl"].model, label="Another")
    with pytest.raises(ValueError, match="has a model named 'spl', but another has that name"):
        methods.add(Method("another", "Another", "not SPL", other, methods["spl"].rule))
    assert "another" not in methods


def test_a_combination_that_gets_a_name_is_found_by_it():
    """So that a lesson that needs one does not fail when somebody adds it."""
    named = methods.add(dataclasses.replace(methods["sgm-t"], name="mine", rule=methods["spl+"].rule))
    try:
        assert methods.of("sgm-t", "pair") is named
    finally:
        methods.remove("mine")
    assert methods.of("sgm-t", "pair").name == "sgm-t@pair"
