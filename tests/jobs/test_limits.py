"""What a server allows: a sentence for each field that asks for too much."""

import re

import pytest

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.jobs import Limits


def faults(**fields):
    return Limits().faults(fields)


def test_the_defaults_are_allowed():
    assert Limits().faults(SweepSpec(ProblemSpec()).to_dict()) == {}


def test_the_paper_s_panel_is_allowed():
    assert faults(problem={"eval_size": 1_000_000}, iterations=100_000) == {}


@pytest.mark.parametrize(
    ("fields", "field", "word"),
    [
        ({"problem": {"beta": 2}}, "beta", "0 ≤ beta < 1"),
        ({"problem": {"noise": "normal", "noise_params": {"std": -1.0}}}, "noise_params", "above 0"),
        ({"problem": {"dim": 0}}, "dim", "between 1 and"),
        ({"problem": {"dim": 5_000}}, "dim", "this server allows at most 200"),
        ({"problem": {"eval_size": 10**7}}, "eval_size", "this server allows at most 1,000,000"),
        ({"problem": {"sample_size": 10**7}}, "sample_size", "this server allows at most 1,000,000"),
        ({"iterations": 10**12}, "iterations", "this server allows at most 1,000,000"),
        ({"seeds": 10**6}, "seeds", "this server allows at most 100"),
        ({"lambdas": tuple(float(k) for k in range(1, 300))}, "lambdas", "this server allows at most 200"),
        ({"methods": ()}, "methods", "choose from"),
        ({"checkpoints": 900}, "checkpoints", "this server allows at most 200"),
        ({"seeds": 100, "lambdas": tuple(float(k) for k in range(1, 200))}, "seeds", "59,700 runs"),
        ({"problem": {"eval_size": 1_000_000, "dim": 200}}, "dim", "200,000,000 numbers, but this server allows"),
        ({"problem": {"eval_size": 10**6, "dim": 50}, "seeds": 100, "checkpoints": 99}, "iterations", "minutes of"),
    ],
)
def test_what_is_too_much_gets_a_sentence_at_its_field(fields, field, word):
    found = faults(**fields)
    assert list(found) == [field]
    assert word in found[field]


def test_a_problem_larger_than_the_memory_says_how_much_it_needs():
    found = Limits(memory=2**20).faults({"problem": {"eval_size": 100_000}})
    assert list(found) == ["dim"]
    assert re.search(r"dim 10 on 100,000 points needs \d+ MB, but this server allows 1 MB", found["dim"])


def test_every_field_that_is_wrong_is_named():
    found = faults(problem={"beta": 2, "dim": -1}, iterations=0, seeds=10**6)
    assert set(found) == {"beta", "dim", "iterations", "seeds"}


def test_a_class_behind_one_address_has_room_and_so_have_others():
    usual, pupils = Limits(), 30
    assert usual.jobs / 2 >= usual.jobs_per_address >= pupils * usual.jobs_per_visitor
    assert usual.upload_store / 2 >= usual.upload_store_per_address >= usual.uploads * usual.upload
    assert usual.upload_memory > usual.upload_memory_per_address >= usual.uploads * usual.upload


@pytest.mark.parametrize("share", [1, 50, 100, 900])
def test_an_address_may_have_what_one_visitor_may_and_never_more_than_all(share):
    small = Limits(jobs=4, upload_store=2**27, address_share=share)
    assert small.jobs_per_visitor <= small.jobs_per_address <= small.jobs
    assert small.upload <= small.upload_store_per_address <= small.upload_store
