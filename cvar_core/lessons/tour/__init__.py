"""What the Tour shows: two lines through one scatter, and numbers that ship, so that the page opens at once."""

from .computing import compute
from .facts import SHIPPED, Facts, Losses, Promise, Swept, Threshold, Units, shipped, written
from .two_fits import LEVELS, Fit, deliveries, fitted

__all__ = [
    "LEVELS",
    "SHIPPED",
    "Facts",
    "Fit",
    "Losses",
    "Promise",
    "Swept",
    "Threshold",
    "Units",
    "compute",
    "deliveries",
    "fitted",
    "shipped",
    "written",
]
