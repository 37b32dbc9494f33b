"""Results: the records of a sweep, which step sizes are usable, and verdicts in words."""

from .gathered import Gathered
from .grid import place
from .result import GAP_TO_CLOSE, Result, Summary
from .robustness import UsableRange
from .spread import Spread, spread
from .verdict import Verdict
from .words import advice, certainty, decades, finding, judgement, margin, measured, number

__all__ = [
    "GAP_TO_CLOSE",
    "Gathered",
    "Result",
    "Spread",
    "Summary",
    "UsableRange",
    "Verdict",
    "advice",
    "certainty",
    "decades",
    "finding",
    "judgement",
    "margin",
    "measured",
    "number",
    "place",
    "spread",
]
