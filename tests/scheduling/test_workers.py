"""A server's workers."""

import os
import sys
import threading

import pytest

from cvar_core.scheduling import threads


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no niceness of their own")
def test_workers_give_way_to_the_other_threads_of_the_process():
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    with threads(2) as workers:
        assert all(workers.submit(niceness).result() == min(before + 5, 19) for _ in range(4))
    assert niceness() == before
