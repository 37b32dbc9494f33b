"""Results: the records of a sweep, which step sizes are usable, and verdicts in words."""

from .certainty import Interval, coverage, share_at_least
from .chosen import Chosen
from .compared import Comparison
from .criterion import GAP_TO_CLOSE, MEASURES, OBJECTIVE, RISK, Criterion, criterion
from .deciding import next_check
from .early import Early
from .gathered import Gathered
from .grid import place
from .judged import Judged, Summary
from .of_methods import of_methods
from .readable import (
    best,
    counted,
    decades,
    interval,
    listed,
    number,
    percent,
    risk_in_words,
    risk_name,
    round_up,
    subject,
    sureness,
    width,
)
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
from .sharpened import Sharpened, Sharpening, largest
from .sharpened_sentences import asked_words, sharpened_cost, sharpened_lines, sharpened_sureness
from .sharpening import WIDTH, Sharp
from .spread import Spread, spread
from .undecided import best_is_none, deciding_level, undecided
from .verdict import EDGE, NOT_SAFE, NOT_YET, SAFE, SO_FAR, SURE, UNKNOWN, Verdict
from .verdict_sentences import GAP, JUDGED_BY, advice, how_near, judgement, margin, starts_fine
from .verdicts import Verdicts

__all__ = [
    "EDGE",
    "GAP",
    "GAP_TO_CLOSE",
    "JUDGED_BY",
    "MEASURES",
    "NOT_SAFE",
    "NOT_YET",
    "OBJECTIVE",
    "RISK",
    "SAFE",
    "SO_FAR",
    "SURE",
    "UNKNOWN",
    "WIDTH",
    "Choice",
    "Chosen",
    "Comparison",
    "Criterion",
    "Early",
    "Forgiven",
    "Gathered",
    "Interval",
    "Judged",
    "Recommended",
    "Result",
    "Sharp",
    "Sharpened",
    "Sharpening",
    "Spread",
    "Summary",
    "UsableRange",
    "Verdict",
    "Verdicts",
    "advice",
    "against_constant",
    "asked_words",
    "beginning",
    "best",
    "best_is_none",
    "blurred",
    "certainty",
    "counted",
    "coverage",
    "criterion",
    "decades",
    "deciding_level",
    "disagreement",
    "few",
    "finding",
    "found_by",
    "how_near",
    "interval",
    "judgement",
    "largest",
    "listed",
    "margin",
    "measured",
    "most_forgiving",
    "next_check",
    "number",
    "of_methods",
    "percent",
    "place",
    "remarks",
    "risk_in_words",
    "risk_name",
    "round_up",
    "share_at_least",
    "sharpened_cost",
    "sharpened_lines",
    "sharpened_sureness",
    "spread",
    "starts_fine",
    "subject",
    "sureness",
    "take",
    "undecided",
    "unusable",
    "width",
]
