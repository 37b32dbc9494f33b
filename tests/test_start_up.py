"""Importing is quick: torch is the only heavy thing that comes along."""

import subprocess
import sys

HEAVY = ("pandas", "numba", "scipy", "plotly", "streamlit", "sympy.core", "torch._dynamo", "torch._inductor")


def test_import_brings_nothing_heavy_but_torch():
    script = "import sys, cvar_core; print(*[m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
