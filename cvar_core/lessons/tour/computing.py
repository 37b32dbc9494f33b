"""Computes the numbers that ship. ``python -m tools.tour_facts`` writes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...problem import Sketch
from ...results import OBJECTIVE, RISK, Criterion, Result
from ..anatomy import POINTS, Way, risks, tail_parts
from ..theory import LAMBDAS, bounds_by_name, experiment, measure
from ..units import SPL, SPL_PLUS, Tolerance, problem_of, tolerance
from .facts import Facts, Losses, Promise, Swept, Threshold, Units
from .two_fits import LEVELS, fitted

BETA = 0.95
BARS = 40
TIMID = 1e-3  # the λ that looks safe by the objective
PROMISED = ("sgm", "spl+")


def compute(calm: Result, heavy: Result, logistic: Result) -> Facts:
    """Return all numbers, with sweeps of the paper's panels: squared loss under two noises, logistic under one."""
    return Facts(
        {beta: fitted(beta) for beta in (0.0, *LEVELS)},
        losses_at_best(),
        swept(calm, RISK),
        swept(heavy, OBJECTIVE),
        two_parts(logistic),
        in_units(tolerance(problem_of("absolute", "normal"))),
        promised(),
    )


def losses_at_best() -> Losses:
    """Return what Anatomy shows at θ* for absolute loss and normal noise."""
    way = Way.of(Sketch.synthetic("absolute", "normal", BETA, eval_size=POINTS))
    found = way.losses(1.0)
    edges = np.linspace(0.0, float(found.max()), BARS + 1)
    counts, outer = (
        np.histogram(found.numpy(), edges, weights=weights)[0] for weights in (None, tail_parts(found, BETA).numpy())
    )
    shares, tail = (tuple((each / len(found)).tolist()) for each in (counts, outer))
    return Losses(tuple(edges.tolist()), shares, tail, *risks(found, BETA), float(found.max()))


def swept(result: Result, by: str) -> Swept:
    """Return what each method leaves, and the typical usable range."""
    judged = result.judged(Criterion(by))
    left = dict(zip(result.spec.methods, (judged.at().median / judged.start).tolist(), strict=True))
    ranges = {name: each.typical for name, each in judged.forgiven.items()}
    return Swept(
        result.spec.lambdas,
        {name: tuple(row) for name, row in left.items()},
        {name: None if each is None else (each.low, each.high) for name, each in ranges.items()},
    )


def two_parts(result: Result, method: str = "spl+", lam: float = TIMID) -> Threshold:
    """Return what is left along the run, by either measure."""
    m, k = result.spec.methods.index(method), result.place(lam)
    shares = []
    for by in (RISK, OBJECTIVE):
        judged = result.judged(Criterion(by))
        shares.append(np.median(judged.gaps[m, :, :, k] / judged.starts[:, None], axis=0))
    risk, objective = (tuple(each[1:].tolist()) for each in shares)
    first, last = np.median(result.risks[m][:, [0, -1], k], axis=0).tolist()
    return Threshold(tuple(map(float, result.checkpoints[1:])), risk, objective, (first, last, result.optimum.value))


def in_units(found: Tolerance) -> Units:
    """Return the usable λ of SPL and of SPL+ in each unit of the loss."""
    usable = {}
    for variant in (SPL, SPL_PLUS):
        ranges = [found.range(variant, scale) for scale in found.scales]
        usable[variant.name] = tuple(None if each is None else (each.low, each.high) for each in ranges)
    return Units(found.scales, usable)


def promised(methods: tuple[str, ...] = PROMISED, lambdas: tuple[float, ...] = LAMBDAS) -> dict[str, Promise]:
    """Return the theorem's bounds, and what runs do, with Theory's own problem."""
    spec = replace(experiment("absolute", "lognormal", BETA, 1_000), methods=methods, lambdas=lambdas)
    setting, measured = measure(spec)
    bounds = bounds_by_name(methods, setting)
    found = {}
    for name in methods:
        means = measured.mean[measured.spec.methods.index(name)]
        bound = bounds[name].theorem
        found[name] = Promise(bound.travel, bound.noise, lambdas, tuple(means.tolist()), measured.start)
    return found
