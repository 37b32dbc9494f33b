"""What a model is trained and tested on: rows, a loss of each, and groups of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from ..specs import SpecError

RowLoss = Callable[[Tensor, Tensor], Tensor]
_AT_ONCE = 4_096  # rows that are evaluated together


@dataclass(frozen=True)
class Rows:
    """Inputs x (n, …), targets y (n, …) and, if given, the group of each row (n,)."""

    x: Tensor
    y: Tensor
    groups: Tensor | None = None

    def __len__(self) -> int:
        return len(self.x)

    def at(self, places: Tensor) -> Rows:
        return Rows(self.x[places], self.y[places], None if self.groups is None else self.groups[places])

    def parts(self) -> Iterator[Rows]:
        for first in range(0, len(self), _AT_ONCE):
            yield self.at(torch.arange(first, min(first + _AT_ONCE, len(self))))


@dataclass(frozen=True)
class Task:
    """Training rows, test rows, and the loss of a row."""

    train: Rows
    test: Rows
    loss: RowLoss
    classes: bool  # whether targets are classes, so that there is an accuracy

    def losses(self, model: nn.Module, rows: Rows) -> Tensor:
        """Return the loss of each row, shape (n,)."""
        found = self.loss(model(rows.x), rows.y)
        if found.shape != (len(rows),):
            raise SpecError(
                f"the loss of {len(rows)} rows has shape {tuple(found.shape)}; it is one number for each row"
            )
        return found


def read_task(dataset: Any, test: Any, loss: RowLoss | None, groups: Any, seed: int = 0) -> Task:
    """Return the task, or say what is wrong with the data.

    ``test`` is a share of the rows to hold out, or further data. Without a loss, whole-number targets get
    cross-entropy, others the squared error.
    """
    held_out = isinstance(test, float)
    rows = _rows(dataset, groups if held_out else None, "the data set")
    if held_out:
        if not 0 < test < 1:
            raise SpecError(f"test is {test}; it is a share of the rows between 0 and 1, or further data")
        order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(seed))
        held = round(test * len(rows))
        if not 0 < held < len(rows):
            raise SpecError(f"of {len(rows)} rows a share of {test} leaves none to train or to test on")
        train, tested = rows.at(order[held:]), rows.at(order[:held])
    else:
        train, tested = rows, _rows(test, groups, "the test set")
    classes = not (train.y.is_floating_point() or train.y.is_complex())
    return Task(train, tested, loss or (_cross_entropy if classes else _squared), classes)


def _cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(outputs, targets, reduction="none")


def _squared(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs.reshape(len(targets), -1) - targets.reshape(len(targets), -1)).square().mean(-1)


def _rows(dataset: Any, groups: Any, what: str) -> Rows:
    """Return rows of a pair of arrays, or of a torch data set of such pairs."""
    tensors = getattr(dataset, "tensors", dataset)
    if not isinstance(tensors, tuple | list) or len(tensors) != 2:
        if not (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")):
            raise SpecError(f"{what} is {type(dataset).__name__}; it is a pair (x, y) or a torch data set of pairs")
        pairs = [dataset[k] for k in range(len(dataset))]
        tensors = [torch.stack([torch.as_tensor(pair[part]) for pair in pairs]) for part in (0, 1)]
    x, y = (torch.as_tensor(part) for part in tensors)
    if len(x) != len(y) or len(x) == 0:
        raise SpecError(f"{what} has {len(x)} inputs and {len(y)} targets; it needs as many of both, and at least one")
    if x.is_floating_point():
        x = x.to(torch.get_default_dtype())
    if y.is_floating_point():
        y = y.to(torch.get_default_dtype())
    known = None if groups is None else torch.as_tensor(groups)
    if known is not None and known.shape != (len(x),):
        raise SpecError(f"groups have the shape {tuple(known.shape)}; they are one for each of the {len(x)} rows")
    return Rows(x, y, known)
