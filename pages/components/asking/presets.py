"""Ready-made experiments, each a spec. The first is what a page opens with."""

from __future__ import annotations

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.specs import PAPER_EVAL_SIZE, PAPER_ITERATIONS

_LONG = PAPER_ITERATIONS
_SIZE = PAPER_EVAL_SIZE // 5  # an answer in a second or two

PRESETS = {
    # Both measures have something to tell here: the start leaves the model much to close.
    "Quick look": SweepSpec(ProblemSpec(noise="normal", eval_size=_SIZE), iterations=_LONG),
    "Where the objective misleads": SweepSpec(
        ProblemSpec(loss="logistic", noise="normal", eval_size=_SIZE), iterations=_LONG
    ),
    "The paper's panel": SweepSpec(ProblemSpec(eval_size=PAPER_EVAL_SIZE), iterations=_LONG),
    "Heavy tails": SweepSpec(
        ProblemSpec(noise="student", noise_params={"df": 2.5, "scale": 2.0}, eval_size=_SIZE), iterations=_LONG
    ),
    "Absolute loss": SweepSpec(ProblemSpec(loss="absolute", noise="normal", eval_size=_SIZE), iterations=_LONG),
    # At β = 0.95 the best classifier decides nothing; at 0.5 it decides.
    "Classification": SweepSpec(
        ProblemSpec(loss="logistic", noise="normal", beta=0.5, eval_size=_SIZE), iterations=_LONG
    ),
    # β = (n−1)/n averages the worst of n losses alone: the max.
    "Max loss": SweepSpec(ProblemSpec(noise="normal", beta=0.999, sample_size=1_000), iterations=_LONG),
}
DEFAULT = PRESETS["Quick look"]
LOOK_AT = {"Where the objective misleads": "0.001"}  # the visitor's λ that shows what a preset is about


def preset_named_by(spec: SweepSpec | None) -> str | None:
    return next((name for name, preset in PRESETS.items() if preset == spec), None)
