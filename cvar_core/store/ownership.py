"""Only one dashboard may use a store's file: a lock on a file beside it, which dies with the process."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

from .trouble import InUse

_NO_LOCKS_HERE = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}  # some network file systems


def claim(path: Path) -> int | None:
    """Take the lock of the store at ``path``, or raise ``InUse`` if another dashboard has it.

    Returns what ``release`` takes. The lock file stays for ever: deleting it would let two others each lock their own.
    """
    if sys.platform == "win32":
        return None  # without fcntl there is no guard
    import fcntl

    held = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise InUse from None
    except OSError as error:
        os.close(held)
        if error.errno in _NO_LOCKS_HERE:
            return None
        raise
    return held


def release(held: int | None) -> None:
    if held is not None:
        with contextlib.suppress(OSError):
            os.close(held)
