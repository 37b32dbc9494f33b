"""How far a run is, put together from what is stored of its shards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..engine import Records, Shard, State, shards
from ..problem import recorded_names
from ..specs import SweepSpec
from .packing import DamagedError, unpack_records, unpack_state


class Progressed(NamedTuple):
    """How far the shards of a run are; those that have nothing stored are left out."""

    states: dict[Shard, State]
    records: dict[Shard, list[Records]]


def join(
    spec: SweepSpec, states: Iterable[tuple[int, str, int, bytes]], packs: Iterable[tuple[int, bytes]]
) -> Progressed:
    """Match the rows of states (shard's row, method, seed, state) with those of records (shard's row, records).

    A shard whose parts are damaged or do not fit together is left out: it is computed again.
    """
    parts: dict[int, list[bytes]] = {}
    for row, pack in packs:
        parts.setdefault(row, []).append(pack)
    known = set(shards(spec))
    progressed = Progressed({}, {})
    for row, method, seed, packed in states:
        shard = Shard(method, seed)
        try:
            state, records = unpack_state(packed), [unpack_records(pack) for pack in parts.get(row, ())]
        except DamagedError:
            continue
        if shard in known and _fit(spec, state, records):
            progressed.states[shard] = state
            progressed.records[shard] = records
    return progressed


def _fit(spec: SweepSpec, state: State, records: list[Records]) -> bool:
    """Whether a state and records are of this spec and of one moment."""
    checkpoints, runs, names = spec.checkpoint_iterations, len(spec.lambdas), len(recorded_names(spec.problem))
    recorded = tuple(n for part in records for n in part.iterations)
    if len(recorded) != state.recorded or recorded != checkpoints[: len(recorded)]:
        return False
    ended = state.recorded == len(checkpoints) and not len(state.theta)  # its iterates are not kept
    before, after = (0, *checkpoints)[state.recorded], (*checkpoints, spec.iterations)[state.recorded]
    return (
        before <= state.iteration <= after
        and state.theta.shape == (0 if ended else runs, spec.problem.dim)
        and all(part.objectives.shape == (len(part.iterations), runs) for part in records)
        and all(part.beside.shape == (len(part.iterations), runs, names) for part in records)
    )
