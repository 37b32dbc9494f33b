"""What is drawn of a run: the verdict with its two charts, and the charts of the tabs below."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from cvar_core import Result, SweepSpec
from cvar_core.catalogue import methods
from cvar_core.figures import (
    Figure,
    beginning,
    curves,
    glyph,
    how_strict,
    ink,
    iterations_to,
    measures_along,
    measures_by_lambda,
    parts,
    sensitivity,
    theme_named,
    without_title,
)
from cvar_core.figures.frame import titled
from cvar_core.figures.ghosts import Pinned, haunt_curves, haunt_sensitivity, told
from cvar_core.jobs import View
from cvar_core.results import RISK, number, of_methods, risk_name, subject

from .chart import encoded
from .look import Look
from .on_data import about_data
from .text import capital
from .verdict_cards import starting, verdict

HEIGHT = 430  # px of the two charts
_BELOW = 400  # px of a chart in a tab
_TOP = 34  # px above the curves, for the handle of your λ

STUDY = "study"
_ALL_HIDDEN = "Every method is hidden: a click on its card shows it again"
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
    left, right = beginning(view.spec, view.early, mark=look.lam, theme=look.theme)
    caption = "The objective itself; as soon as the optimum F* is known, the curves are measured from there."
    return joined(starting(view.spec, look.theme), *_pair(view.spec, page, look, (left, caption), (right, caption)))


def _study(result: Result, page: str, look: Look, at: float | None, pinned: Sequence[Pinned]) -> bytes:
    by = look.by
    left = _drawn(sensitivity, result, look, by=by, mark=look.lam, chosen=at)
    lambdas = None if at is None else dict.fromkeys(result.spec.methods, at)
    right = _drawn(curves, result, look, lambdas=lambdas, measure=by.measure)
    haunt_sensitivity(left, result, pinned, by, look.theme)
    haunt_curves(right, result, pinned, by.measure, at, look.theme)
    bars = ""
    if "yaxis3" in left["layout"]:
        bars = "Dashed: ε, the gap that a usable λ may leave. Bars: the usable λ of each method, marked at its best. "
    about = [f"{capital(without_title(each)[2])}." for each in (left, right)]
    ghosts = told(result, pinned)
    charts = _pair(
        result.spec, page, look, (left, f"{about[0]} {bars}Drag your λ; click a point to see its curves. {ghosts}"),
        (right, f"{about[1]} {_height(result, by.measure)}"),
    )  # fmt: skip
    return joined(verdict(result, by, look.lam, look.theme, pinned), *charts)


def _drawn(draw: Callable[..., Figure], result: Result, look: Look, **how: Any) -> Figure:
    """Draw all methods, those that the browser hides too; but have the title be about those that are seen."""
    whole = draw(result, **how, theme=look.theme)
    seen = [name for name in result.spec.methods if name not in look.hidden]
    if len(seen) == len(result.spec.methods):
        return whole
    title = titled(_ALL_HIDDEN, "", theme_named(look.theme))
    if seen:
        title = draw(of_methods(result, seen), **how, theme=look.theme)["layout"]["title"]
    return {**whole, "layout": {**whole["layout"], "title": title}}


def _pair(spec: SweepSpec, page: str, look: Look, *drawn: tuple[Figure, str]) -> list[bytes]:
    """Return the two main charts with their captions: the cards above are their legend, their titles the findings."""
    whose = {
        "names": {method: f"{glyph(method)} {methods[method].label}" for method in spec.methods},
        "inks": {method: ink(method, look.theme) for method in spec.methods},
    }
    said = {
        "sensitivity": {"before": "λ = ", "after": "", **whose},
        "curves": {"before": "after ", "after": " iterations", **whose},
    }
    grids = {"sensitivity": {"grid": list(spec.lambdas)}, "curves": {}}
    charts = []
    for name, (whole, caption) in zip(said, drawn, strict=True):
        figure, finding, _ = without_title(whole)
        figure["layout"] |= {"showlegend": False, "margin": {**figure["layout"]["margin"], "t": _TOP}}
        charts.append(encoded(
            figure, key=f"{page}-{name}", height=HEIGHT, label=finding, title=finding, caption=caption,
            name=_file_name(name, spec), readout=said[name], file=_for_a_file(whole, spec), **grids[name],
        ))  # fmt: skip
    return charts


def _file_name(name: str, spec: SweepSpec) -> str:
    """Return the name of a chart's file: what it shows, and of which problem."""
    problem = spec.problem
    return f"{name}-{problem.loss}-{problem.noise or 'data'}-beta-{problem.beta:g}"


