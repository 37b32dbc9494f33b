"""Perform a piece of work: the one thing that a worker does."""

from __future__ import annotations

import time
from typing import NamedTuple, TypeAlias

import torch

from ..cancel import Stop, check
from ..engine import Records, State, advance, next_stop, start
from ..problem import Optimum
from .piece import Draw, Piece, Solve, Step
from .workshop import Workshop


class Drawn(NamedTuple):
    seconds: float


class Solved(NamedTuple):
    optimum: Optimum | None  # not yet there
    seconds: float


class Stepped(NamedTuple):
    state: State
    records: Records


Found: TypeAlias = Drawn | Solved | Stepped


def perform(piece: Piece, workshop: Workshop, stop: Stop | None = None) -> Found:
    """Do what a piece says; ``stop`` ends it within a fraction of a second, with ``Cancelled``."""
    check(stop)  # it may have waited for its worker
    torch.set_num_threads(1)  # the workers are the parallelism
    place, begun = workshop.at(piece.problem), time.perf_counter()
    match piece:
        case Draw():
            _ = place.problem.ground.points
            return Drawn(time.perf_counter() - begun)
        case Solve():
            optimum = place.solve(piece.seconds)
            return Solved(optimum, time.perf_counter() - begun)
        case Step(spec, shard, state, seconds):
            problem = place.problem
            at = start(problem, spec, shard) if state is None else state
            state, records = advance(problem, spec, shard, at, next_stop(spec, at, seconds, shard.method), stop)
            # On wide data the iterates of all shards would fill the memory, and the store.
            ended = state.recorded == len(spec.checkpoint_iterations)
            return Stepped(state.ended() if ended else state, records)
