"""When a study ends on so many workers: a formula, and a simulation of the scheduler's queue that it is held to.

A study is P chains of pieces (a method, a seed and a block of step sizes each), of which one follows the other. A piece
works for s seconds. Its way takes w: most of that is waiting, but d of it one thread has to do for each piece, client
and scheduler together. A worker has a further piece at hand, so that the way costs it nothing while there are chains
enough. So with W workers the study takes

    T(W) = start + max(n·s / min(W, P),  n·d,  (n/P)·(s + w))

for n pieces in all: the work shared out, the giving out of pieces, and the longest chain. F* is solved beside them, by
one worker, so T is not below its time. More workers pay until W = min(P, s/d), which is why pieces are long.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple


class Way(NamedTuple):
    """What a piece costs beside its work, in seconds."""

    whole: float  # w, from sending it until its finding is there
    given_out: float  # d, of one thread


class Study(NamedTuple):
    """What there is to do."""

    name: str
    chains: int  # P
    chain_seconds: float  # of work in one
    solve: float  # seconds of F*
    start: float  # seconds until a worker has drawn the points

    def pieces(self, seconds: float) -> int:
        """Return how many pieces of so many seconds a chain has."""
        return max(1, round(self.chain_seconds / seconds))


def reckoned(study: Study, workers: int, seconds: float, way: Way) -> float:
    """Return T(W) by the formula."""
    each = study.pieces(seconds)
    s, n = study.chain_seconds / each, study.chains * each
    shared = n * s / min(workers, study.chains)
    return study.start + max(shared, n * way.given_out, each * (s + way.whole), study.solve)


def simulated(study: Study, workers: int, seconds: float, way: Way, ahead: int = 2) -> float:
    """Return T(W) by playing it through: who is free, what waits, and when each piece is given out and brought back."""
    each = study.pieces(seconds)
    s = study.chain_seconds / each
    rest = [each] * study.chains  # pieces left of each chain
    ready = list(range(study.chains))[::-1]  # chains with a piece to send
    free_at = [study.start] * workers  # of each worker
    heapq.heapify(free_at)
    giver, now, flying, over = study.start, study.start, 0, study.start + study.solve
    back: list[tuple[float, int]] = []
    while ready or back:
        while ready and flying < ahead * workers:
            giver = max(giver, now) + way.given_out
            arrives = giver + (way.whole - way.given_out) / 2
            begins = max(arrives, heapq.heappop(free_at))
            heapq.heappush(free_at, begins + s)
            heapq.heappush(back, (begins + s + (way.whole - way.given_out) / 2, ready.pop()))
            flying += 1
        now, chain = heapq.heappop(back)
        flying -= 1
        rest[chain] -= 1
        over = max(over, now)
        if rest[chain]:
            ready.insert(0, chain)
    return over


def enough(study: Study, seconds: float, way: Way) -> int:
    """Return from how many workers on a further one saves nothing: there is no chain for it, or no time to serve it."""
    return max(1, min(study.chains, int(seconds / way.given_out)))
