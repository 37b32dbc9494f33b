"""What is drawn of a run: the verdict with its two charts, and the charts of the tabs below."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence

from cvar_core import Result
from cvar_core.figures import (
    Figure,
    beginning,
    curves,
    iterations_to,
    measures_along,
    measures_by_lambda,
    parts,
    sensitivity,
    without_title,
)
from cvar_core.figures.ghosts import Pinned, haunt_curves, haunt_sensitivity, told
from cvar_core.jobs import View
from cvar_core.results import RISK, number, risk_name

from .chart import encoded
from .look import Look
from .on_data import about_data
from .text import capital
from .verdict_cards import starting, verdict

HEIGHT = 430  # px of the two charts
_BELOW = 400  # px of a chart in a tab

STUDY = "study"
_LATER = "<p>The curves appear as soon as the optimum F* is known, which they are measured against.</p>"


def known(view: View, part: str) -> Hashable:
    """Return what tells one state of a run's records from another: with the same, the same is drawn."""
    if view.result is not None:
        return view.result.recorded.tobytes()
    return None if view.early is None or part != STUDY else ("early", view.early.recorded.tobytes())


def picture(view: View, page: str, part: str, look: Look, pinned: Sequence[Pinned] = ()) -> bytes:
    """Return a part of the page in JSON: HTML above its charts, the charts, and HTML below them.

    The ``pinned`` runs are those of the look that the visitor may see, and that have something to show.
    """
    result = view.result
    if result is None:
        return _starting(view, page, look) if part == STUDY else joined(_LATER)
    at = look.at if look.at is not None and result.place(look.at) is not None else None
    return _study(result, page, look, at, pinned) if part == STUDY else _BELOW_IT[part](result, page, look, at)


def joined(above: str, *charts: bytes, below: str = "") -> bytes:
    """Return a picture in JSON: HTML above its charts, the charts, and HTML below them."""
    words = json.dumps({"above": above, "below": below})
    return b'%s, "charts": [%s]}' % (words[:-1].encode(), b", ".join(charts))


def _starting(view: View, page: str, look: Look) -> bytes:
    """Draw the axes, and as soon as there are records the objective itself, until F* is known to measure it from."""
    drawn = beginning(view.spec, view.early, mark=look.lam, theme=look.theme)
    (left, finding, _), (right, _, _) = (without_title(each) for each in drawn)
    caption = "The objective itself; as soon as the optimum F* is known, the curves are measured from there."
    return joined(
        starting(view.spec, look.theme),
        encoded(
            left, key=f"{page}-sensitivity", height=HEIGHT, label=finding, name="sensitivity",
            title="Sensitivity to the step size", caption=caption,
        ),
        encoded(right, key=f"{page}-curves", height=HEIGHT, label=finding, name="curves", caption=caption),
    )  # fmt: skip


def _study(result: Result, page: str, look: Look, at: float | None, pinned: Sequence[Pinned]) -> bytes:
    by = look.by
    figure, finding, about = without_title(sensitivity(result, by=by, mark=look.lam, chosen=at, theme=look.theme))
    haunt_sensitivity(figure, result, pinned, by, look.theme)
    left = encoded(
        figure, key=f"{page}-sensitivity", height=HEIGHT, label=finding, name="sensitivity",
        title="Sensitivity to the step size",
        caption=f"{capital(about)}. A wide valley forgives a badly chosen λ. Click a point to see its curves. "
        f"{told(result, pinned)}",
    )  # fmt: skip
    lambdas = None if at is None else dict.fromkeys(result.spec.methods, at)
    figure, finding, about = without_title(curves(result, lambdas, measure=by.measure, theme=look.theme))
    haunt_curves(figure, result, pinned, by.measure, at, look.theme)
    right = encoded(
        figure, key=f"{page}-curves", height=HEIGHT, label=finding, name="curves",
        caption=f"{'. '.join(filter(None, (finding, capital(about))))}. {_height(result, by.measure)}",
    )  # fmt: skip
    return joined(verdict(result, by, look.lam, look.theme, pinned), left, right)


def _parts(result: Result, page: str, look: Look, at: float | None) -> bytes:
    lambdas = None if at is None else dict.fromkeys(result.spec.methods, at)
    where = "Each method at its best λ" if at is None else f"At λ = {number(at)}"
    return _below(
        page, "parts", parts(result, lambdas, measure=look.measure, theme=look.theme),
        f"{where}, on the evaluation points. F̃(θ̄, ᾱ) − F* is the sum of two parts: how far the "
        f"{risk_name(result.spec.problem)} of the model θ̄ is above the best (filled), "
        "and what its threshold ᾱ adds because it is not at VaR (open, pale). Whoever deploys θ̄ lives with the first",
    )  # fmt: skip


def _iterations(result: Result, page: str, look: Look, at: float | None) -> bytes:
    return _below(
        page, "iterations", iterations_to(result, by=look.by, chosen=at, theme=look.theme),
        "The share of the gap in the sidebar changes ε",
    )  # fmt: skip


def _below(page: str, name: str, drawn: Figure, caption: str) -> bytes:
    figure, finding, words = without_title(drawn)
    told = ". ".join(filter(None, (capital(words), caption)))
    chart = encoded(
        figure, key=f"{page}-{name}", height=_BELOW, label=finding, name=name, title=finding, caption=f"{told}."
    )
    return joined("", chart)


def _measures(result: Result, page: str, look: Look, at: float | None) -> bytes:
    """Draw the measures against λ, and along the run at the chosen λ, by default each method's best."""
    if not result.measures:  # not on data
        return joined("")
    lambdas = None if at is None else dict.fromkeys(result.spec.methods, at)
    where = "at the best λ of each" if at is None else "at the λ that you chose"
    drawn = {
        "measures": (measures_by_lambda(result, chosen=at, theme=look.theme), "After the run, by λ"),
        "measures-along": (measures_along(result, lambdas, theme=look.theme), f"Along the run, {where}"),
    }
    charts = []
    for name, (made, when) in drawn.items():
        figure, finding, words = without_title(made)
        caption = f"{when}. {capital(words)}."
        charts.append(
            encoded(figure, key=f"{page}-{name}", height=_BELOW, label=finding, title=finding, caption=caption)
        )
    return joined("", *charts, below=about_data(result))


_BELOW_IT: dict[str, Callable[[Result, str, Look, float | None], bytes]] = {
    "parts": _parts, "iterations": _iterations, "measures": _measures,
}  # fmt: skip
PARTS = (STUDY, *_BELOW_IT)


def _height(result: Result, measure: str) -> str:
    """Say what the curves' height is."""
    if measure != RISK:
        return "How far F̃ at the averaged iterate, model and threshold together, is above F*."
    where = "" if result.true_excess_risk is None else ", in the whole population"
    return f"How far the {risk_name(result.spec.problem)} of the averaged model is above the best{where}."
