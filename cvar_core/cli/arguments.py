"""The flags, and how their texts become values. Names and defaults come from the specs and registries."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NoReturn

from ..catalogue import losses, methods, noises, schedules
from ..data import WAYS, Dataset, Recipe
from ..problem import Problem
from ..reading import number, read_grid, read_names, whole, write_grid
from ..results import MEASURES, RISK, WIDTH, Criterion
from ..results import criterion as make_criterion
from ..specs import (
    PAPER_EVAL_SIZE,
    PAPER_ITERATIONS,
    RANDOM,
    RECOMMENDED_METHODS,
    STARTS,
    USUAL_SEEDS,
    ProblemSpec,
    SpecError,
    SweepSpec,
    usual_methods,
)
from ..version import __version__

_PREPARING = (
    "target",
    "drop",
    "keep",
    "only",
    "missing",
    "test",
    "holdout",
    "standardise",
    "standardise_target",
    "intercept",
)
_DRAWING = ("noise", "noise_param", "dim", "eval_size", "sample_size")  # of which data have their own
DATA_ACTIONS = ("list", "fetch", "info")
_DEFAULTS: dict[str, Any] = {field.name: field.default for spec in (ProblemSpec, SweepSpec) for field in fields(spec)}


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        raise SpecError(message)

    def print_help(self, file: Any = None) -> None:
        (file or sys.stdout).write(self.format_help())  # argparse's own keeps quiet about a full disk


def build() -> OneLineParser:
    parser = OneLineParser(
        prog="python -m cvar_core",
        description="Which step size is safe when you minimise CVaR? SGM, SPL, SPL+ and our SPL-U compared.",
    )
    parser.add_argument("--version", action="version", version=f"cvar_core {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=OneLineParser, metavar="COMMAND")

    sweep = commands.add_parser("sweep", help="run methods over a grid of step sizes and report how robust each is")
    _add_problem(sweep)
    _add_data(sweep)
    _add_runs(sweep)
    usual, on_data = (",".join(usual_methods(on_data=each)) for each in (False, True))
    sweep.add_argument("--methods", help=f"comma-separated (default: {usual}; with --data {on_data})")
    _add_grid(sweep, "")
    sweep.add_argument(
        "--sharpen",
        nargs="?",
        const=WIDTH,
        metavar="WIDTH",
        help="add starts, and λ at the ends, until every interval of the decades is so narrow (default: %(const)s)",
    )
    sweep.add_argument(
        "--budget", metavar="UPDATES", help="the most that --sharpen takes (default: 25%% of 200 λ from 80 starts)"
    )
    sweep.add_argument("--out", metavar="FILE.csv", help="write the curves; - is standard output, here and below")
    sweep.add_argument("--summary", metavar="FILE.json", help="write the summary")
    sweep.add_argument("--html", metavar="FILE.html", help="write a self-contained report")
    sweep.add_argument(
        "--tail", metavar="FILE.csv", help="write which rows of the data are worst at the model that is recommended"
    )

    check = commands.add_parser(
        "check", help="tell whether one step size is safe, or which to take; exits 0 if there is a safe one, 1 if not"
    )
    _add_problem(check)
    _add_data(check)
    _add_runs(check)
    check.add_argument(
        "--method",
        "--methods",
        metavar="METHOD",
        default=",".join(RECOMMENDED_METHODS),
        help=f"one of {', '.join(methods.names())}, or several: a λ has to be safe for each (default: %(default)s)",
    )
    check.add_argument("--lambda", dest="lam", metavar="LAMBDA", help="the step size; without it, one is recommended")
    _add_grid(check, "the step sizes that are tried beside it, or recommended from: ")
    check.add_argument(
        "--sharpen", action="store_true", help="the least work that decides: λ alone from 5 to 29 starts, no grid"
    )
    check.add_argument(
        "--sure", action="store_true", help="exit with 0 only if enough starts agree to show 90%% of all: 29 of 29"
    )

    figures = commands.add_parser(
        "figures", help="compute the paper's nine panels again and hold them against the shipped"
    )
    figures.add_argument("--out", metavar="FILE.npz", help="write the results, in the form in which they ship")
    figures.add_argument("--html", metavar="FILE.html", help="write both grids of charts as a self-contained file")
    figures.add_argument(
        "--iterations", default=PAPER_ITERATIONS, help="updates per run (default: %(default)s, the paper's)"
    )
    figures.add_argument("--seeds", default=str(USUAL_SEEDS), help="how many, or a list 0,3,7 (default: %(default)s)")
    figures.add_argument("--eval-size", default=PAPER_EVAL_SIZE, help="evaluation points (default: %(default)s)")
    _add_crew(figures)

    atlas = commands.add_parser(
        "atlas", help="compute the atlas again: many problems, and which step size is safe on them"
    )
    atlas.add_argument("--only", metavar="TEXT", help="only problems with TEXT in their names, such as diabetes")
    atlas.add_argument(
        "--data", metavar="FOLDER", help="where the files are that do not ship; without it those are left out"
    )
    atlas.add_argument(
        "--parts", metavar="FOLDER", help="where finished problems are kept (default: beside fetched sets)"
    )
    atlas.add_argument(
        "--new", action="store_true", help="compute only what does not ship, and take the rest from there"
    )
    atlas.add_argument("--out", metavar="FILE.npz", help="write the atlas, in the form in which it ships")
    atlas.add_argument("--workers", default=None, help="threads (default: one per processor that it may use)")

    commands.add_parser("problems", help="list the losses, noises, methods and schedules")

    data = commands.add_parser("data", help="list the named data sets, fetch one, or describe one or a file")
    actions = data.add_subparsers(dest="action", required=True, parser_class=OneLineParser, metavar="ACTION")
    actions.add_parser("list", help="the sets, their sizes, and which are here")
    fetch = actions.add_parser("fetch", help="download a set into the data folder, and verify it")
    fetch.add_argument("name", metavar="NAME", help="of a set")
    info = actions.add_parser("info", help="describe a set or a file, column by column; 'data FILE' is short for it")
    info.add_argument("data", metavar="FILE", help="a file, or a set's name")
    _add_preparation(info.add_argument_group("how it is prepared"))
    info.add_argument("--seed", default=_DEFAULTS["seed"], help="of --holdout (default: %(default)s)")

    commands.add_parser("compile", help="compile the kernels into the cache, so that no first run waits for it")

    bench = commands.add_parser("bench", help="measure this against other ways to compute the same")
    bench.add_argument("--quick", action="store_true", help="tiny sizes, seconds instead of minutes")
    bench.add_argument("--all", dest="all_panels", action="store_true", help="all nine panels of the paper as well")
    return parser


def parsed(texts: Sequence[str]) -> argparse.Namespace:
    """Read a command line; ``data FILE`` is short for ``data info FILE``."""
    first, *others = texts or [""]
    if first == "data" and others and others[0] not in DATA_ACTIONS and not others[0].startswith("-"):
        others = ["info", *others]
    return build().parse_args([first, *others] if texts else [])


def _add_grid(parser: argparse.ArgumentParser, which: str) -> None:
    forms = "paper, a list 0.1,1,10, or a log range 1e-3:1e2:11"
    parser.add_argument("--lambdas", help=f"{which}{forms} (default: {write_grid(SweepSpec.lambdas)})")


def _add_problem(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("problem")
    group.add_argument("--loss", default=_DEFAULTS["loss"], help=f"{', '.join(losses.names())} (default: %(default)s)")
    group.add_argument("--loss-param", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    group.add_argument("--noise", help=f"{', '.join(noises.names())} (default: {_DEFAULTS['noise']})")
    group.add_argument("--noise-param", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    group.add_argument("--beta", default=_DEFAULTS["beta"], help="0.95 averages the worst 5%% (default: %(default)s)")
    group.add_argument(
        "--mix",
        default="1",
        help="minimise (1−μ)·mean + μ·CVaR for this μ: 0.3 weighs CVaR with 0.3 (default: 1, CVaR)",
    )
    group.add_argument("--dim", help=f"dimension (default: {_DEFAULTS['dim']})")
    group.add_argument("--eval-size", help=f"evaluation points (default: {_DEFAULTS['eval_size']})")
    group.add_argument("--seed", default=_DEFAULTS["seed"], help="the problem's (default: %(default)s)")
    group.add_argument("--scale", default=_DEFAULTS["scale"], help="multiplies the loss (default: %(default)s)")
    group.add_argument(
        "--start", default=RANDOM, help=f"where θ begins: one of {', '.join(STARTS)} (default: %(default)s)"
    )
    group.add_argument("--sample-size", default=None, help="make P the empirical distribution of so many points")


def _add_data(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("data, in the place of noise, dim, eval-size and sample-size")
    group.add_argument(
        "--data",
        metavar="FILE",
        help="a table (CSV and its kin, Parquet, Feather), a LIBSVM or npz file, plain or compressed, or a set's name",
    )
    group.add_argument("--passes", metavar="N", help="iterations as passes over the training rows")
    group.add_argument("--positive", metavar="LABEL", help="the label that becomes +1, with all others −1")
    _add_preparation(group)


def _add_preparation(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--target",
        metavar="COL",
        help="a table's target: a name, or a place from 1 (default: target, y, label or class, or the last)",
    )
    group.add_argument("--drop", metavar="A,B", action="append", default=[], help="columns to leave out")
    group.add_argument(
        "--keep", metavar="A,B", action="append", default=[], help="columns to use, though they look like ids or texts"
    )
    group.add_argument("--only", metavar="A,B", action="append", default=[], help="the only columns to use")
    group.add_argument(
        "--missing",
        default=WAYS[0],
        metavar="WAY",
        help=f"what is done about missing values: {', '.join(WAYS)} (default: %(default)s, with the median)",
    )
    group.add_argument("--test", metavar="FILE", help="rows to test on")
    group.add_argument("--holdout", metavar="SHARE", help="the share of rows to hold out for testing, drawn by --seed")
    group.add_argument("--standardise", action="store_true", help="scale the columns by the training rows")
    group.add_argument("--standardise-target", action="store_true", help="and the target, in regression")
    group.add_argument("--intercept", action="store_true", help="add a column of ones")


def _add_runs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("runs")
    group.add_argument("--iterations", default=_DEFAULTS["iterations"], help="updates per run (default: %(default)s)")
    group.add_argument("--seeds", default=str(USUAL_SEEDS), help="how many, or a list 0,3,7 (default: %(default)s)")
    group.add_argument(
        "--store", metavar="FILE", help="keep what is computed in FILE, and compute nothing again that is there"
    )
    group.add_argument("--schedule", default=_DEFAULTS["schedule"], help=f"{', '.join(schedules.names())}")
    group.add_argument("--checkpoints", default=_DEFAULTS["checkpoints"], help="recorded points (default: %(default)s)")
    group.add_argument(
        "--measure",
        default=RISK,
        help="judge by the model's risk or the objective: risk, objective (default: %(default)s)",
    )
    group.add_argument("--epsilon", default=None, help="usable up to this gap, or close so much of it: 99%%")
    _add_crew(group)


def _add_crew(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--workers", default=None, help="threads (default: one per processor that it may use)")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="compute on the workers of a dask scheduler: tcp://10.0.0.5:8786"
    )


def problem_spec(args: argparse.Namespace) -> ProblemSpec:
    return ProblemSpec(
        loss=args.loss,
        noise=_DEFAULTS["noise"] if args.noise is None else args.noise,
        beta=number("--beta", args.beta),
        dim=whole("--dim", _DEFAULTS["dim"] if args.dim is None else args.dim),
        eval_size=whole("--eval-size", _DEFAULTS["eval_size"] if args.eval_size is None else args.eval_size),
        seed=whole("--seed", args.seed),
        noise_params=dict(_parameter("--noise-param", text, "std=2") for text in args.noise_param),
        scale=number("--scale", args.scale),
        sample_size=None if args.sample_size is None else whole("--sample-size", args.sample_size),
        start=args.start,
        loss_params=_loss_parameters(args),
        mix=number("--mix", args.mix),
    )


def dataset(args: argparse.Namespace) -> Dataset | None:
    """Load the data that the flags name, or return ``None`` if they name none."""
    if args.data is None:
        for name in (*_PREPARING, "positive", "passes", "tail"):
            given = getattr(args, name, None)
            if given and given != WAYS[0]:
                raise SpecError(f"--{name.replace('_', '-')} is for data: give --data FILE too")
        return None
    for name in _DRAWING:
        if getattr(args, name) not in (None, []):
            raise SpecError(f"--{name.replace('_', '-')} is for problems that are drawn, not for --data: leave one out")
    return recipe(args).load(progress=sys.stderr.isatty())


def recipe(args: argparse.Namespace) -> Recipe:
    """Return how the flags say that the data are made."""
    given = {name: getattr(args, name) for name in _PREPARING}
    given |= {
        name: tuple(itertools.chain.from_iterable(read_names(text, f"--{name}") for text in given[name]))
        for name in ("drop", "keep", "only")
    }
    if args.holdout is not None:
        given["holdout"] = number("--holdout", args.holdout)
    return Recipe(args.data, seed=whole("--seed", args.seed), **given)


def problem(args: argparse.Namespace, data: Dataset | None) -> Problem:
    if data is None:
        return Problem(problem_spec(args))
    beta, scale = number("--beta", args.beta), number("--scale", args.scale)
    mix = number("--mix", args.mix)
    return data.problem(args.loss, beta, scale, args.positive, args.start, _loss_parameters(args), mix)


def iterations(args: argparse.Namespace, data: Dataset | None) -> int:
    """Return the updates of a run, given outright or as passes over the data."""
    if args.passes is None or data is None:
        return whole("--iterations", args.iterations)
    passes = number("--passes", args.passes)
    if not 0 < passes < math.inf:
        raise SpecError(f"--passes is {args.passes!r}, but it must be a finite number above 0")
    return max(1, round(passes * data.shape[0]))


def sweep_spec(args: argparse.Namespace, problem: ProblemSpec, iterations: int) -> SweepSpec:
    return SweepSpec(
        problem=problem,
        methods=usual_methods(problem.data is not None) if args.methods is None else names(args.methods),
        lambdas=SweepSpec.lambdas if args.lambdas is None else read_grid(args.lambdas, "--lambdas"),
        iterations=iterations,
        seeds=seeds(args.seeds),
        schedule=args.schedule,
        checkpoints=whole("--checkpoints", args.checkpoints),
    )


def sharpening(args: argparse.Namespace) -> dict[str, Any] | None:
    """Read how narrow intervals are to be, and what that may cost; ``None`` if that is not asked for."""
    if args.sharpen is None:
        if args.budget is not None:
            raise SpecError("--budget is for --sharpen: give that too")
        return None
    budget = None if args.budget is None else whole("--budget", args.budget)
    for flag, value in (("--sharpen", number("--sharpen", args.sharpen)), ("--budget", budget)):
        if value is not None and not 0 < value < math.inf:
            raise SpecError(f"{flag} is {value:g}, but it must be a finite number above 0")
    return {"width": number("--sharpen", args.sharpen), "budget": budget}


def names(text: str) -> tuple[str, ...]:
    """Read a list of methods."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def seeds(text: str) -> Any:
    """Read a count "5" or a list "0,3,7"."""
    if "," not in text:
        return whole("--seeds", text)
    return tuple(whole("--seeds", part) for part in text.split(",") if part.strip())


