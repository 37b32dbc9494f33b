"""The paper's synthetic study: its nine panels, the results that ship here, and what became of its claims."""

from .again import Recomputation
from .claims import Claim, claims, headline
from .compute import compute
from .difference import Difference, difference
from .nine_panels import LOSSES, NOISES, name, panels
from .page import html
from .shipped import SHIPPED, Study, packed, read, shipped
from .slips import SLIPS

__all__ = [
    "LOSSES",
    "NOISES",
    "SHIPPED",
    "SLIPS",
    "Claim",
    "Difference",
    "Recomputation",
    "Study",
    "claims",
    "compute",
    "difference",
    "headline",
    "html",
    "name",
    "packed",
    "panels",
    "read",
    "shipped",
]
