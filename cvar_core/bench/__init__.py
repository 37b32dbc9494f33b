"""Benchmarks of the engine: against other ways to write it, against the machine, and against its own size.

Everything is measured in one run on one machine, so the ratios mean something even where the seconds do not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from . import by_method, evaluating, growth, own_losses, statistics, stepping, torch_models, whole
from .measure import machine
from .sizes import PAPER, QUICK

__all__ = ["run"]


def run(quick: bool = False, out: Callable[[str], None] = print, *, all_panels: bool = False) -> dict[str, Any]:
    """Measure, print a table per section to ``out``, and return all numbers as JSON types.

    Parameters
    ----------
    quick
        Tiny sizes, which show that everything runs; the times mean nothing.
    all_panels
        Time all nine panels of the paper's study as well, rather than one.
    """
    begun = time.perf_counter()
    sizes = QUICK if quick else PAPER
    facts = machine()
    out("\n".join(f"{name}: {value}" for name, value in facts.items()))
    if quick:
        out("\nQuick mode: tiny sizes, the times mean nothing.")
    results = {
        "machine": facts,
        "quick": quick,
        "stepping": stepping.measure(sizes, out),
        "by_method": by_method.measure(sizes, out),
        "torch_models": torch_models.measure(sizes, out),
        "own_losses": own_losses.measure(sizes, out),
        "evaluation": evaluating.measure(sizes, out),
        "optimum": whole.optimum(sizes, out),
        "panels": whole.panels(sizes, all_panels, out),
        "growth": growth.measure(sizes, out),
        "statistics": statistics.measure(sizes, out),
    }
    results["seconds"] = time.perf_counter() - begun
    out(f"\nThe benchmark took {results['seconds']:.0f} seconds.")
    return results
