"""A result as a plotly figure. Figures stand above results: only here are they asked for from below, when drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..specs import SpecError
from .criterion import criterion

if TYPE_CHECKING:
    from .result import Result

KINDS = ("sensitivity", "curves", "parts", "iterations", "measures", "measures along")


def plot(
    result: Result,
    kind: str,
    lam: float | None,
    measure: str,
    closed: float | None,
    epsilon: float | None,
    theme: str,
) -> Any:
    """Return the ``plotly.graph_objects.Figure`` of one kind."""
    import plotly.graph_objects as go

    from .. import figures

    by = criterion(measure, closed, epsilon)
    if kind not in KINDS:
        raise SpecError(f"kind is {kind!r}, but it must be one of {', '.join(KINDS)}")
    if theme not in ("light", "dark"):
        raise SpecError(f"theme is {theme!r}, but it must be light or dark")
    if kind.startswith("measures") and not result.measures:
        raise SpecError(f"kind is {kind!r}, but measures such as accuracy are those of data, and this is synthetic")
    ran = result.spec.methods
    if lam is not None and kind in ("curves", "parts", "measures along") and result.place(lam) is None:
        raise SpecError(f"lam is {lam!r}, but this sweep ran {', '.join(f'{each:g}' for each in result.spec.lambdas)}")
    each = None if lam is None else dict.fromkeys(ran, lam)
    drawn: dict[str, Any] = {
        "sensitivity": lambda: figures.sensitivity(result, by=by, mark=lam, theme=theme),
        "curves": lambda: figures.curves(result, each, measure=measure, theme=theme),
        "parts": lambda: figures.parts(result, each, measure=measure, theme=theme),
        "iterations": lambda: figures.iterations_to(result, by=by, theme=theme),
        "measures": lambda: figures.measures_by_lambda(result, theme=theme),
        "measures along": lambda: figures.measures_along(result, each, theme=theme),
    }
    return go.Figure(drawn[kind]())
