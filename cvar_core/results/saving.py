"""A result as one file: numpy's ``.npz`` without pickled objects, with a header in JSON. It restores bit for bit."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..problem import Optimum, Problem, recorded_names
from ..specs import SpecError, SweepSpec
from ..version import ENGINE_VERSION, __version__
from ..writing import write_whole

if TYPE_CHECKING:
    from .result import Result

FORMAT = 1
_HEADER = 2**22  # bytes; a spec of a thousand step sizes and as many seeds has a hundredth of that
_MOST = 2**31  # bytes of all arrays
_NPY = 2**10  # bytes of an array's own header
_DAMAGED = (  # whatever zipfile, json and numpy raise on bytes that are something else
    ValueError, KeyError, TypeError, AttributeError, EOFError, OverflowError, struct.error, NotImplementedError,
    RuntimeError, zipfile.BadZipFile, zlib.error, RecursionError,
)  # fmt: skip


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result whole or not at all."""
    best = {each.name: getattr(result.optimum, each.name) for each in fields(Optimum) if each.name != "theta"}
    about = {
        "format": FORMAT,
        "cvar_core": __version__,
        "engine": ENGINE_VERSION,
        "spec": result.spec.to_dict(),
        "optimum": best,
        "beside": list(result.beside),
        "timings": dict(result.timings),
    }
    arrays = {"objectives": result.objectives, "recorded": result.recorded, "theta": result.optimum.theta.numpy()}
    arrays |= {f"beside-{k}": values for k, values in enumerate(result.beside.values())}
    content = io.BytesIO()
    np.savez_compressed(content, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)  # type: ignore[arg-type]
    try:
        write_whole({Path(path): content.getvalue()})
    except OSError as problem:
        raise SpecError(f"{path} cannot be written: {problem.strerror}") from None


def load(path: str | os.PathLike[str]) -> Result:
    """Read what ``save`` wrote; whatever else it is, say so in a sentence."""
    try:
        with zipfile.ZipFile(path) as file:
            return _read(file, str(path))
    except SpecError:
        raise
    except OSError as problem:
        raise SpecError(f"{path} cannot be read: {problem.strerror or problem}") from None
    except _DAMAGED as problem:
        raise SpecError(f"{path} is not a file that Result.save has written, or it is damaged") from problem


def _read(file: zipfile.ZipFile, path: str) -> Result:
    from .result import Result

    about = json.loads(_array(file, "about", _HEADER).tobytes())
    if about["format"] != FORMAT:
        written = f"has format {about['format']!r}, written by cvar_core {about.get('cvar_core')!r}"
        raise SpecError(f"{path} {written}; this version reads format {FORMAT}")
    spec = SweepSpec.from_dict(about["spec"])
    names = tuple(about["beside"])
    if names != tuple(recorded_names(spec.problem)):
        raise ValueError("other records than those of the spec")
    shape = (len(spec.methods), len(spec.seeds), len(spec.checkpoint_iterations), len(spec.lambdas))
    numbers = int(np.prod(shape)) * (1 + len(names)) + spec.problem.dim
    if 8 * numbers > _MOST:
        raise SpecError(f"{path} holds {8 * numbers / 2**30:.1f} GB; at most {_MOST / 2**30:.0f} GB are read")
    best: Mapping[str, Any] = about["optimum"]
    theta = torch.from_numpy(_numbers(file, "theta", (spec.problem.dim,), "<f8"))
    return Result(
        spec,
        Optimum(theta=theta, **{**best, "measures": tuple(best["measures"])}),
        _numbers(file, "objectives", shape, "<f8"),
        _numbers(file, "recorded", shape[:2], "<i8"),
        {name: _numbers(file, f"beside-{k}", shape, "<f8") for k, name in enumerate(names)},
        {str(name): float(seconds) for name, seconds in about["timings"].items()},
        Problem(spec.problem) if spec.problem.data is None else None,
    )


def _numbers(file: zipfile.ZipFile, name: str, shape: tuple[int, ...], kind: str) -> Any:
    found = _array(file, name, int(np.prod(shape)) * 8 + _NPY)
    if found.shape != shape or found.dtype != np.dtype(kind):
        raise ValueError(f"{name} has another shape or type")
    return found


def _array(file: zipfile.ZipFile, name: str, most: int) -> Any:
    """Read an array, of which no more than ``most`` bytes are unpacked, whatever the file says of itself."""
    with file.open(f"{name}.npy") as packed:
        content = packed.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{name} is too long")
    return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
