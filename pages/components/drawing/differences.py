"""How much more or less a method forgives in the run that is shown than in those that are pinned."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cvar_core.figures.ghosts import STROKES, Pinned
from cvar_core.results import Judged, decades

_ALIKE = 0.05  # decades: less would be written as 0.0


def differences(judged: Judged, method: str, pinned: Sequence[Pinned]) -> str:
    """Return in HTML a line for each pinned run, on the card of a method; nothing where there is no verdict."""
    if judged.nothing_to_close is not None:
        return ""
    return "".join(
        f'<p class="cvar-against"><span aria-hidden="true">{stroke.sample}</span> '
        f"{escape(difference(judged, run.result.judged(judged.criterion), method))} <i>{escape(run.name)}</i></p>"
        for run, stroke in zip(pinned, STROKES, strict=False)
    )


def difference(here: Judged, there: Judged, method: str) -> str:
    """Say in decades what a method forgives against another run, whose name is to follow."""
    if method not in there.result.spec.methods:
        return "not run in"
    if there.at().iteration == 0:
        return "just starting:"
    if there.nothing_to_close is not None:
        return "no verdict in"
    mine, theirs = here.forgiven[method], there.forgiven[method]
    if mine.decades is None or theirs.decades is None:
        return f"{decades(theirs)} in"
    more = mine.decades - theirs.decades
    bounds = {(False, False): "", (True, False): "≥ ", (False, True): "≤ ", (True, True): "about "}
    bound, size = bounds[mine.at_least, theirs.at_least], f"{abs(more):.1f}"
    if abs(more) < _ALIKE:
        return f"{'about ' if bound else ''}as many decades as"
    return f"{bound}{'+' if more > 0 else '−'}{size} decade{'' if size == '1.0' else 's'} against"
