"""What a server allows: sizes of a run, and how many at a time. What a spec may be at all is the spec's business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..data import Limits as FileLimits
from ..engine import cost, memory
from ..specs import SweepSpec, faults

FRAME = 2**14  # bytes that a browser sends around a file, at the most: its name, its kind, and where it ends


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
    upload: int = _limit(64 * 2**20, "bytes of a file that a visitor uploads")
    uploads: int = _limit(6, "files of one visitor")
    upload_store: int = _limit(2**30, "bytes of all visitors' files together")
    upload_hours: int = _limit(24, "hours after which a visitor's file is removed")
    upload_memory: int = _limit(768 * 2**20, "bytes of files that are being sent, and held in memory meanwhile")
    data: int = _limit(2**30, "bytes of data sets that are kept ready in memory; the least recently used are let go")
    # Who sends no cookie is a new visitor each time. Thirty behind one address may have 90 sweeps open: half of all.
    address_share: int = _limit(50, "per cent of open sweeps, files and connections that one address may have")

    @property
    def jobs_per_address(self) -> int:
        """How many sweeps one address may have open: never fewer than one visitor."""
        return max(self.of_an_address(self.jobs), self.jobs_per_visitor)

    @property
    def upload_store_per_address(self) -> int:
        return max(self.of_an_address(self.upload_store), self.upload)

    @property
    def upload_memory_per_address(self) -> int:
        """How many bytes may come from one address at a time: never fewer than all the files of one visitor."""
        return max(self.of_an_address(self.upload_memory), self.uploads * (self.upload + FRAME))

    def of_an_address(self, whole: int) -> int:
        """Return the share of something that one address may have."""
        return whole * min(self.address_share, 100) // 100

    @property
    def file(self) -> FileLimits:
        """What may be in a visitor's file."""
        return FileLimits(file=self.upload, content=8 * self.upload, cells=self.numbers)

    def faults(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Return every field of a sweep's description that cannot be run here, with what is allowed."""
        problem = given.get("problem", {})
        # Data are as large as they are, and how long passes over them take is seen to below.
        sizes = () if problem.get("data") is not None else ("iterations", "dim", "eval_size", "sample_size")
        largest = {
            name: self.eval_size if name == "sample_size" else getattr(self, name)
            for name in (*sizes, "seeds", "checkpoints")
        }
        found = faults(given, largest)
        for name, most in largest.items():
            value = given.get(name, problem.get(name))
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
        size = problem.dim * problem.eval_size if problem.nonzeros is None else problem.nonzeros
        if problem.data is None:
            field, asked, less = "dim", f"dim {problem.dim:,} on {problem.eval_size:,} points", "make either smaller"
        else:
            asked, less = f"the data: {problem.eval_size:,} rows × {problem.dim:,} columns", "use a part of the rows"
            field = "data"
        if size > self.numbers:
            return {field: f"{asked} is {size:,} numbers, but this server allows {self.numbers:,}: {less}"}
        needed, room = sum(memory(problem)) / 2**20, self.memory / 2**20
        if needed > room:
            return {field: f"{asked} needs {needed:,.0f} MB, but this server allows {room:,.0f} MB: {less}"}
        states, kept = 16 * runs * problem.dim / 2**20, self.store / 2**20
        if states > kept:
            return {
                "seeds": f"{runs:,} iterates of {problem.dim:,} numbers need {states:,.0f} MB to be kept, but this"
                f" server allows {kept:,.0f} MB: fewer seeds or λ"
            }
        seconds = cost(spec).of_sweep(spec)
        if seconds > self.seconds:
            long = f"about {seconds / 60:,.0f} minutes of work, but this server allows {self.seconds / 60:,.0f}"
            return {"iterations": f"this is {long}: fewer iterations, seeds, λ or evaluation points"}
        return {}
