"""What a server allows: sizes of a run, and how many at a time. What a spec may be at all is the spec's business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..engine import cost, memory
from ..specs import SweepSpec, faults


@dataclass(frozen=True)
class Limits:
    """Bounds that keep one visitor from taking the server away from the others."""

    iterations: int = 1_000_000
    lambdas: int = 200
    seeds: int = 100
    runs: int = 10_000  # methods × step sizes × seeds
    dim: int = 200
    eval_size: int = 1_000_000
    numbers: int = 50_000_000  # dimension × evaluation points: drawn in one go, in a second or two
    checkpoints: int = 200
    seconds: float = 1_800  # of one processor, as estimated
    memory: int = 4 * 2**30  # bytes, of all runs that are computed at a time
    jobs_per_visitor: int = 3
    jobs: int = 200
    store: int = 256 * 2**20  # bytes on disk

    def faults(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Return every field of a sweep's description that cannot be run here, with what is allowed."""
        problem = given.get("problem", {})
        found = faults(given)
        for field in ("iterations", "seeds", "checkpoints", "dim", "eval_size", "sample_size"):
            value = given.get(field, problem.get(field))
            most = self.eval_size if field == "sample_size" else getattr(self, field)
            size = len(value) if isinstance(value, tuple) else value
            if isinstance(size, int | float) and size > most:
                found[field] = f"{field} is {size:,}, but this server allows at most {most:,}"
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
        if size > self.numbers or sum(memory(problem)) > self.memory:
            long = f"{size:,} numbers, but this server allows {self.numbers:,}"
            return {"dim": f"dim {problem.dim:,} on {problem.eval_size:,} points is {long}: make either smaller"}
        seconds = cost(spec).of_sweep(spec)
        if seconds > self.seconds:
            long = f"about {seconds / 60:,.0f} minutes of work, but this server allows {self.seconds / 60:,.0f}"
            return {"iterations": f"this is {long}: fewer iterations, seeds, λ or evaluation points"}
        return {}
