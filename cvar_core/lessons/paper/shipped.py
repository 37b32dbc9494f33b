"""The results of the nine panels as one file that ships with the package: its reader and its writer.

It is numpy's own ``.npz``, without pickled objects. It holds what was computed and not when or how fast, so that the
same machine writes the same bytes again.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...problem import Optimum, recorded_names
from ...results import Result
from ...specs import SpecError, SweepSpec
from ...version import ENGINE_VERSION, __version__

SHIPPED = Path(__file__).with_name("results.npz")

_FORMAT = 2
_LIBRARIES = ("numpy", "torch", "numba")


@dataclass(frozen=True)
class Study:
    """Results in the order of the panels, and the versions that they were computed with.

    Attributes
    ----------
    ids
        Of the runs, by the engine of that time: they are those of the specs as long as its numbers are the same.
    """

    results: tuple[Result, ...]
    ids: tuple[str, ...]
    versions: Mapping[str, str]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @property
    def certified(self) -> float:
        """How far above its minimum any F* may lie at most, as a share of it; ∞ if one has no certificate."""
        gaps = [(each.optimum.gap, abs(each.optimum.value)) for each in self.results]
        return max(math.inf if gap is None else gap / value for gap, value in gaps)

    def of(self, spec: SweepSpec) -> Result | None:
        return next((result for result in self.results if result.spec == spec), None)


@cache
def shipped() -> Study:
    """Return the results that ship with this package."""
    return read(SHIPPED)


def read(path: Path) -> Study:
    """Read a file that ``packed`` made; whatever else it is, say so in a sentence."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            about: dict[str, Any] = json.loads(file["about"].tobytes())
            if about["format"] != _FORMAT:
                raise SpecError(f"{path} has format {about['format']}, but this version reads format {_FORMAT}")
            results = tuple(_result(file, k, spec) for k, spec in enumerate(about["specs"]))
            return Study(results, tuple(about["ids"]), about["versions"])
    except SpecError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zlib.error) as why:
        raise SpecError(f"{path} is not a file of results, or it is damaged") from why


def packed(results: Sequence[Result]) -> bytes:
    """Return the content of a file with complete results."""
    about = {
        "format": _FORMAT,
        "versions": {
            "cvar_core": __version__,
            "engine": str(ENGINE_VERSION),
            **{name: version(name) for name in _LIBRARIES},
        },
        "specs": [result.spec.to_dict() for result in results],
        "ids": [result.spec.id for result in results],
    }
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)}
    for k, result in enumerate(results):
        best = result.optimum
        arrays[f"{k}-objectives"] = result.objectives.astype("<f8")
        for name, values in result.beside.items():
            arrays[f"{k}-{name}"] = values.astype("<f8")
        arrays[f"{k}-recorded"] = result.recorded.astype("<i4")
        gap, floor = (np.nan if each is None else each for each in (best.gap, best.floor))
        arrays[f"{k}-optimum"] = np.array([best.value, best.alpha, gap, floor, *best.theta.tolist()], dtype="<f8")
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def _result(file: Mapping[str, Any], k: int, given: dict[str, Any]) -> Result:
    spec = SweepSpec.from_dict(given)
    value, alpha, *perhaps = file[f"{k}-optimum"][:4].tolist()
    gap, floor = (None if math.isnan(each) else each for each in perhaps)
    theta = torch.from_numpy(file[f"{k}-optimum"][4:].astype(np.float64))
    shape = (len(spec.methods), len(spec.seeds), len(spec.checkpoint_iterations), len(spec.lambdas))
    names = ("objectives", *recorded_names(spec.problem))
    arrays = {name: file[f"{k}-{name}"].astype(np.float64) for name in names}
    if any(values.shape != shape for values in arrays.values()):
        raise ValueError(f"records that are not of shape {shape}")
    objectives = arrays.pop("objectives")
    return Result(
        spec, Optimum(value, theta, alpha, gap, floor=floor), objectives, file[f"{k}-recorded"].astype(np.int64), arrays
    )
