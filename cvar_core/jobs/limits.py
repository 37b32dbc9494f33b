"""What a server allows: sizes of a run, and how many at a time. What a spec may be at all is the spec's business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..engine import cost, memory
from ..specs import SweepSpec, faults


def _limit(most: int, about: str) -> int:
    return field(default=most, metadata={"about": about})


@dataclass(frozen=True)
class Limits:
    """Bounds that keep one visitor from taking the server away from the others."""

    iterations: int = _limit(1_000_000, "iterations T of a run")
    lambdas: int = _limit(200, "step sizes in a grid")
    seeds: int = _limit(100, "seeds of a sweep")
    runs: int = _limit(10_000, "runs of a sweep: methods × step sizes × seeds")
    dim: int = _limit(200, "dimension d")
    eval_size: int = _limit(1_000_000, "evaluation points N")
    numbers: int = _limit(50_000_000, "d × N, which are drawn in one go, in a second or two")
    checkpoints: int = _limit(200, "checkpoints of a run")
    seconds: int = _limit(1_800, "seconds of one processor that a sweep may need, by the estimate before it starts")
    memory: int = _limit(4 * 2**30, "bytes of all sweeps that are computed at a time; the others wait in line")
    jobs_per_visitor: int = _limit(3, "open sweeps of one visitor")
    jobs: int = _limit(200, "open sweeps of all visitors")
    store: int = _limit(256 * 2**20, "bytes of stored runs; the least recently used are dropped first")

    def faults(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Return every field of a sweep's description that cannot be run here, with what is allowed."""
        problem = given.get("problem", {})
        found = faults(given)
        for name in ("iterations", "seeds", "checkpoints", "dim", "eval_size", "sample_size"):
            value = given.get(name, problem.get(name))
            most = self.eval_size if name == "sample_size" else getattr(self, name)
            size = len(value) if isinstance(value, tuple) else value
            if isinstance(size, int | float) and size > most:
                found[name] = f"{name} is {size:,}, but this server allows at most {most:,}"
        count = len(given.get("lambdas", ()))
        if count > self.lambdas:
            found["lambdas"] = f"there are {count:,} step sizes, but this server allows at most {self.lambdas:,}"
        return found or self._too_much(SweepSpec.from_dict(given))

    def _too_much(self, spec: SweepSpec) -> dict[str, str]:
        """Return what is too much together, though each field by itself is allowed."""
        problem = spec.problem
        runs = len(spec.methods) * len(spec.lambdas) * len(spec.seeds)
        if runs > self.runs:
            return {"seeds": f"these are {runs:,} runs, but this server allows at most {self.runs:,}: fewer seeds or λ"}
        size = problem.dim * problem.eval_size
        asked = f"dim {problem.dim:,} on {problem.eval_size:,} points"
        if size > self.numbers:
            return {"dim": f"{asked} is {size:,} numbers, but this server allows {self.numbers:,}: make either smaller"}
        needed, room = sum(memory(problem)) / 2**20, self.memory / 2**20
        if needed > room:
            return {
                "dim": f"{asked} needs {needed:,.0f} MB, but this server allows {room:,.0f} MB: make either smaller"
            }
        seconds = cost(spec).of_sweep(spec)
        if seconds > self.seconds:
            long = f"about {seconds / 60:,.0f} minutes of work, but this server allows {self.seconds / 60:,.0f}"
            return {"iterations": f"this is {long}: fewer iterations, seeds, λ or evaluation points"}
        return {}
