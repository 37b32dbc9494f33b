"""Output files: tried before the work begins, and written whole or not at all; ``-`` is standard output."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..specs import SpecError
from ..writing import write_whole

_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def words_aside(paths: Iterable[str | None]) -> contextlib.AbstractContextManager[object]:
    """Say what is said to standard error while one of the files goes to standard output."""
    return contextlib.redirect_stdout(sys.stderr) if any(map(_is_stdout, paths)) else contextlib.nullcontext()


def ensure_writable(paths: Iterable[str]) -> None:
    """Raise unless every path can be written; leave nothing behind."""
    names = list(paths)
    if len({"-" if _is_stdout(name) else str(Path(name).absolute()) for name in names}) < len(names):
        raise SpecError("two outputs have the same name; give each its own file")
    for path in (Path(name) for name in names if not _is_stdout(name)):
        try:
            if path.is_dir():
                raise SpecError(f"cannot write {path}: it is a folder")
            if path.exists() and not os.access(path, os.W_OK):
                raise SpecError(f"cannot write {path}: no permission")
            if _replaceable(path):
                with tempfile.NamedTemporaryFile(dir=path.resolve().parent, prefix=".cvar-"):
                    pass
        except OSError as problem:
            raise SpecError(f"cannot write {path}: {problem.strerror or problem}") from None


def write_all(contents: Mapping[str, str | bytes]) -> None:
    """Write each content to its file, those whole that can be.

    A link is followed, and a pipe or device is written to: only a regular file can be replaced. That the reader of
    standard output has gone is for the caller to see.
    """
    whole: dict[Path, bytes] = {}
    name = ""
    try:
        for name, content in contents.items():
            raw = content.encode() if isinstance(content, str) else content
            if _is_stdout(name):
                with open(1, "wb", closefd=False) as stdout:
                    stdout.write(raw)
            elif _replaceable(Path(name)):
                whole[Path(name)] = raw
            else:
                Path(name).write_bytes(raw)  # not resolved: what a pipe's link names cannot be opened
        name = ""
        write_whole(whole)
    except OSError as problem:
        if isinstance(problem, BrokenPipeError) and _is_stdout(name):
            raise
        where = "to standard output" if _is_stdout(name) else name or problem.filename
        raise SpecError(f"cannot write {where}: {problem.strerror or problem}") from None


def _is_stdout(name: str | None) -> bool:
    return name in _STDOUT


def _replaceable(path: Path) -> bool:
    return path.is_file() or not path.exists()
