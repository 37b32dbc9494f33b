"""python -m tools.scaling [--workers 1,2,4,8]: measure pieces on this machine, and reckon 10, 100 and 1,000 workers."""

from __future__ import annotations

import argparse
import os

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.cluster import cut
from cvar_core.engine import cost
from cvar_core.processors import processors

from . import measured
from .model import Study, Way, enough, reckoned, simulated

_SMALL = SweepSpec(ProblemSpec(loss="absolute", noise="normal"), iterations=100_000, seeds=5)
_COVTYPE = ProblemSpec(loss="logistic", data="0" * 64, dim=55, sample_size=522_000)


def studies(workers: int) -> list[tuple[Study, float]]:
    """Return what people would want, cut for so many workers, with the seconds of a piece."""
    panel = SweepSpec(ProblemSpec(eval_size=1_000_000), iterations=100_000, seeds=5)
    many = SweepSpec(ProblemSpec(eval_size=1_000_000), iterations=100_000, seeds=80)
    covtype = SweepSpec(_COVTYPE, iterations=200 * 522_000, seeds=5)
    named = [("a panel", panel, 1), ("nine with 80 seeds", many, 9), ("covtype, 200 passes", covtype, 1)]
    return [(_study(name, spec, workers, times), cut(spec, workers).later) for name, spec, times in named]


def _study(name: str, spec: SweepSpec, workers: int, times: int) -> Study:
    """Take a study of as many sweeps, one after the other, as one: they wait for each other's ends, which are short."""
    blocks, whole = cut(spec, workers).blocks, cost(spec)
    part = cost(spec, -(-len(spec.lambdas) // blocks)).of_shard(spec)
    chains = len(spec.methods) * len(spec.seeds) * blocks
    return Study(name, chains, times * part, times * whole.solve, times * whole.draw)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", default="1,2,4,8")
    counts = [int(text) for text in parser.parse_args().workers.split(",")]
    print(f"{processors()} processors, load {os.getloadavg()[0]:.1f}")
    sent, back = measured.bytes_of_a_piece(_SMALL)
    print(f"a piece in dimension 10: {sent:,} bytes there, {back:,} back")
    print("workers   seconds   pieces   scheduler's CPU   way alone   given out")
    ways = []
    for count in counts:
        with measured.workers_of_dask(count) as (cluster, scheduler):
            ways.append(measured.way(cluster))
            found = measured.swept(cluster, _SMALL, scheduler)
        share = f"{1000 * found.scheduler_cpu / max(1, found.pieces):.1f} ms a piece"
        told = f"{1000 * ways[-1].whole:8.1f} ms {1000 * ways[-1].given_out:8.1f} ms"
        print(f"{count:7} {found.seconds:9.2f} {found.pieces:8} {share:>17} {told}")
    reckon(ways[min(1, len(ways) - 1)])


def reckon(way: Way) -> None:
    print(f"\nwith a way of {1000 * way.whole:.1f} ms, of which {1000 * way.given_out:.1f} are one thread's:")
    print(f"{'study':22} {'workers':>8} {'chains':>7} {'piece':>7} {'formula':>10} {'simulated':>10} {'enough':>7}")
    for workers in (1, 10, 100, 1000):
        for study, seconds in studies(workers):
            formula, played = (find(study, workers, seconds, way) for find in (reckoned, simulated))
            least = enough(study, seconds, way)
            print(
                f"{study.name:22} {workers:8,} {study.chains:7,} {seconds:5.2f} s {formula:8.1f} s {played:8.1f} s"
                f" {least:7,}"
            )


if __name__ == "__main__":
    main()
