"""States, records and optima as bytes that restore bit for bit: a checksum, a header, little-endian numbers.

The checksum is there because a damaged page can keep its shape: wrong numbers must count as absent, not as results.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..engine import Records, Seconds, State
from ..problem import Optimum

_STATE = struct.Struct("<4q")  # iteration, recorded, runs, dim
_RECORDS = struct.Struct("<3q3d")  # checkpoints, runs, names of what is beside, seconds
_OPTIMUM = struct.Struct("<dd?ddd2q")  # value, alpha, attained, gap, floor and constant (NaN: none), dim, measures
_FLOAT, _WHOLE, _FLAG = np.dtype("<f8"), np.dtype("<i8"), np.dtype("u1")


class DamagedError(ValueError):
    """Bytes that are not what was packed."""


def pack_state(state: State) -> bytes:
    runs, dim = state.theta.shape
    header = _STATE.pack(state.iteration, state.recorded, runs, dim)
    numbers = (state.theta, state.alpha, state.theta_sum, state.alpha_sum)
    return _seal(header, *map(_floats, numbers), state.diverged.cpu().numpy().astype(_FLAG).tobytes())


def unpack_state(packed: bytes) -> State:
    content = _unseal(packed, _STATE.size)
    iteration, recorded, runs, dim = _STATE.unpack_from(content)
    take = _Reader(content, _STATE.size)
    theta, alpha = take.floats(runs, dim), take.floats(runs)
    theta_sum, alpha_sum = take.floats(runs, dim), take.floats(runs)
    diverged = take.flags(runs)
    take.end()
    return State(iteration, recorded, theta, alpha, theta_sum, alpha_sum, diverged)


def pack_records(records: Records) -> bytes:
    header = _RECORDS.pack(*records.beside.shape, *records.seconds)
    iterations = np.array(records.iterations, dtype=_WHOLE).tobytes()
    return _seal(header, iterations, _floats(records.objectives), _floats(records.beside))


def unpack_records(packed: bytes) -> Records:
    content = _unseal(packed, _RECORDS.size)
    checkpoints, runs, names, *seconds = _RECORDS.unpack_from(content)
    take = _Reader(content, _RECORDS.size)
    iterations = take.whole_numbers(checkpoints)
    objectives, beside = take.floats(checkpoints, runs), take.floats(checkpoints, runs, names)
    take.end()
    return Records(iterations, objectives, beside, Seconds(*seconds))


def pack_optimum(optimum: Optimum) -> bytes:
    perhaps = (math.nan if value is None else value for value in (optimum.gap, optimum.floor, optimum.constant))
    sizes = len(optimum.theta), len(optimum.measures)
    header = _OPTIMUM.pack(optimum.value, optimum.alpha, optimum.attained, *perhaps, *sizes)
    return _seal(header, _floats(optimum.theta), np.array(optimum.measures, dtype=_FLOAT).tobytes())


def unpack_optimum(packed: bytes) -> Optimum:
    content = _unseal(packed, _OPTIMUM.size)
    value, alpha, attained, *perhaps, dim, count = _OPTIMUM.unpack_from(content)
    gap, floor, constant = (None if math.isnan(each) else each for each in perhaps)
    take = _Reader(content, _OPTIMUM.size)
    theta, measures = take.floats(dim), take.floats(count)
    take.end()
    return Optimum(value, theta, alpha, gap, attained, tuple(measures.tolist()), floor, constant)


def _floats(tensor: Tensor) -> bytes:
    return tensor.detach().cpu().numpy().astype(_FLOAT, copy=False).tobytes()


def _seal(*parts: bytes) -> bytes:
    content = b"".join(parts)
    return zlib.crc32(content).to_bytes(4, "little") + content


def _unseal(packed: object, least: int) -> bytes:
    if not isinstance(packed, bytes) or len(packed) < 4 + least:
        raise DamagedError("too few bytes")
    content = packed[4:]
    if zlib.crc32(content) != int.from_bytes(packed[:4], "little"):
        raise DamagedError("the checksum is wrong")
    return content


class _Reader:
    """Takes tensors off the front of bytes; they own their memory, so that they can be written to."""

    def __init__(self, content: bytes, offset: int) -> None:
        self.content = content
        self.offset = offset

    def floats(self, *shape: int) -> Tensor:
        return torch.from_numpy(self._array(_FLOAT, shape).astype(np.float64))

    def whole_numbers(self, count: int) -> tuple[int, ...]:
        return tuple(self._array(_WHOLE, (count,)).tolist())

    def flags(self, count: int) -> Tensor:
        return torch.from_numpy(self._array(_FLAG, (count,)) != 0)

    def _array(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        count = math.prod(shape)
        if min(shape) < 0 or self.offset + count * dtype.itemsize > len(self.content):
            raise DamagedError("the shape does not fit")
        numbers = np.frombuffer(self.content, dtype, count, self.offset).reshape(shape)
        self.offset += count * dtype.itemsize
        return numbers

    @property
    def left(self) -> int:
        return len(self.content) - self.offset

    def end(self) -> None:
        if self.left:
            raise DamagedError("there are bytes left over")
