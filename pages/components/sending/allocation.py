"""How the C library hands out memory on Linux: by default it keeps much of what visitors' runs have given back."""

from __future__ import annotations

import ctypes
import sys

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # as <malloc.h> numbers them
_LARGE = 4 * 2**20  # bytes; a number for each of a million points is twice that
_ARENAS = 2


def give_back_soon() -> None:
    """Have large arrays leave the process when they are freed, and the threads share their heaps.

    Left to itself the library raises what it takes for large to 32 MB, and gives each thread a heap of its own: then
    thirty visitors, each of whose optima is solved for in its own thread, need a third more.
    """
    if sys.platform != "linux":
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:  # a C library other than glibc may not have it
        set_option(_MMAP_THRESHOLD, _LARGE)
        set_option(_ARENA_MAX, _ARENAS)
