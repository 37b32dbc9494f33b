"""How a sharpening is getting on, or what it found and cost: a few lines of the page, in HTML."""

from __future__ import annotations

from html import escape

from cvar_core.jobs import SharpenView
from cvar_core.results import sharpened_cost, sharpened_lines, sharpened_sureness


def sharpening(view: SharpenView) -> str:
    """Return what is known so far, method by method, with what is being done or how it ended."""
    known = view.known
    lines = "".join(f"<li>{escape(line)}.</li>" for line in sharpened_lines(known))
    found = f"<p>{escape(sharpened_sureness(known))}.</p><ul>{lines}</ul>" if lines else ""
    cost = f"{sharpened_cost(known)}." if known.runs else ""
    return f'<div class="cvar-sharpened">{_state(view)}{found}<p class="cvar-quiet">{escape(cost)}</p></div>'


def _state(view: SharpenView) -> str:
    if view.live:
        return f'<p class="cvar-note">Sharpening · {escape(view.doing or "looking at what is stored")} …</p>'
    if view.status == "cancelled":
        return '<p class="cvar-note">Sharpening was cancelled. What was computed is kept.</p>'
    if view.status == "interrupted":
        return '<p class="cvar-note">Sharpening has not come to its end. What was computed is kept.</p>'
    if view.status == "failed":
        return f'<p class="cvar-note">Sharpening stopped. {escape(view.error)}</p>'
    return ""
