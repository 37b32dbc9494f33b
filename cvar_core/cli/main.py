"""The commands."""

from __future__ import annotations

import argparse
import io
import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from .. import reading
from ..api import check, compile_kernels, sweep, thread_count
from ..catalogue import Registry, UnknownName, losses, methods, noises, schedules
from ..cluster import connected
from ..data import TargetUnit
from ..problem import Problem
from ..progress_bar import shown
from ..recommending import recommend
from ..results import (
    JUDGED_BY,
    MEASURES,
    Criterion,
    Judged,
    Result,
    UsableRange,
    against_constant,
    best,
    blurred,
    certainty,
    decades,
    few,
    finding,
    interval,
    judgement,
    measured,
    number,
    sharpened_cost,
    sharpened_lines,
    sharpened_sureness,
    sureness,
    take,
    undecided,
)
from ..sharper import decide, sharpen
from ..specs import SpecError, SweepSpec, step_size
from ..store import Store
from ..tails import tail
from . import arguments, data_command, output_files


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 2 for bad input, 130 when interrupted."""
    texts = sys.argv[1:] if argv is None else list(argv)
    if sys.stderr is None:  # closed; what is printed to None would land in standard output
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        print("cvar_core: standard output is closed, so that nothing could be said", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no λ shows a "?", not a traceback
    kept = None
    try:
        try:
            args = arguments.parsed(texts)
            kept = getattr(args, "store", None)
            with output_files.words_aside(getattr(args, flag, None) for flag in ("out", "summary", "html", "tail")):
                return _COMMANDS[args.command](args, texts)
        finally:
            sys.stdout.flush()  # here, where a reader who has gone is no error
    except ValueError as problem:
        if not isinstance(problem, SpecError | UnknownName):
            raise
        print(f"cvar_core: {problem}", file=sys.stderr)
        return 2
    except MemoryError:
        print("cvar_core: not enough memory; choose a smaller eval-size, dim or grid", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone: nothing more to say
        return 0
    except OSError as problem:
        print(f"cvar_core: {problem.strerror or problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        told = "no file was written" if kept is None else f"what was computed is in {kept}; no other file was written"
        print(f"cvar_core: interrupted; {told}", file=sys.stderr, flush=True)
        os._exit(130)  # not waiting for threads that may be inside a compiler


def _sweep(args: argparse.Namespace, texts: list[str]) -> int:
    by, asked = arguments.criterion(args), arguments.sharpening(args)
    data = arguments.dataset(args)
    problem = arguments.problem(args, data)
    spec = arguments.sweep_spec(args, problem.spec, arguments.iterations(args, data))
    output_files.ensure_writable(path for path in (args.out, args.summary, args.html, args.tail) if path is not None)
    found, store = None, Store.open(None) if args.store is None and asked is not None else args.store
    with _crew(args) as crew:
        with shown(None) as report:
            result = sweep(**_fields(problem, spec), **crew, report=report, store=store)
        taken = report.updates
        if asked is not None:
            judging: dict[str, Any] = {"measure": by.measure, "epsilon": by.epsilon, "closed": by.closed}
            with shown(None) as report:
                found = sharpen(**_fields(problem, spec), **judging, **asked, **crew, report=report, store=store)
            taken += report.updates
    outputs: dict[str, str | bytes] = {}
    if args.out is not None:
        outputs[args.out] = result.curves.to_csv(index=False)
    if args.summary is not None:
        told = result.to_dict(by) | ({} if data is None else {"data": data.facts(args.loss, args.positive)})
        told |= {} if found is None else {"sharpened": found.to_dict()}
        outputs[args.summary] = json.dumps(told, indent=2, allow_nan=False) + "\n"
    if args.html is not None:
        from ..report import html

        outputs[args.html] = html(result, shlex.join(["python", "-m", "cvar_core", *texts]), by)
    worst = None if args.tail is None or data is None else tail(data, problem, result)
    if worst is not None:
        outputs[args.tail] = worst.csv()
    output_files.write_all(outputs)
    if data is not None:
        print("\n".join(data.words(args.loss, args.positive)))
    _print_result(result, by, None if data is None else data.target_unit)
    if worst is not None:
        print(worst)
    whole = len(spec.methods) * len(spec.lambdas) * len(spec.seeds) * spec.iterations
    if found is not None:
        print("\n".join(f"{words}." for words in (sharpened_sureness(found), *sharpened_lines(found))))
        print(f"{sharpened_cost(found)}.")
        whole = found.updates  # the sweep's starts and step sizes come first in it
    if args.store is not None:
        print(f"{taken:,} updates were taken; {whole - taken:,} were in {args.store}.")
    return 0


def _fields(problem: Problem, spec: SweepSpec) -> dict[str, Any]:
    """Return what ``sweep`` and ``sharpen`` take of a spec."""
    names = ("methods", "lambdas", "iterations", "seeds", "schedule", "checkpoints")
    return {"problem": problem, **{name: getattr(spec, name) for name in names}}


def _print_result(result: Result, by: Criterion, unit: TargetUnit | None) -> None:
    optimum, timings = result.optimum, result.timings
    judged = result.judged(by)
    print(f"{finding(result, by)}.")
    told = "" if unit is None else f", {unit.told(optimum.value, result.spec.problem.loss)}"
    best_found = f"F* = {optimum.value:.6g} ({certainty(optimum)}){told}"
    print(f"{best_found}, ε = {number(judged.epsilon)}, {timings['total']:.1f} s")
    both = {name: result.judged(replace(by, measure=name)) for name in sorted(MEASURES, key=lambda m: m != by.measure)}
    heads = "".join(f"{f'decades by {name}':>22}" for name in both)
    print(f"{'method':8}{'best λ':>22}{'usable from':>13}{'to':>10}{heads}")
    for method, found in judged.forgiven.items():
        typical = found.typical if judged.nothing_to_close is None else None
        ends = _ends(typical) if typical else ("–", "–")
        holes = "  (holes)" if typical and typical.holes else ""
        widths = "".join(f"{_width(each, method):>22}" for each in both.values())
        print(f"{method:8}{best(judged, method):>22}{ends[0]:>13}{ends[1]:>10}{widths}{holes}")
    if len(result.spec.seeds) > 1:
        print(f"In brackets: the {sureness(len(result.spec.seeds))}.")
    said = take(judged), undecided(result), blurred(judged), against_constant(judged), few(len(result.spec.seeds))
    for words in said:
        if words:
            print(f"{words}.")
    for line in measured(result, by.measure):
        print(line)


def _ends(found: UsableRange) -> tuple[str, str]:
    return ("≤ " if found.open_low else "") + number(found.low), ("≥ " if found.open_high else "") + number(found.high)


def _width(judged: Judged, method: str) -> str:
    found = judged.forgiven[method]
    spread = f" ({interval(found)})" if interval(found) else ""
    return "no verdict" if judged.nothing_to_close is not None else f"{decades(found)}{spread}"


def _check(args: argparse.Namespace, texts: list[str]) -> int:
    by = arguments.criterion(args)
    lam = None if args.lam is None else step_size("--lambda", reading.number("--lambda", args.lam))
    if lam is None and args.sharpen:
        raise SpecError("--sharpen decides about one step size: give it with --lambda, or leave --sharpen out")
    if args.sharpen and args.lambdas is not None:
        raise SpecError("--sharpen tries no grid: leave out --lambdas, or --sharpen")
    grid = None if args.lambdas is None else reading.read_grid(args.lambdas, "--lambdas")
    seeds = arguments.seeds(args.seeds)
    data = arguments.dataset(args)
    problem, iterations = arguments.problem(args, data), arguments.iterations(args, data)
    asked = SweepSpec(problem.spec, arguments.names(args.method))  # says what is wrong before the first takes its time
    told: dict[str, Any] = {
        "measure": by.measure, "epsilon": by.epsilon, "closed": by.closed, "store": args.store,
        "checkpoints": reading.whole("--checkpoints", args.checkpoints),
    }  # fmt: skip
    with _crew(args) as crew:
        told |= crew
        if lam is None:
            with shown(None) as report:
                runs = (problem, asked.methods, iterations, seeds, args.schedule)
                found = recommend(*runs, lambdas=grid, report=report, **told)
            print(found, flush=True)
            return 0 if (found.sure if args.sure else found.safe) else 1
        passed, remarked = [], set[str]()
        for method in asked.methods:
            about, cost = (problem, lam, method, iterations, seeds, args.schedule), ""
            with shown(None) as report:
                if args.sharpen:
                    decided = decide(*about, **told, report=report)
                    verdict, whole = decided.verdict, decided.grid_updates
                    cost = f"That took {decided.updates:,} updates; the grid takes {whole:,} from as many starts."
                else:
                    verdict = check(*about, lambdas=grid, **told, report=report)
            new = [each for each in verdict.remarks if each not in remarked]
            remarked.update(new)
            said = [judgement(verdict), *(f"{each}." for each in new), cost]
            print(" ".join(filter(None, said)), flush=True)
            passed.append(verdict.sure if args.sure else verdict.safe)
    return 0 if all(passed) else 1


def _figures(args: argparse.Namespace, texts: list[str]) -> int:
    from ..lessons import paper

    specs = paper.panels(
        reading.whole("--iterations", args.iterations),
        arguments.seeds(args.seeds),
        reading.whole("--eval-size", args.eval_size),
    )
    output_files.ensure_writable(path for path in (args.out, args.html) if path is not None)
    begun, results = time.perf_counter(), []
    with _crew(args) as crew, shown(None) as report:
        for result in paper.compute(specs, report=report, **crew):
            results.append(result)
            _print_panel(result)
    outputs: dict[str, str | bytes] = {}
    if args.out is not None:
        outputs[args.out] = paper.packed(results)
    if args.html is not None:
        outputs[args.html] = paper.html(results)
    output_files.write_all(outputs)
    for measure in MEASURES:
        print(f"{paper.headline(results, Criterion(measure))}.")
    print(f"{time.perf_counter() - begun:.1f} s")
    return 0


def _print_panel(result: Result) -> None:
    from ..lessons import paper

    known = _shipped(result.spec)
    same = "" if known is None else f"  ({paper.difference(known, result).words()})"
    widths = "; ".join(
        f"by {JUDGED_BY[measure]} "
        + ", ".join(
            f"{method} {decades(found)}" for method, found in result.judged(Criterion(measure)).forgiven.items()
        )
        for measure in MEASURES
    )
    print(f"{paper.name(result.spec):32}{widths}  {result.timings['total']:.1f} s{same}", flush=True)


def _shipped(spec: SweepSpec) -> Result | None:
    """Return what ships of a panel; nothing where that is of another format, and about to be written anew."""
    from ..lessons import paper

    try:
        return paper.shipped().of(spec)
    except SpecError:
        return None


def _atlas(args: argparse.Namespace, texts: list[str]) -> int:
    from . import atlas_command

    with shown(None) as report:
        return atlas_command.run(args, _workers(args), report)


def _problems(args: argparse.Namespace, texts: list[str]) -> int:
    print("losses (parameters with their defaults)")
    for loss in losses:
        print(
            f"  {loss.name:12}{loss.task:16}{_defaults(loss.parameters):18}{loss.formula}{_origin(losses, loss.name)}"
        )
    print("noises (parameters with their defaults)")
    for noise in noises:
        print(f"  {noise.name:12}{_defaults(noise.parameters):18}{noise.formula}{_origin(noises, noise.name)}")
    print("methods")
    for method in methods:
        print(f"  {method.name:12}{method.summary}{_origin(methods, method.name)}")
    print("schedules")
    for schedule in schedules:
        print(f"  {schedule.name:12}{schedule.formula}")
    return 0


def _defaults(parameters: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in parameters.items())


def _origin(registry: Registry[Any], name: str) -> str:
    """Say where an entry comes from that is not built in."""
    origin = registry.origin(name)
    return "" if origin is None else f" ({origin})"


def _compile(args: argparse.Namespace, texts: list[str]) -> int:
    print(f"compiled for {', '.join(compile_kernels())} loss")
    return 0


def _bench(args: argparse.Namespace, texts: list[str]) -> int:
    from .. import bench

    bench.run(quick=args.quick, all_panels=args.all_panels)
    return 0


@contextmanager
def _crew(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield who is to compute, as ``sweep`` and its like are told: so many threads, or a cluster."""
    workers = None if args.workers is None else _workers(args)
    if args.scheduler is None:
        yield {"workers": workers}
        return
    thread_count(workers, args.scheduler)  # not both
    with connected(args.scheduler) as cluster:
        yield {"scheduler": cluster}


def _workers(args: argparse.Namespace) -> int:
    return thread_count(None if args.workers is None else reading.whole("--workers", args.workers))


_COMMANDS = {
    "sweep": _sweep,
    "check": _check,
    "figures": _figures,
    "atlas": _atlas,
    "problems": _problems,
    "compile": _compile,
    "bench": _bench,
    "data": data_command.run,
}
