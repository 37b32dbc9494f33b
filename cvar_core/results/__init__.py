"""Results: the records of a sweep, which step sizes are usable, and verdicts in words."""

from .certainty import Interval, coverage, share_at_least
from .compared import Comparison
from .criterion import GAP_TO_CLOSE, MEASURES, OBJECTIVE, RISK, Criterion, criterion
from .early import Early
from .gathered import Gathered
from .grid import place
from .judged import Judged, Summary
from .readable import best, decades, interval, listed, number, percent, round_up, sureness, width
from .recommended import Choice, Recommended
from .recommended_sentences import most_forgiving, take, unusable
from .result import Result
from .result_sentences import (
    against_constant,
    beginning,
    blurred,
    certainty,
    disagreement,
    few,
    finding,
    found_by,
    measured,
    remarks,
)
from .robustness import Forgiven, UsableRange
from .spread import Spread, spread
from .verdict import EDGE, NOT_SAFE, SAFE, SO_FAR, SURE, UNKNOWN, Verdict
from .verdict_sentences import GAP, JUDGED_BY, advice, judgement, margin, starts_fine

__all__ = [
    "EDGE",
    "GAP",
    "GAP_TO_CLOSE",
    "JUDGED_BY",
    "MEASURES",
    "NOT_SAFE",
    "OBJECTIVE",
    "RISK",
    "SAFE",
    "SO_FAR",
    "SURE",
    "UNKNOWN",
    "Choice",
    "Comparison",
    "Criterion",
    "Early",
    "Forgiven",
    "Gathered",
    "Interval",
    "Judged",
    "Recommended",
    "Result",
    "Spread",
    "Summary",
    "UsableRange",
    "Verdict",
    "advice",
    "against_constant",
    "beginning",
    "best",
    "blurred",
    "certainty",
    "coverage",
    "criterion",
    "decades",
    "disagreement",
    "few",
    "finding",
    "found_by",
    "interval",
    "judgement",
    "listed",
    "margin",
    "measured",
    "most_forgiving",
    "number",
    "percent",
    "place",
    "remarks",
    "round_up",
    "share_at_least",
    "spread",
    "starts_fine",
    "sureness",
    "take",
    "unusable",
    "width",
]
