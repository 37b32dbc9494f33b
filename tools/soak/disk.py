"""The disk of the server's data, which can be filled and made read-only: one of its own, where that is allowed."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import subprocess
from pathlib import Path

_BYTES = 5 * 2**28  # of memory, at the most; the store may have four fifths of it
_BLOCK = bytes(2**16)


class Disk:
    """A file system in memory; whoever may not mount one bounds files and takes permissions away instead."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={_BYTES}", "tmpfs", str(folder)], capture_output=True
        )
        self.mounted = mounted.returncode == 0
        self._filler = folder / "filler"

    def __str__(self) -> str:
        return "a file system of its own" if self.mounted else "a folder, with bounds on files and permissions"

    def fill(self, pid: int) -> None:
        """Leave no room for what a process writes."""
        if not self.mounted:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return
        room = os.statvfs(self.folder)
        with contextlib.suppress(OSError), self._filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize - 2**20))
        with self._filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(_BLOCK)
            except OSError as full:
                if full.errno != errno.ENOSPC:
                    raise

    def make_room(self, pid: int) -> None:
        if self.mounted:
            self._filler.unlink(missing_ok=True)
        else:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def forbid_writing(self) -> None:
        """Make it read-only; nobody may have it open for writing."""
        self._set("ro", 0o555)

    def allow_writing(self) -> None:
        self._set("rw", 0o755)

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)

    def _set(self, how: str, mode: int) -> None:
        if self.mounted:
            subprocess.run(["mount", "-o", f"remount,{how}", str(self.folder)], check=True)
            return
        for each in (self.folder, *self.folder.rglob("*")):
            each.chmod(mode if each.is_dir() else mode & 0o666)
