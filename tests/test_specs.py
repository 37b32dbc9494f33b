"""Specs: they check themselves, have one form, and that form is the identity of a run."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvar_core import ProblemSpec, SpecError, SweepSpec, paper_grid
from cvar_core.catalogue import losses, methods, noises, schedules
from cvar_core.specs import canonical
from tests.catalogue.variants import variants

named_losses = st.sampled_from([each for loss in losses for each in variants(loss)])
problems = st.builds(
    lambda loss, **further: ProblemSpec(loss.name, loss_params=loss.parameters, **further),
    loss=named_losses,
    noise=st.sampled_from(noises.names()),
    beta=st.floats(0, 0.999),
    dim=st.integers(1, 1000),
    eval_size=st.integers(1, 10**6),
    seed=st.integers(0, 2**32 - 1),
    scale=st.floats(1e-6, 1e6),
    sample_size=st.none() | st.integers(1, 10**5),
)
sweeps = st.builds(
    SweepSpec,
    problem=problems,
    methods=st.lists(st.sampled_from(methods.names()), min_size=1).map(tuple),
    lambdas=st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=20).map(tuple),
    iterations=st.integers(1, 10**6),
    seeds=st.lists(st.integers(0, 99), min_size=1).map(tuple),
    schedule=st.sampled_from(schedules.names()),
    checkpoints=st.integers(1, 60),
)


@given(sweeps)
def test_json_form_is_the_spec(spec):
    again = SweepSpec.from_dict(json.loads(canonical(spec)))
    assert again == spec
    assert again.id == spec.id


@given(sweeps, sweeps)
def test_a_family_has_all_methods_seeds_and_step_sizes_of_what_else_is_the_same(spec, other):
    same = replace(spec, methods=other.methods, lambdas=other.lambdas, seeds=other.seeds)
    assert same.family == spec.family
    for name in ("problem", "iterations", "schedule", "checkpoints"):
        changed = replace(spec, **{name: getattr(other, name)})
        alike = changed.problem == spec.problem and changed.schedule == spec.schedule
        alike &= changed.checkpoint_iterations == spec.checkpoint_iterations
        assert (changed.family == spec.family) == alike


def test_a_family_is_of_one_engine(monkeypatch):
    before = SweepSpec(ProblemSpec()).family
    monkeypatch.setattr("cvar_core.specs.ENGINE_VERSION", 0)
    assert SweepSpec(ProblemSpec()).family != before


@given(sweeps)
def test_checkpoints_rise_from_the_start_to_the_end(spec):
    counts = spec.checkpoint_iterations
    assert counts[0] == 0
    assert counts[-1] == spec.iterations
    assert list(counts) == sorted(set(counts))
    assert len(counts) <= spec.checkpoints + 1


def test_default_checkpoints_are_26_and_the_start():
    assert len(SweepSpec(ProblemSpec(), iterations=100_000).checkpoint_iterations) == 27


def test_the_papers_grid():
    grid = paper_grid()
    assert len(grid) == 15
    assert (grid[0], grid[-1]) == (1e-6, 1e4)
    assert {10**-1.5, 10**-0.5, 10**0.5, 10**1.5, 1.0} <= set(grid)


def test_an_engine_upgrade_changes_every_id(monkeypatch):
    spec = SweepSpec(ProblemSpec())
    before = spec.id
    monkeypatch.setattr("cvar_core.specs.ENGINE_VERSION", 10**6)
    assert SweepSpec(ProblemSpec()).id != before


def test_defaults_said_aloud_are_the_defaults():
    assert ProblemSpec(noise_params={"mean": 2.0, "sigma": 1}) == ProblemSpec()
    assert ProblemSpec("huber", loss_params={"knee": 1}) == ProblemSpec("huber", loss_params={}) == ProblemSpec("huber")
    assert "loss_params" not in canonical(ProblemSpec("huber", loss_params={"knee": 1.0}))
    assert SweepSpec(ProblemSpec(), seeds=5, lambdas=reversed(paper_grid())).id == SweepSpec(ProblemSpec()).id


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"beta": 1.0}, "0 ≤ beta < 1"),
        ({"beta": -0.1}, "0 ≤ beta < 1"),
        ({"beta": math.nan}, "finite"),
        ({"beta": "a lot"}, "must be a number"),
        ({"loss": "hinge"}, "squared, absolute, logistic"),
        ({"noise": "pink"}, "normal, gumbel, lognormal"),
        ({"noise_params": {"mu": 1.0}}, "it has mean, sigma"),
        ({"noise_params": {"sigma": -1.0}}, "above 0"),
        ({"noise_params": [1]}, "map names to numbers"),
        ({"loss": "huber", "loss_params": {"tau": 1.0}}, "huber loss has no parameter 'tau'; it has knee"),
        ({"loss": "squared", "loss_params": {"knee": 1.0}}, "squared loss has no parameter 'knee'; it has none"),
        ({"loss": "huber", "loss_params": {"knee": 0.0}}, "huber loss's knee is 0, but it must be above 0"),
        ({"loss": "pinball", "loss_params": {"tau": 1.0}}, "pinball loss's tau is 1, but it must satisfy 0 < tau < 1"),
        ({"loss": "pinball", "loss_params": {"tau": 0}}, "0 < tau < 1"),
        ({"loss": "huber", "loss_params": {"knee": 1e7}}, "at most 1e6"),
        ({"loss": "huber", "loss_params": {"knee": "x"}}, "must be a number"),
        ({"loss": "huber", "loss_params": 2.0}, "loss_params is 2.0, but it must map names to numbers"),
        ({"loss": "huber(knee=2.0)"}, "one of squared"),
        ({"dim": 0}, "between 1 and"),
        ({"dim": 2.5}, "whole number"),
        ({"dim": True}, "whole number"),
        ({"eval_size": 0}, "between 1 and"),
        ({"seed": -1}, "between 0 and"),
        ({"scale": 0.0}, "1e-12 and 1e12"),
        ({"scale": math.inf}, "finite"),
        ({"sample_size": 0}, "between 1 and"),
    ],
)
def test_a_bad_problem_gets_a_sentence(changes, words):
    with pytest.raises(SpecError, match=r"^[^\n]+$") as raised:
        ProblemSpec(**changes)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lambdas": ()}, "at least one step size"),
        ({"lambdas": (0.0,)}, "1e-12 and 1e12"),
        ({"lambdas": (math.inf,)}, "finite"),
        ({"lambdas": (-1.0,)}, "1e-12 and 1e12"),
        ({"lambdas": tuple(1.0 + k for k in range(10_000))}, "at most 1,000"),
        ({"lambdas": ("abc",)}, "must be a number"),
        ({"methods": ()}, "sgm, spl, spl+"),
        ({"methods": ("adam",)}, "sgm, spl, spl+"),
        ({"iterations": 0}, "between 1 and"),
        ({"iterations": 10**12}, "between 1 and"),
        ({"seeds": 0}, "between 1 and 1,000"),
        ({"seeds": 10**6}, "between 1 and 1,000"),
        ({"seeds": ()}, "between 1 and 1,000"),
        ({"seeds": "many"}, "whole number"),
        ({"schedule": "cosine"}, "decreasing, constant"),
        ({"checkpoints": 0}, "between 1 and"),
    ],
)
def test_a_bad_sweep_gets_a_sentence(changes, words):
    with pytest.raises(SpecError, match=r"^[^\n]+$") as raised:
        SweepSpec(ProblemSpec(), **changes)
    assert words in str(raised.value)


@pytest.mark.parametrize("given", [{"problem": 3}, {1: 2, "a": 1}, [1], {"problem": {"beta": 10**400}}])
def test_rubbish_gets_a_sentence_too(given):
    with pytest.raises(SpecError, match=r"^[^\n]+$"):
        SweepSpec.from_dict(given)


def test_numbers_of_any_kind_are_numbers():
    import numpy as np

    spec = SweepSpec(ProblemSpec(dim=np.int64(3)), lambdas=np.array([0.5]), seeds=np.int64(2))
    assert (spec.lambdas, spec.seeds) == ((0.5,), (0, 1))
    assert SweepSpec.from_dict({}) == SweepSpec(ProblemSpec())


def test_unknown_fields_are_named():
    with pytest.raises(SpecError, match="unknown field 'lambda'"):
        SweepSpec.from_dict({"problem": {}, "lambda": 1})
