"""What a caller asks of ``sweep``, ``check``, ``recommend``, ``sharpen`` and ``decide``, and how it is answered."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from cvar_core import (
    Cancelled,
    Problem,
    Result,
    SpecError,
    SweepSpec,
    Verdict,
    check,
    decide,
    recommend,
    sharpen,
    sweep,
)
from cvar_core.progress_bar import shown
from cvar_core.scheduling import Progress
from tests.results.making import QUIET, made

SHORT = {"iterations": 100, "seeds": 2}


@pytest.fixture(scope="module")
def problem():
    return Problem.synthetic(**{**QUIET, "eval_size": 500})


@pytest.mark.parametrize(
    ("gaps", "safe"), [([1e-9, 1e-9, 1e-9], True), ([1e-9, 100, 100], False), ([99, 99, 99], False)]
)
def test_a_verdict_is_as_true_as_lambda_is_safe(gaps, safe):
    verdict = made([[gaps] * 5]).verdict("spl", 10.0)
    assert bool(verdict) is verdict.safe is safe


def test_no_verdict_is_false():
    verdict = made([[[1, 1], [1, 1]]], 50, 100.0, models=[[[0.01, 0.01]] * 2], model_starts=0.5).verdict("spl", 1.0)
    assert verdict.state == "no verdict"
    assert not verdict
    assert str(verdict).startswith("There is no verdict")


def test_several_methods_are_asked_at_once(problem):
    found = check(problem, 1.0, ["spl+", "sgm"], **SHORT)
    assert list(found) == ["spl+", "sgm"]
    for name in found:
        assert found[name] == check(problem, 1.0, name, **SHORT), "each as if asked alone"
    assert bool(found) == all(found.values()) == found.safe
    assert str(found).count("\n") == 1
    assert isinstance(check(problem, 1.0, ("sgm",), **SHORT)["sgm"], Verdict)


def test_one_s_own_grid_is_asked(problem):
    verdict = check(problem, 0.3, "spl+", lambdas=[0.2, 0.5], **SHORT)
    alone = sweep(problem, ["spl+"], [0.2, 0.3, 0.5], **SHORT).verdict("spl+", 0.3)
    assert replace(verdict, remarks=()) == alone
    found = recommend(problem, ["spl+"], lambdas=[0.2, 0.5], **SHORT)
    assert found.judged.result.spec.lambdas == (0.2, 0.5)


def test_a_spec_may_stand_for_a_problem_or_for_all(problem):
    spec = SweepSpec(problem.spec, ("spl",), (0.1, 1.0), 50, 2)
    result = sweep(problem, ["spl"], [0.1, 1.0], 50, 2)
    assert sweep(spec) == sweep(problem.spec, ["spl"], [0.1, 1.0], 50, 2) == result
    with pytest.raises(SpecError, match="iterations is given beside a SweepSpec, which has its own"):
        sweep(spec, iterations=7)
    rows = Problem.from_arrays([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(SpecError, match=r"made with Problem.from_arrays, which takes the arrays"):
        sweep(rows.spec)


@pytest.mark.parametrize("ask", [sweep, recommend, sharpen, lambda *a, **k: check(a[0], 1.0, **k)])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"lambdas": [0.1, 0]}, "one of lambdas is 0, but a step size must lie between"),
        ({"lambdas": ["a"]}, "one of lambdas is 'a', but it must be a number"),
        ({"lambdas": []}, "lambdas is empty"),
        ({"seeds": 0}, "seeds is 0, but it must lie between 1 and 1,000"),
        ({"seeds": [0, -1]}, "one of seeds is -1, but it must lie between"),
        ({"seeds": []}, "there are 0 seeds"),
        ({"iterations": 1.5}, "iterations is 1.5, but it must be a whole number"),
        ({"schedule": "cosine"}, "schedule is 'cosine', but it must be one of"),
        ({"checkpoints": 0}, "checkpoints is 0"),
        ({"workers": 0}, "workers is 0, but it must be a whole number from 1 to 256"),
        ({"progress": "yes"}, "progress is 'yes', but it must be True or False"),
        ({"report": 3}, "report is 3, but it must be something that can be called"),
    ],
)
def test_a_wrong_argument_is_named_as_the_caller_wrote_it(problem, ask, wrong, words):
    with pytest.raises(SpecError, match=f"^{words}"):
        ask(problem, **wrong)


@pytest.mark.parametrize("ask", [check, decide])
@pytest.mark.parametrize(
    ("lam", "words"),
    [(0, "lam is 0, but a step size"), ("1", "lam is '1', but"), (np.inf, "lam is inf"), (None, "lam is None")],
)
def test_a_wrong_lam_is_called_lam(problem, ask, lam, words):
    with pytest.raises(SpecError, match=f"^{words}"):
        ask(problem, lam)


@pytest.mark.parametrize("ask", [sweep, recommend, sharpen])
def test_a_wrong_first_argument_is_named(ask):
    with pytest.raises(SpecError, match=r"^problem is of type str, but it must be a Problem"):
        ask("squared")


def test_progress_is_reported_by_the_thread_that_asked(problem):
    threads, inside = set(), []

    def report(progress):
        assert not inside, "one at a time"
        inside.append(progress)
        threads.add(threading.get_ident())
        inside.pop()

    sweep(problem, **SHORT, workers=2, report=report)
    sharpen(problem, ["spl+"], **SHORT, budget=5_000, workers=2, report=report)
    assert threads == {threading.get_ident()}


def test_a_bar_is_shown_where_it_is_asked_for(problem, capsys):
    sweep(problem, **SHORT, progress=True)
    assert "100%" in capsys.readouterr().err
    sweep(problem, **SHORT)
    with shown(None) as told:  # no terminal here
        told(Progress("sweep", 1.0, 7))
    assert told.updates == 7
    assert capsys.readouterr() == ("", "")


LONG = {"methods": ["spl"], "lambdas": [0.1], "iterations": 10**8, "seeds": 1, "workers": 1}


def test_who_is_stopped_has_what_was_found(problem):
    told = [0]
    with pytest.raises(Cancelled) as stopped:
        sweep(problem, **LONG, report=lambda each: told.append(each.updates), stop=lambda: told[-1] > 0)
    found = stopped.value.result
    assert isinstance(found, Result)
    assert found.optimum == problem.optimum()
    assert 0 < found.recorded.min() < len(found.checkpoints)
    assert not found.curves.empty


def test_before_the_optimum_is_known_there_is_nothing(monkeypatch):
    monkeypatch.setattr(Problem, "optimum", lambda self, stop: any(iter(stop, True)))  # until it is stopped
    with pytest.raises(Cancelled) as stopped:
        sweep(Problem.synthetic(eval_size=100), **LONG, stop=lambda: True)
    assert stopped.value.result is None


def test_control_c_has_it_too(problem):
    def report(progress):
        if progress.updates:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        sweep(problem, **LONG, report=report)
    assert isinstance(stopped.value.result, Result)


def test_sharpen_that_is_stopped_has_what_is_known(problem):
    stages = []
    with pytest.raises(Cancelled) as stopped:
        sharpen(
            problem, ["spl+"], **SHORT, report=lambda each: stages.append(each.stage), stop=lambda: len({*stages}) > 1
        )
    assert stopped.value.result.methods["spl+"].starts
    with pytest.raises(Cancelled) as at_once:
        sharpen(problem, ["spl+"], **SHORT, stop=lambda: True)
    assert at_once.value.result is None
