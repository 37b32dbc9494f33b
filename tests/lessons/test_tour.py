"""The numbers of the Tour: what ships is what the library computes."""

import math

import numpy as np
import pytest

from cvar_core import Problem
from cvar_core.data import load
from cvar_core.lessons import paper, tour
from cvar_core.lessons.theory import LAMBDAS
from cvar_core.lessons.tour.computing import BETA, in_units, losses_at_best, promised, swept, two_parts
from cvar_core.lessons.units import problem_of, tolerance
from cvar_core.results import OBJECTIVE, RISK

FACTS = tour.shipped()


def panel(name):
    return next(each for each in paper.shipped() if paper.name(each.spec) == name)


def close(shipped, computed):
    """Compare nested tuples: five digits ship."""
    if computed is None or shipped is None:
        assert shipped is computed
    elif isinstance(computed, dict):
        assert shipped.keys() == computed.keys()
        for name, value in computed.items():
            close(shipped[name], value)
    elif isinstance(computed, tuple):
        for one, other in zip(shipped, computed, strict=True):
            close(one, other)
    else:
        assert shipped == pytest.approx(computed, rel=1e-4, abs=1e-8)


def test_the_file_says_what_is_written_of_it():
    assert tour.SHIPPED.read_text("utf-8") == tour.written(FACTS)


@pytest.mark.parametrize("beta", [0.0, *tour.LEVELS])
def test_each_line_is_the_best_for_its_level(beta):
    shipped, data = FACTS.fits[beta], load("made-deliveries")
    problem = Problem.from_arrays(data.x, data.y, "absolute", beta, intercept=True)
    risk = problem.risk(np.array(shipped))
    assert risk == pytest.approx(problem.optimum().value, rel=1e-4)
    others = [problem.risk(np.array(fit)) for level, fit in FACTS.fits.items() if level != beta]
    assert risk <= min(others) + 1e-3
    errors, tail = shipped.errors(tour.deliveries()), shipped.worst(tour.deliveries(), beta)
    assert errors[tail].mean() == pytest.approx(risk, rel=1e-6)


def test_the_losses_are_those_of_anatomy():
    close(FACTS.losses, losses_at_best())
    told = FACTS.losses
    assert sum(told.shares) == pytest.approx(1, abs=1e-3)
    assert sum(told.tail) == pytest.approx(1 - BETA, abs=1e-3)
    assert told.mean < told.var < told.cvar < told.largest


def test_the_sweeps_are_the_papers_panels():
    close(FACTS.calm, swept(panel("squared loss, normal noise"), RISK))
    close(FACTS.heavy, swept(panel("squared loss, lognormal noise"), OBJECTIVE))
    close(FACTS.threshold, two_parts(panel("logistic loss, normal noise")))


def test_the_units_are_those_that_units_tries():
    scales = (1.0, 10.0, 100.0)
    found = in_units(tolerance(problem_of("absolute", "normal"), scales))
    for name, ranges in found.usable.items():
        close(tuple(FACTS.units.usable[name][FACTS.units.scales.index(scale)] for scale in scales), ranges)


def test_the_promise_is_theorys():
    few = LAMBDAS[8:17:2]
    (found,) = promised(("sgm",), few).values()
    told = FACTS.promises["sgm"]
    means = tuple(told.means[LAMBDAS.index(lam)] for lam in few)
    close(told._replace(lambdas=few, means=means), found)
    lam = told.best
    assert told.at(lam) < min(told.at(lam * 1.1), told.at(lam / 1.1))
    neighbours = [mean for x, mean in zip(told.lambdas, told.means, strict=True) if abs(math.log10(x / lam)) < 0.25]
    assert min(neighbours) < told.reached < max(neighbours)
