"""One update in words: what it did, what its model says of it, and its numbers put into the formula."""

from __future__ import annotations

import html
import re

from cvar_core.catalogue import methods
from cvar_core.catalogue.methods import latex as figure
from cvar_core.lessons.models import Update
from cvar_core.results import number


def heading(step: Update) -> str:
    """Say what the update did to the objective."""
    way = "falls" if step.after < step.before else "stays" if step.after == step.before else "rises"
    return f"{methods[step.method].label}: F {way}, {number(step.before)} → {number(step.after)}"


def case(step: Update) -> str:
    """Say what the model saw, as HTML."""
    told = step.explanation
    if told is None:
        return ""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(told.words))


def beyond(label: str, value: float | None, low: float, high: float) -> str:
    """Say that a slider of tenths cannot be set to a value; nothing, if it can."""
    if value is not None and low <= round(value, 1) <= high:
        return ""
    return (
        f"{label} = {number(value)} is beyond the slider's range, {number(low)} to {number(high)}. Nothing has moved."
    )


def explained(step: Update) -> list[str]:
    """Return the case and the formulas as Markdown, one paragraph each; only what the model tells."""
    return [
        *_case(step),
        rf"$\theta_{{t+1}} = {_moved_theta(step)}$",
        rf"$\alpha_{{t+1}} = {_moved_alpha(step)}$",
    ]


def _case(step: Update) -> list[str]:
    told = step.explanation
    if told is None:
        return ["How this model finds its step, it does not tell."]
    lines = [told.words]
    if told.middle is not None and told.middle[0] < told.middle[1]:
        low, high = map(figure, told.middle)
        lines.append(rf"middle range: ${low} \le \alpha_t \le {high}$")
    return [*lines, *told.formulas]


def _moved_theta(step: Update) -> str:
    if step.weight is None:
        return figure(step.theta)
    moved = f"{figure(float(step.sizes.theta))}\\cdot {figure(step.weight[0])}\\cdot {_signed(step.slope)}"
    return f"{figure(step.setup.theta)} - {moved} = {figure(step.theta)}"


def _moved_alpha(step: Update) -> str:
    if step.weight is None:
        return figure(step.alpha)
    size, (up, down) = figure(float(step.sizes.alpha)), step.weight
    fallen = size if down == 1 else f"{size}\\cdot {figure(down)}"
    return f"{figure(step.setup.alpha)} - {fallen} + {size}\\cdot {figure(up)} = {figure(step.alpha)}"


def _signed(value: float) -> str:
    return f"({figure(value)})" if value < 0 else figure(value)
