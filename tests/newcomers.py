"""A further loss, noise, method and schedule, each the least that an entry can be, for all who read the registries."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from cvar_core.catalogue import Loss, Method, Model, Noise, Point, losses, methods, noises, schedules
from cvar_core.catalogue.methods import spl
from cvar_core.catalogue.methods.rules import ONE
from cvar_core.catalogue.schedules import Schedule


def _halved(parts: float = 2.0) -> Loss:
    return Loss(
        "halved", "|r|/parts", "regression", lambda p, y: (p - y).abs() / parts, lambda p, y: (p - y).sign() / parts,
        parameters={"parts": parts}, remade=_halved,
    )  # fmt: skip


@pytest.fixture
def halved() -> Iterator[Loss]:
    """A loss with a value, a slope and a parameter without bounds: no scalar form, no curvature."""
    yield losses.add(_halved())
    losses.remove("halved")


@pytest.fixture
def laplace() -> Iterator[Noise]:
    yield noises.add(
        Noise(
            "laplace", "Laplace(scale)", {"scale": 1.0}, frozenset({"scale"}),
            lambda rng, n, q: rng.laplace(0, q["scale"], n),
            lambda z, q: np.exp(-np.abs(z) / q["scale"]) / (2 * q["scale"]),
        )
    )  # fmt: skip
    noises.remove("laplace")


@pytest.fixture
def timid() -> Iterator[Method]:
    """SPL with half the step, in torch alone."""

    def step(at, sizes):
        theta, alpha = spl.step(at, sizes)
        return Point((at.theta + theta) / 2, (at.alpha + alpha) / 2)

    yield methods.add(Method("timid", "Timid", "half of SPL", Model("timid", "Timid", spl.model, step, spl.bound), ONE))
    methods.remove("timid")


@pytest.fixture
def waning() -> Iterator[Schedule]:
    """A schedule that falls faster than any of ours."""
    yield schedules.add(
        Schedule("waning", "λ/(t+1)", lambda first, last, n: 1 / torch.arange(first + 1, last + 1, dtype=torch.float64))
    )
    schedules.remove("waning")


@pytest.fixture
def newcomers(halved, laplace, timid, waning) -> None:
    """All four are registered."""
