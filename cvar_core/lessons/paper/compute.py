"""Computing panels, as anyone can: the one way in which the shipped results were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...api import sweep
from ...cluster import Cluster
from ...problem import Problem
from ...results import Result
from ...scheduling import Progress
from ...specs import SweepSpec
from .nine_panels import name


def compute(
    specs: Sequence[SweepSpec],
    workers: int | None = None,
    report: Callable[[Progress], None] | None = None,
    scheduler: Cluster | None = None,
) -> Iterator[Result]:
    """Yield the result of each panel as soon as it is there; ``report`` is told the share of them all."""
    for k, spec in enumerate(specs):
        tell = None if report is None else _overall(report, name(spec), k, len(specs))
        yield sweep(
            Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule, workers,
            checkpoints=spec.checkpoints, report=tell, scheduler=scheduler,
        )  # fmt: skip


def _overall(report: Callable[[Progress], None], stage: str, done: int, count: int) -> Callable[[Progress], None]:
    return lambda progress: report(progress.within(stage, (done + progress.share) / count))
