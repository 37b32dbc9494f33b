"""The image's main process: the dashboard, a command of ``python -m cvar_core``, or dask's scheduler or worker.

All run in this very process, because it is the one that a container's stop signal reaches. As the first process of
its container it would ignore that signal, unless it has a handler from its first moment.
"""

from __future__ import annotations

import os
import platform
import runpy
import signal
import sys
from pathlib import Path

APP = Path(__file__).parent.parent.parent

_V3 = {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # what x86-64-v3 adds, as Linux names it


def main(arguments: list[str]) -> int:
    """Run what ``arguments`` name and return the exit code."""
    signal.signal(signal.SIGTERM, lambda number, _: os._exit(128 + number))  # while there is nothing to lose yet
    pin_kernels()
    bound_threads()
    match arguments:
        case ["dashboard", *options]:
            return dashboard(options)
        case ["dask", *options]:
            return dask(options)
    return command(arguments)


def dashboard(options: list[str]) -> int:
    """Serve until a signal comes; a run that is under way can be resumed by the next server on the same data."""
    os.chdir(APP)  # Streamlit looks for its settings here
    from streamlit.web.cli import main as streamlit

    return int(streamlit(["run", "app.py", *options], prog_name="streamlit"))  # which sets its own handler


def dask(options: list[str]) -> int:
    """Be a part of a cluster, with the same kernels as the dashboard."""
    from dask.cli import run_cli

    sys.argv = ["dask", *options]
    run_cli()
    return 0


def command(arguments: list[str]) -> int:
    from cvar_core.cli import main as run

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: no file is left half written
    return run(arguments)


def pin_kernels() -> None:
    """Make Numba find the kernels that were compiled into the image, whatever processor it runs on now."""
    os.environ.setdefault("NUMBA_CPU_NAME", processor(platform.machine(), _flags()))
    os.environ.setdefault("NUMBA_CPU_FEATURES", "")  # else Numba adds those of this very machine


def bound_threads() -> None:
    """Give torch, BLAS and Arrow no more threads than the container may have processors: they count the machine's."""
    # By its path: all else in cvar_core brings torch along, which reads this once.
    processors = runpy.run_path(str(APP / "cvar_core/processors.py"))["processors"]
    os.environ.setdefault("OMP_NUM_THREADS", str(processors()))


def processor(machine: str, flags: set[str]) -> str:
    """Return the family of processors to compile for: the fastest that is common, or what runs everywhere."""
    return "x86-64-v3" if machine == "x86_64" and flags >= _V3 else "generic"


def _flags() -> set[str]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((set(line.split()) for line in lines if line.startswith("flags")), set())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
