"""A server's workers."""

import os
import sys
import threading

import numpy as np
import pytest

from cvar_core import SpecError
from cvar_core.api import thread_count
from cvar_core.processors import processors
from cvar_core.scheduling import threads


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no niceness of their own")
def test_workers_give_way_to_the_other_threads_of_the_process():
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    with threads(2) as workers:
        assert all(workers.submit(niceness).result() == min(before + 5, 19) for _ in range(4))
    assert niceness() == before


@pytest.mark.parametrize("workers", [True, False, 0, -1, 257, 1.5, "2"])
def test_what_is_no_number_of_workers_gets_a_sentence(workers):
    with pytest.raises(SpecError, match=f"^workers is {workers!r}, but it must be a whole number from 1 to 256$"):
        thread_count(workers)


def test_workers_are_as_many_as_are_asked_for_or_as_there_are_processors():
    assert [thread_count(workers) for workers in (1, np.int64(256), None)] == [1, 256, processors()]
