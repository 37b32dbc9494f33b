"""What a worker of the cluster does: it performs a piece, on a problem that it keeps."""

from __future__ import annotations

import pickle
from typing import Any

from ..engine import memory
from ..keeping import Kept
from ..problem import Problem
from ..scheduling import Piece, Workplace, Workshop, perform
from .surroundings import Surroundings, surroundings

_MEMORY = 4 * 2**30  # bytes of problems that are kept; the one in hand always is

_workshop = Workshop()  # it knows a workplace as long as somebody keeps it
_places: Kept[object, Workplace] = Kept(_MEMORY, size=lambda place: sum(memory(place.problem.spec)))


class Rows:
    """A problem on data on its way to a worker: what arrives is the problem itself.

    It is pickled in one part, so that its arrays can be written to, as those of any other problem: kernels are compiled
    anew for arrays that cannot.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def __reduce__(self) -> Any:
        return pickle.loads, (pickle.dumps(self._problem),)


def performed(letter: bytes, rows: Problem | None, asked: Surroundings) -> bytes:
    """Do what a pickled piece says, if this worker finds the bits that its sender would; return the pickled finding.

    A problem on data comes as ``rows``; any other is made from its spec, once.
    """
    asked.ensure(surroundings(), _address())
    piece: Piece = pickle.loads(letter)
    spec = piece.problem
    place = _places.get(spec, lambda: _workshop.at(spec) if rows is None else _workshop.bring(rows))
    found = perform(piece, _workshop)
    assert place is not None  # it was kept until here
    return pickle.dumps(found)


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)
