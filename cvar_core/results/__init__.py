"""Results: the records of a sweep, which step sizes are usable, and verdicts in words."""

from .criterion import GAP_TO_CLOSE, MEASURES, OBJECTIVE, RISK, Criterion, criterion
from .gathered import Gathered
from .grid import place
from .judged import Judged, Summary
from .result import Result
from .robustness import Forgiven, UsableRange, coverage
from .spread import Spread, spread
from .verdict import Verdict
from .words import (
    GAP,
    JUDGED_BY,
    advice,
    against_constant,
    beginning,
    blurred,
    certainty,
    decades,
    disagreement,
    finding,
    interval,
    judgement,
    margin,
    measured,
    number,
    round_up,
    sureness,
    width,
)

__all__ = [
    "GAP",
    "GAP_TO_CLOSE",
    "JUDGED_BY",
    "MEASURES",
    "OBJECTIVE",
    "RISK",
    "Criterion",
    "Forgiven",
    "Gathered",
    "Judged",
    "Result",
    "Spread",
    "Summary",
    "UsableRange",
    "Verdict",
    "advice",
    "against_constant",
    "beginning",
    "blurred",
    "certainty",
    "coverage",
    "criterion",
    "decades",
    "disagreement",
    "finding",
    "interval",
    "judgement",
    "margin",
    "measured",
    "number",
    "place",
    "round_up",
    "spread",
    "sureness",
    "width",
]
