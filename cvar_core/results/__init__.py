"""Results: the records of a sweep, which step sizes are usable, and verdicts in words."""

from .result import GAP_TO_CLOSE, Result, Summary, Verdict
from .robustness import UsableRange
from .words import decades, finding, judgement, number

__all__ = [
    "GAP_TO_CLOSE",
    "Result",
    "Summary",
    "UsableRange",
    "Verdict",
    "decades",
    "finding",
    "judgement",
    "number",
]
