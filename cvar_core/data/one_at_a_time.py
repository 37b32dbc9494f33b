"""One large file is read at a time: what reading takes is bounded for the process, not only for each file."""

from __future__ import annotations

import functools
import io
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from . import arrow_file
from .bounds import DataError
from .content import COMPRESSED

_SMALL = 2**20  # bytes, of a file that cannot unpack to more: it need not wait for a large one
_MARK = 8  # bytes that tell a format
_large, _small = threading.RLock(), threading.RLock()

P = ParamSpec("P")
T = TypeVar("T")


def in_turn(read: Callable[P, T]) -> Callable[P, T]:
    """Let the calls of a function that reads files wait for each other; its sources are its first one and ``test``."""

    @functools.wraps(read)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        sources = [*args[:1], kwargs.get("test")]
        with _small if all(_is_small(each) for each in sources if each is not None) else _large:
            try:
                return read(*args, **kwargs)
            except DataError as wrong:
                # What was read before the fault hangs on these, and the next in line should not have to wait for that.
                wrong.__traceback__ = wrong.__context__ = None
                raise

    return waiting


def _is_small(source: Any) -> bool:
    """Tell whether a file is small and plain; what cannot be told is not."""
    try:
        if isinstance(source, io.BytesIO):
            view = source.getbuffer()
            return view.nbytes <= _SMALL and _is_text(bytes(view[:_MARK]))
        if not isinstance(source, str | os.PathLike):
            return False
        path = Path(source)
        if not path.is_file() or path.stat().st_size > _SMALL:
            return False
        with path.open("rb") as file:
            return _is_text(file.read(_MARK))
    except (OSError, ValueError):
        return False


def _is_text(begin: bytes) -> bool:
    return not begin.startswith((*COMPRESSED, b"PK", *arrow_file.MAGIC))
