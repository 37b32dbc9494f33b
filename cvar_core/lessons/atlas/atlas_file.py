"""The atlas as one file that ships with the package, and parts of it that a computation leaves behind."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ...specs import SpecError
from ...version import ENGINE_VERSION, __version__
from ...writing import write_whole
from .charted import Atlas, Charted

SHIPPED = Path(__file__).with_name("atlas.npz")

_FORMAT = 1
_ARRAYS = ("gaps", "starts", "states", "ranges")


def versions() -> dict[str, str]:
    """Return what the numbers of this machine are computed with."""
    libraries = {name: version(name) for name in ("numpy", "torch", "numba")}
    return {"cvar_core": __version__, "engine": str(ENGINE_VERSION), **libraries}


@cache
def shipped() -> Atlas:
    return read(SHIPPED)


def read(path: Path) -> Atlas:
    """Read a file that ``write`` made; whatever else it is, say so in a sentence."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            about: dict[str, Any] = json.loads(file["about"].tobytes())
            if about["format"] != _FORMAT:
                raise SpecError(f"{path} has format {about['format']}, but this version reads format {_FORMAT}")
            problems = tuple(Charted.from_dict(each) for each in about["problems"])
            arrays: dict[str, Any] = {name: file[name] for name in _ARRAYS}
            return Atlas(problems, **arrays, versions=about["versions"])
    except SpecError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zlib.error) as why:
        raise SpecError(f"{path} is not an atlas, or it is damaged") from why


def packed(atlas: Atlas) -> bytes:
    """Return the content of a file; the same atlas has the same bytes."""
    problems = [each.to_dict() for each in atlas.problems]
    about = json.dumps({"format": _FORMAT, "versions": dict(atlas.versions), "problems": problems})
    arrays: dict[str, Any] = {name: getattr(atlas, name) for name in _ARRAYS}
    content = io.BytesIO()
    np.savez_compressed(content, about=np.frombuffer(about.encode(), dtype=np.uint8), **arrays)
    return content.getvalue()


def write(path: Path, atlas: Atlas) -> None:
    """Write the file whole or not at all."""
    write_whole({path: packed(atlas)})
