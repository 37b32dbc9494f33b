"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

UNFINISHED = ".part"  # how the name of a file ends that a killed process leaves behind


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write each content to its file. All are complete on disk before the first takes its name.

    A file that is there keeps its permissions, and what a link leads to is replaced, not the link. An ``OSError`` has
    the name of the file that could not be written.
    """
    written: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, content in ((given.resolve(), content) for given, content in contents.items()):
            beside = path.with_name(f".cvar-{secrets.token_hex(8)}{UNFINISHED}")
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            written.append((beside, path))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            if path.exists():
                beside.chmod(path.stat().st_mode)
        for beside, path in written:
            beside.replace(path)
    except OSError as problem:
        problem.filename = str(path)
        raise
    finally:
        for beside, _ in written:
            beside.unlink(missing_ok=True)
