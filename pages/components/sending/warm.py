"""What the first visitor would else wait for: libraries that are loaded and kernels that are read on first use."""

from __future__ import annotations

import threading

from cvar_core import Problem, sweep
from cvar_core.catalogue import losses
from cvar_core.jobs import View
from cvar_core.lessons import atlas
from cvar_core.results import RISK

from ..asking.presets import DEFAULT
from ..drawing.look import Look
from ..drawing.plotly_js import compressed
from ..drawing.run_picture import PARTS, picture

_LATER = 4.0  # seconds after the start, in which whoever opened the page as the server came up is not kept waiting


def up() -> None:
    """Get ready for the run that a page opens with; the other losses follow while the server serves."""
    first = DEFAULT.problem.loss
    _once(first)
    compressed()
    others = [name for name in losses.names() if name != first]
    later = threading.Timer(_LATER, lambda: [_atlas(), *(_once(name) for name in others)])
    later.daemon = True
    later.start()


def _once(loss: str) -> None:
    """Run a tiny sweep, and draw all that a page shows of it."""
    result = sweep(Problem.synthetic(loss=loss, eval_size=300), lambdas=(0.1, 1.0), iterations=10, seeds=1, workers=1)
    for part in PARTS:
        picture(View(result.spec, "done", result=result), "explore", part, Look(lam=1.0))


def _atlas() -> None:
    """Resample the atlas as its page opens."""
    view = atlas.filtered(atlas.shipped(), RISK, atlas.Filter())
    for name in atlas.METHODS:
        view.shares(name)
