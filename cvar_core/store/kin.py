"""What the runs of one family have of a sweep's trajectories, and which of it the sweep takes.

A trajectory's records depend on its family, method, seed and step size alone (``SweepSpec.family``). What is taken is
copied, so that no run needs another: any of them can be dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from ..engine import Reached, Records, Seconds, Shard, State
from ..specs import SweepSpec


class Source(NamedTuple):
    """A shard of some run in the store."""

    row: int
    run: str
    own: bool  # of the sweep itself
    method: str
    seed: int
    lambdas: tuple[float, ...]
    written: str  # the step sizes as they stand in the store
    recorded: int


class Chosen(NamedTuple):
    """Step sizes that are taken from a source."""

    source: Source
    lambdas: tuple[float, ...]


def choose(spec: SweepSpec, sources: Iterable[Source]) -> list[Chosen]:
    """Choose for each step size, of one method and seed, the source that is furthest; of equals the sweep's own."""
    wanted, chosen = list(spec.lambdas), []
    for source in sorted(sources, key=lambda each: (-each.recorded, not each.own, each.row)):
        if not wanted:
            break
        have = {*source.lambdas}
        taken = tuple(lam for lam in wanted if lam in have)
        if taken:
            chosen.append(Chosen(source, taken))
            wanted = [lam for lam in wanted if lam not in have]
    return chosen


def reached(spec: SweepSpec, chosen: Sequence[Chosen]) -> dict[Shard, Reached]:
    """Return how far the shards are that ``joined`` makes of what is chosen, as far as that is known unread."""
    checkpoints = spec.checkpoint_iterations
    return {
        _shard(spec, each): Reached(checkpoints[each[0].source.recorded - 1], each[0].source.recorded)
        for each in _together(spec, chosen)
    }


def joined(
    spec: SweepSpec, chosen: Sequence[Chosen], read: dict[int, tuple[State, list[Records]]]
) -> list[tuple[Shard, State, Records]]:
    """Make shards of what was read of the chosen sources, by their rows."""
    return [_joined(spec, each, read) for each in _together(spec, chosen)]


def _together(spec: SweepSpec, chosen: Sequence[Chosen]) -> list[list[Chosen]]:
    """What is complete makes one shard; what is not goes on from where it is, each by itself."""
    complete = [each for each in chosen if each.source.recorded == len(spec.checkpoint_iterations)]
    return [*([complete] if complete else []), *([each] for each in chosen if each not in complete)]


def _shard(spec: SweepSpec, parts: list[Chosen]) -> Shard:
    source = parts[0].source
    return Shard.of(spec, source.method, source.seed, (lam for part in parts for lam in part.lambdas))


def _joined(
    spec: SweepSpec, parts: list[Chosen], read: dict[int, tuple[State, list[Records]]]
) -> tuple[Shard, State, Records]:
    """Lay the step sizes of parts side by side, in the order of the sweep."""
    shard, lambdas = _shard(spec, parts), [lam for part in parts for lam in part.lambdas]
    taken = [_taken(part, read[part.source.row][1]) for part in parts]
    records = Records(
        taken[0].iterations,
        torch.cat([each.objectives for each in taken], dim=1),
        torch.cat([each.beside for each in taken], dim=1),
        _sum(each.seconds for each in taken),
    )
    state, ended = read[parts[0].source.row][0], parts[0].source.recorded == len(spec.checkpoint_iterations)
    state = state.ended() if ended else state.some(_places(parts[0]))  # which is then the only one
    return shard, state, records.some([lambdas.index(lam) for lam in shard.step_sizes(spec)])


def _taken(part: Chosen, records: list[Records]) -> Records:
    """Return the records of a part in one; what others spent on them is not the sweep's."""
    return Records(
        tuple(n for each in records for n in each.iterations),
        torch.cat([each.objectives for each in records]),
        torch.cat([each.beside for each in records]),
        _sum(each.seconds for each in records) if part.source.own else Seconds(),
    ).some(_places(part))


def _places(part: Chosen) -> list[int]:
    return [part.source.lambdas.index(lam) for lam in part.lambdas]


def _sum(seconds: Iterable[Seconds]) -> Seconds:
    return Seconds(*map(sum, zip(*seconds, strict=True)))
