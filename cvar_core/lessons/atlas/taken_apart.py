"""An atlas taken apart by its methods, and put together again: a new method is computed alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .charted import Atlas
from .entries import METHODS

_BY_METHOD = ("gaps", "states", "ranges")  # their third axis


def only(atlas: Atlas, names: Sequence[str]) -> Atlas:
    """Return the same with some of its methods."""
    places = [atlas.methods.index(name) for name in names]
    problems = tuple(replace(each, spec=replace(each.spec, methods=tuple(names))) for each in atlas.problems)
    arrays: dict[str, Any] = {name: getattr(atlas, name)[:, :, places] for name in _BY_METHOD}
    return replace(atlas, problems=problems, **arrays)


def beside(parts: Sequence[Atlas]) -> Atlas:
    """Return one atlas of the methods of all, in their order; the first part tells the problems, which all share."""
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts], axis=2) for name in _BY_METHOD
    }
    names = tuple(name for part in parts for name in part.methods)
    problems = tuple(replace(each, spec=replace(each.spec, methods=names)) for each in parts[0].problems)
    return only(replace(parts[0], problems=problems, **arrays), [name for name in METHODS if name in names])
