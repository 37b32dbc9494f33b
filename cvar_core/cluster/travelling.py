"""What a piece costs on its way, and how large it therefore is.

A piece takes ``LATENCY`` to be sent, given out and brought back, whatever it is, and its state travels there and back.
Its work should take ``_WORTH`` times as long, or else the way would cost more than a twentieth of it. And as one thread
gives out all pieces, each in ``GIVEN_OUT``, the work of one has to last until all other threads have got theirs. Both
were measured with ``python -m tools.scaling``.
"""

from __future__ import annotations

import math

from ..engine import cost
from ..scheduling import Cut
from ..scheduling.piece import SECONDS
from ..specs import SweepSpec

LATENCY = 0.013  # seconds
GIVEN_OUT = 0.006  # seconds
_RATE = 100e6  # bytes a second
_WORTH = 20
_WASTE = 0.25  # of the work
_LONGEST = 5.0  # seconds of a piece: so much is lost with a worker
AHEAD = 2  # pieces for each thread, so that none waits for the next


def cut(spec: SweepSpec, threads: int) -> Cut:
    """Return how a sweep is cut that nobody watches: into as many shards as keep all threads busy."""
    blocks = blocks_of(spec, threads)
    state = 8 * 2 * (spec.problem.dim + 1) * math.ceil(len(spec.lambdas) / blocks)  # bytes: θ, α and their sums
    way = LATENCY + 2 * state / _RATE
    seconds = min(max(SECONDS, _WORTH * way, 1.2 * GIVEN_OUT * threads), _LONGEST)
    return Cut(first=seconds, later=seconds, blocks=blocks)


def blocks_of(spec: SweepSpec, threads: int) -> int:
    """Return into how many blocks the step sizes of each method and seed go.

    Few step sizes take as many instructions as some more, and samples are drawn for each block: that is wasted, and may
    be ``_WASTE`` at the most.
    """
    count, whole = len(spec.lambdas), cost(spec).of_shard(spec)
    wanted = min(count, math.ceil(threads / (len(spec.methods) * len(spec.seeds))))
    fair = (
        blocks
        for blocks in range(wanted, 1, -1)
        if blocks * cost(spec, math.ceil(count / blocks)).of_shard(spec) <= (1 + _WASTE) * whole
    )
    return next(fair, 1)
