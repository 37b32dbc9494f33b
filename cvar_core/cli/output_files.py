"""Output files: tried before the work begins, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..specs import SpecError


def ensure_writable(paths: Iterable[str]) -> None:
    """Raise unless every path can be written; leave nothing behind."""
    chosen = [Path(path) for path in paths]
    if len({path.absolute() for path in chosen}) < len(chosen):
        raise SpecError("two outputs have the same name; give each its own file")
    for path in chosen:
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


def write_all(texts: Mapping[str, str]) -> None:
    """Write each text to its file. All are complete on disk before the first takes its name.

    A link is followed, and a pipe or device is written to: only a regular file can be replaced.
    """
    written: list[tuple[Path, Path]] = []
    try:
        for name, text in texts.items():
            path = Path(name).resolve()
            if not _replaceable(path):
                path.write_text(text, encoding="utf-8")
                continue
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".cvar-")
            written.append((Path(temporary), path))
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            Path(temporary).chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        for ready, path in written:
            ready.replace(path)
    except OSError as problem:
        raise SpecError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        for temporary_path, _ in written:
            temporary_path.unlink(missing_ok=True)


def _replaceable(path: Path) -> bool:
    return path.is_file() or not path.exists()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
