"""Level lines of a convex function as straight pieces, which cost a browser far less than a contour that changes.

A convex function is the highest of its tangents. It has the level L where one tangent has it and no other is higher:
a piece of a straight line, exact for a model that is made of planes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]
Sides = tuple[tuple[float, float], tuple[float, float]]

_STEP = 1e-6  # of the side, over which a slope is taken
_ALIKE = 1e-7  # tangents that differ by less are one
_UNIT = np.linspace(0, 1, 9)  # along each side: where tangents are taken
_GRID = np.stack(np.meshgrid(_UNIT, _UNIT), axis=-1).reshape(-1, 2)
_PLACES = np.concatenate([_GRID + np.array(moved) for moved in ((0, 0), (_STEP, 0), (0, _STEP))])
_BOX = np.array([[1.0, 0, -1], [-1, 0, 0], [0, 1, -1], [0, -1, 0]])  # of the unit square, each at most 0 inside


def convex_levels(
    function: Callable[[Tensor, Tensor], Tensor], sides: Sides, levels: Sequence[float]
) -> tuple[list[float | None], list[float | None]]:
    """Return where a convex function of (x, y) has one of the levels, within a rectangle: one curve with gaps."""
    start = np.array([low for low, _ in sides])
    size = np.array([high - low for low, high in sides])
    tangents = _tangents(function, start, size)
    found: list[Array] = []
    for k, (*slope, height) in enumerate(tangents):
        others = np.delete(tangents, k, axis=0)
        found.extend(_pieces(np.array(slope), height, others, np.asarray(levels, dtype=float)))
    x: list[float | None] = []
    y: list[float | None] = []
    for ends in found:
        (x0, y0), (x1, y1) = (start + size * ends).tolist()
        x += [x0, x1, None]
        y += [y0, y1, None]
    return x[:-1], y[:-1]


def _tangents(function: Callable[[Tensor, Tensor], Tensor], start: Array, size: Array) -> Array:
    """Return the different tangents as rows (slope in x, slope in y, height at 0), over the unit square."""
    x, y = (torch.from_numpy(column) for column in (start + size * _PLACES).T)
    here, right, above = function(x, y).numpy().reshape(3, -1)
    slopes = np.stack([right - here, above - here], axis=1) / _STEP
    rows = np.column_stack([slopes, here - (slopes * _PLACES[: len(here)]).sum(axis=1)])
    near = _ALIKE * (np.abs(rows).max() or 1.0)
    found = []
    while len(rows):
        found.append(rows[0])
        rows = rows[np.abs(rows - rows[0]).max(axis=1) > near]
    different = np.array(found)
    # A slope that was taken across a kink is no tangent's: it goes through the function.
    over = (different[:, :2] @ _GRID.T + different[:, 2:] - here).max(axis=1)
    kept: Array = different[over <= 10 * near]
    return kept


def _pieces(slope: Array, height: float, others: Array, levels: Array) -> list[Array]:
    """Return the ends of what is not below another tangent, shape (2, 2), for each level that has something."""
    steepness = float(np.hypot(*slope))
    if steepness <= 1e-12 * max(abs(height), 1.0):
        return []
    way = np.array([-slope[1], slope[0]]) / steepness
    feet = np.outer((levels - height) / steepness, slope / steepness)
    bounds: Array = np.concatenate([others, _BOX])
    grows = bounds[:, :2] @ way
    room = -(feet @ bounds[:, :2].T + bounds[:, 2])
    room[:, : len(others)] += levels[:, None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # where it is level, which is seen below
        ends = room / grows
    level = np.abs(grows) <= 1e-12 * np.abs(bounds[:, :2]).max(axis=1, initial=1e-300)
    last = np.where((grows > 0) & ~level, ends, np.inf).min(axis=1)
    first = np.where((grows < 0) & ~level, ends, -np.inf).max(axis=1)
    shut = ((room < -1e-9 * np.abs(levels[:, None])) & level).any(axis=1)
    there: Any = (last > first + 1e-9) & ~shut
    return [foot + np.outer([a, b], way) for foot, a, b in zip(feet[there], first[there], last[there], strict=True)]
