"""The pictures of the Models page for every update, with the words that move with them."""

from __future__ import annotations

import functools
import html
from collections.abc import Sequence

from cvar_core.figures.lessons.model_cuts_charts import model_slices, objectives
from cvar_core.figures.lessons.models_charts import model_planes, planes
from cvar_core.figures.palette import glyph, style
from cvar_core.lessons.models import Setup, Update, updates
from cvar_core.results import number

from ..drawing.moving_frames import Panel, Picture, Written, written
from .update_in_words import case, heading

COUNT = 31  # updates
_PLANE, _SLICE, _FALL = 236, 158, 250  # px
_LEAST = 190  # px

_LEGEND = (
    '<p class="cvar-legend"><b>Shaded</b>, and grey in the cut along the step below: F, with its kink on the thin '
    "curve α = ℓ(θ). <b>Dashed</b>: the method's model. <b>Dotted</b>: a price for going far; in the cut, model and "
    "price. <b>Click a picture to start there.</b></p>"
)


@functools.lru_cache(maxsize=32)  # half a megabyte each: the slider of the updates, and a class, ask for the same
def panels(setup: Setup, names: tuple[str, ...], axes: str, theme: str) -> Written:
    """Return the panels of the methods for a setup, ready to be sent."""
    paths = {name: updates(name, setup, COUNT) for name in names}
    shown = planes(paths, axes)
    found = [_method(path, model_planes(path, shown[name], theme=theme), theme) for name, path in paths.items()]
    fall = Picture(
        objectives(paths, COUNT, theme=theme), "models-fall", _FALL, [_fallen(paths, k) for k in range(COUNT)]
    )
    after = ["<h2>F after each update</h2>"]
    whole = [Panel(below=[_LEGEND], wide=True), *found, Panel([fall], above=after, wide=True)]
    return written(whole, [_label(setup, k) for k in range(COUNT)], name="Update", least=_LEAST)


def _method(path: Sequence[Update], pictures: list[dict], theme: str) -> Panel:
    name = path[0].method
    places = [min(k, len(path) - 1) for k in range(COUNT)]
    gone = len(path) < COUNT or not path[-1].finite
    said = [heading(path[place]) if k < len(path) else _lost(path) for k, place in enumerate(places)]
    mark = f'<span style="color: {style(name, theme).colour}">{glyph(name)}</span>'
    cuts = model_slices(path, theme=theme)
    safe = name.replace("+", "-plus")
    return Panel(
        [
            Picture([pictures[place] for place in places], f"models-{safe}", _PLANE, said),
            Picture(
                [cuts[place] for place in places],
                f"models-{safe}-cut",
                _SLICE,
                [f"Along the step. {text}" for text in said],
            ),
        ],
        above=[f"<h2>{mark} {html.escape(text)}</h2>" for text in said],
        below=[f"<p>{case(path[place])}</p>" if k < len(path) or not gone else "" for k, place in enumerate(places)],
    )


def _lost(path: Sequence[Update]) -> str:
    return f"{heading(path[-1]).split(':')[0]}: gone beyond all numbers"


def _label(setup: Setup, k: int) -> str:
    size = f"λ/√{k + 1} = {number(setup.lam / (k + 1) ** 0.5)}" if k else f"λ = {number(setup.lam)}"
    return f"Update {k + 1} of {COUNT}, {size}"


def _fallen(paths: dict[str, tuple[Update, ...]], k: int) -> str:
    return "F so far. " + ". ".join(heading(path[min(k, len(path) - 1)]) for path in paths.values())
