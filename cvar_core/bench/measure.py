"""Clocks, threads and memory."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from ..api import sweep, thread_count
from ..problem import Problem
from ..version import __version__


def seconds(work: Callable[[], object]) -> float:
    """Return the time of one call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def side_by_side(works: Mapping[str, Callable[[], object]], rounds: int, warm: bool = False) -> dict[str, float]:
    """Return the median times of all works, which take turns: what else the machine does hits them alike.

    With ``warm``, each does its work once untimed at the beginning of its turn, so that none pays for what the one
    before it left in the caches.
    """

    def turn(work: Callable[[], object]) -> float:
        if warm:
            work()
        return seconds(work)

    times = [{name: turn(work) for name, work in works.items()} for _ in range(rounds)]
    return {name: statistics.median(one[name] for one in times) for name in works}


@contextlib.contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use ``count`` threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def machine() -> dict[str, Any]:
    """Return what the numbers depend on."""
    import numba

    return {
        "cpu": _cpu(),
        "cores": thread_count(None),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numba": numba.__version__,
        "cvar_core": __version__,
    }


def _cpu() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def multiply_adds_per_second(size: int = 1_024) -> float:
    """Return the machine's rate in float64: that of a matrix product, on the threads that torch has now."""
    a, b = torch.rand(2, size, size, dtype=torch.float64)
    torch.mm(a, b)
    return size**3 / side_by_side({"product": lambda: torch.mm(a, b)}, 5)["product"]


def peak_megabytes() -> float:
    """Return the most memory that this process has held so far."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                # Not ru_maxrss, which on Linux a new process inherits from the one that started it.
                return int(line.split()[1]) / 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def sweep_in_new_process(**settings: Any) -> dict[str, Any]:
    """Run one sweep in a process of its own; return its timings, optimum and peak memory.

    ``settings`` are those of ``one_sweep``.
    """
    code = "import json, sys; from cvar_core.bench.measure import one_sweep; one_sweep(**json.loads(sys.argv[1]))"
    home = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    ended = subprocess.run(
        [sys.executable, "-c", code, json.dumps(settings)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def one_sweep(loss: str, noise: str, eval_size: int, lambdas: list[float], iterations: int, seeds: int) -> None:
    """Run a sweep on all cores and print what it took, as JSON."""
    problem = Problem.synthetic(loss=loss, noise=noise, eval_size=eval_size)
    result = sweep(problem, lambdas=lambdas, iterations=iterations, seeds=seeds)
    answer = {"timings": dict(result.timings), "f_star": result.optimum.value, "peak_mb": peak_megabytes()}
    print(json.dumps(answer))