def _for_a_file(whole: Figure, spec: SweepSpec) -> dict[str, Any]:
    """Return the title of a chart's file, with the problem below the finding, and the room for it and for a legend."""
    layout = whole["layout"]
    about = layout["title"]["subtitle"]
    title = {**layout["title"], "subtitle": {**about, "text": subject(spec.problem)}}
    return {"title": title, "top": layout["margin"]["t"]}


def _parts(result: Result, page: str, look: Look, at: float | None) -> bytes:
    lambdas = None if at is None else dict.fromkeys(result.spec.methods, at)
    where = "Each method at its best λ" if at is None else f"At λ = {number(at)}"
    return _below(
        result.spec, page, "parts", parts(result, lambdas, measure=look.measure, theme=look.theme),
        f"{where}, on the evaluation points. F̃(θ̄, ᾱ) − F* is the sum of two parts: how far the "
        f"{risk_name(result.spec.problem)} of the model θ̄ is above the best (filled), "
        "and what its threshold ᾱ adds because it is not at VaR (open, pale). Whoever deploys θ̄ lives with the first",
    )  # fmt: skip


def _iterations(result: Result, page: str, look: Look, at: float | None) -> bytes:
    return _below(
        result.spec, page, "iterations", _drawn(iterations_to, result, look, by=look.by, chosen=at),
        "The share of the gap in the sidebar changes ε",
    )  # fmt: skip


def _strictness(result: Result, page: str, look: Look, at: float | None) -> bytes:
    return _below(
        result.spec, page, "how-strict", _drawn(how_strict, result, look, by=look.by),
        "How many decades of λ each method forgives, if this share of the gap has to be closed. Further to "
        "the right is stricter: where a curve falls steeply, the verdict hangs on the share that you ask for",
    )  # fmt: skip


def _below(spec: SweepSpec, page: str, name: str, drawn: Figure, caption: str) -> bytes:
    figure, finding, words = without_title(drawn)
    told = ". ".join(filter(None, (capital(words), caption)))
    chart = encoded(
        figure, key=f"{page}-{name}", height=_BELOW, label=finding, name=_file_name(name, spec), title=finding,
        caption=f"{told}.", file=_for_a_file(drawn, spec),
    )  # fmt: skip
    return joined("", chart)


def _measures(result: Result, page: str, look: Look, at: float | None) -> bytes:
    """Draw the measures against λ, and along the run at the chosen λ, by default each method's best."""
    if not result.measures:  # not on data
        return joined("")
    lambdas = None if at is None else dict.fromkeys(result.spec.methods, at)
    where = "at the best λ of each" if at is None else "at the λ that you chose"
    drawn = {
        "measures": (_drawn(measures_by_lambda, result, look, chosen=at), "After the run, by λ"),
        "measures-along": (_drawn(measures_along, result, look, lambdas=lambdas), f"Along the run, {where}"),
    }
    charts = []
    for name, (made, when) in drawn.items():
        figure, finding, words = without_title(made)
        caption = f"{when}. {capital(words)}."
        drawn_so = {"name": _file_name(name, result.spec), "file": _for_a_file(made, result.spec)}
        charts.append(
            encoded(
                figure, key=f"{page}-{name}", height=_BELOW, label=finding, title=finding, caption=caption, **drawn_so
            )
        )
    return joined("", *charts, below=about_data(result))


_BELOW_IT: dict[str, Callable[[Result, str, Look, float | None], bytes]] = {
    "parts": _parts, "iterations": _iterations, "strictness": _strictness, "measures": _measures,
}  # fmt: skip
PARTS = (STUDY, *_BELOW_IT)


def _height(result: Result, measure: str) -> str:
    """Say what the curves' height is."""
    if measure != RISK:
        return "How far F̃ at the averaged iterate, model and threshold together, is above F*."
    where = "" if result.true_excess_risk is None else ", in the whole population"
    return f"How far the {risk_name(result.spec.problem)} of the averaged model is above the best{where}."
