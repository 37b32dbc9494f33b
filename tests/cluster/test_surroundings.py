"""A worker that might find other bits is refused before it does."""

import pickle

import pytest

from cvar_core import ProblemSpec, SpecError
from cvar_core.cluster import at_worker
from cvar_core.cluster.surroundings import Surroundings, surroundings
from cvar_core.scheduling import Draw

SPEC = ProblemSpec(loss="absolute", noise="normal", eval_size=100)


@pytest.mark.parametrize("unlike", Surroundings._fields)
def test_a_worker_with_anything_else_is_refused_with_a_sentence(unlike, monkeypatch):
    monkeypatch.setattr(at_worker, "_address", lambda: "tcp://10.0.0.7:4000")
    asked = surroundings()._replace(**{unlike: "another"})
    mine = getattr(surroundings(), unlike)
    with pytest.raises(SpecError) as refused:
        at_worker.performed(pickle.dumps(Draw(SPEC)), None, asked)
    told = str(refused.value)
    assert told.startswith(
        f"the worker tcp://10.0.0.7:4000 has {unlike} {mine} instead of another: it might find other bits"
    )


def test_a_worker_with_the_same_does_what_it_is_sent(monkeypatch):
    monkeypatch.setattr(at_worker, "_address", lambda: "here")
    found = pickle.loads(at_worker.performed(pickle.dumps(Draw(SPEC)), None, surroundings()))
    assert found.seconds > 0
    assert SPEC in list(at_worker._places), "and keeps the problem"


def test_surroundings_travel():
    assert pickle.loads(pickle.dumps(surroundings())) == surroundings()
