"""What the bits of a run depend on beside its spec: who steps a part of it must have the same."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ..specs import SpecError
from ..version import ENGINE_VERSION, __version__

_CODE = ("catalogue", "compiled.py", "engine", "linear.py", "problem", "scheduling", "single_thread.py", "specs.py")


class Surroundings(NamedTuple):
    """Each field with what it is called in a sentence."""

    cvar_core: str
    engine: str
    code: str  # a hash of the files that compute
    python: str
    numpy: str
    numba: str
    torch: str
    processor: str

    def ensure(self, here: Surroundings, where: str) -> None:
        """Refuse to compute ``where`` things are otherwise ``here``."""
        unlike = [
            f"{name} {theirs} instead of {ours}"
            for name, ours, theirs in zip(self._fields, self, here, strict=True)
            if ours != theirs
        ]
        if unlike:
            raise SpecError(
                f"the worker {where} has {', '.join(unlike)}: it might find other bits; start it from the same image, "
                "on the same kind of processor"
            )


@functools.cache
def surroundings() -> Surroundings:
    """Return what this process computes with."""
    python = ".".join(platform.python_version_tuple()[:2])
    numpy, numba, torch = (version(name) for name in ("numpy", "numba", "torch"))
    return Surroundings(__version__, str(ENGINE_VERSION), _code(), python, numpy, numba, torch, _processor())


def _code() -> str:
    here, digest = Path(__file__).parent.parent, hashlib.sha256()
    for name in _CODE:
        place = here / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(file.relative_to(here).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _processor() -> str:
    """Return what kernels are compiled for, and which of its own torch takes."""
    import torch
    from llvmlite import binding
    from numba.core import config

    name = config.CPU_NAME or binding.get_host_cpu_name()
    return f"{name}{config.CPU_FEATURES or ''} ({torch.backends.cpu.get_cpu_capability()})"
