"""Memory that a run has given back is the system's again."""

import subprocess
import sys

import pytest

from tests.pages.serving import ROOT

_ROOM = """
import numpy as np
from pages.components.sending.allocation import give_back_soon

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

give_back_soon()
del (_ := [np.ones(30 * 2**17)])[:]  # once 30 MB are freed, the library takes less for small
before = resident()
arrays = [np.ones(2**20) for _ in range(40)]  # 8 MB each
last = [bytes(100_000) for _ in range(20)]  # lie above them, and stay
held = resident() - before
arrays.clear()
print((resident() - before) / held)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the library of another system has no such options")
def test_what_is_freed_leaves_the_process():
    left = float(subprocess.check_output([sys.executable, "-c", _ROOM], cwd=ROOT))
    assert left < 0.1  # and nearly all, as the library is by itself
