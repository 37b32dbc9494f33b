"""Every loss of the registry, with the defaults of its parameters and with others."""

import math
from collections.abc import Callable, Iterator

import pytest

from cvar_core.catalogue import Loss, full_name, losses


def variants(loss: Loss) -> Iterator[Loss]:
    """Yield a loss as it is, and with each parameter moved to either side within what is allowed."""
    yield loss
    for name, usual in loss.parameters.items():
        low, high = loss.between[name]
        for moved in (low + (usual - low) / 3, 3 * usual if math.isinf(high) else (low + high) / 2):
            yield losses[full_name(loss.name, {**loss.parameters, name: moved})]


def told(loss: Loss) -> str:
    return full_name(loss.name, loss.parameters)


def over_losses(having: Callable[[Loss], object] = lambda loss: True) -> pytest.MarkDecorator:
    """Mark a law of every loss that has what the law is about."""
    chosen = [each for loss in losses for each in variants(loss) if having(each)]
    return pytest.mark.parametrize("loss", chosen, ids=told)
