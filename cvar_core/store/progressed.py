"""How far a run is, put together from what is stored of its shards."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from typing import NamedTuple

from ..engine import Records, Shard, State
from ..problem import recorded_names
from ..specs import SweepSpec
from .packing import DamagedError, unpack_records, unpack_state


class Progressed(NamedTuple):
    """How far the shards of a run are; those that have nothing stored are left out."""

    states: dict[Shard, State]
    records: dict[Shard, list[Records]]


def join(
    spec: SweepSpec, states: Iterable[tuple[int, str, int, str, bytes]], packs: Iterable[tuple[int, bytes]]
) -> Progressed:
    """Match the rows of states (row, method, seed, step sizes, state) with those of records (shard's row, records).

    A shard whose parts are damaged or do not fit together is left out: it is computed again.
    """
    parts: dict[int, list[bytes]] = {}
    for row, pack in packs:
        parts.setdefault(row, []).append(pack)
    progressed, taken = Progressed({}, {}), set[tuple[str, int, float]]()
    for row, method, seed, text, packed in states:
        lambdas = step_sizes(spec, text)
        mine = {(method, seed, lam) for lam in lambdas}
        found = read(spec, len(lambdas), packed, parts.get(row, ()))
        if found is not None and mine and not mine & taken and method in spec.methods and seed in spec.seeds:
            shard = Shard.of(spec, method, seed, lambdas)
            progressed.states[shard], progressed.records[shard] = found
            taken |= mine
    return progressed


def written(shard: Shard) -> str:
    """Return a shard's step sizes as they stand in the store."""
    return "" if shard.lambdas is None else json.dumps(shard.lambdas)


def step_sizes(spec: SweepSpec, text: str) -> tuple[float, ...]:
    """Return the step sizes of a shard of a sweep; none where the text is not of this sweep."""
    lambdas = _listed(text) if text else spec.lambdas
    return lambdas if {*lambdas} <= {*spec.lambdas} else ()


@functools.lru_cache(maxsize=2_000)
def _listed(text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, json.loads(text)))
    except (ValueError, TypeError):
        return ()


def read(spec: SweepSpec, runs: int, packed: bytes, packs: Iterable[bytes]) -> tuple[State, list[Records]] | None:
    """Return a shard's state and records; ``None`` where they are damaged or do not fit together."""
    try:
        state, records = unpack_state(packed), [unpack_records(pack) for pack in packs]
    except DamagedError:
        return None
    return (state, records) if _fit(spec, runs, state, records) else None


def _fit(spec: SweepSpec, runs: int, state: State, records: list[Records]) -> bool:
    """Whether a state and records are of this spec, of so many step sizes and of one moment."""
    checkpoints, names = spec.checkpoint_iterations, len(recorded_names(spec.problem))
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