def epsilon(text: str | None) -> tuple[float | None, float | None]:
    """Read ε outright, or from "99%" the share of the gap to close."""
    if text is None:
        return None, None
    if text.strip().endswith("%"):
        closed = number("--epsilon", text.strip()[:-1]) / 100
        if not 0 < closed < 1:
            raise SpecError(f"--epsilon is {text!r}, but the share of the gap to close lies between 0% and 100%")
        return None, closed
    value = number("--epsilon", text)
    if not 0 < value < math.inf:
        raise SpecError(f"--epsilon is {text!r}, but it must be a finite number above 0, or a share such as 99%")
    return value, None


def criterion(args: argparse.Namespace) -> Criterion:
    """Read what counts as usable, and by which measure."""
    given, closed = epsilon(args.epsilon)
    if args.measure not in MEASURES:
        raise SpecError(f"--measure is {args.measure!r}, but it must be one of {', '.join(MEASURES)}")
    return make_criterion(args.measure, closed, given)


def _loss_parameters(args: argparse.Namespace) -> dict[str, float]:
    return dict(_parameter("--loss-param", text, "knee=2") for text in args.loss_param)


def _parameter(flag: str, text: str, such_as: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SpecError(f"{flag} is {text!r}, but it is written NAME=VALUE, such as {such_as}")
    return name.strip(), number(f"{flag} {name.strip()}", value)
