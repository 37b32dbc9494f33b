"""The atlas: many problems, every method, every step size, and which one is safe in general."""

from .atlas_file import SHIPPED, packed, read, shipped, versions, write
from .charted import STATES, Atlas, Charted, charted, joined
from .charting import Step, chart
from .entries import AS_DRAWN, LAMBDAS, METHODS, PREPARED, RAW, SEEDS, STANDARDISED, Entry, sweep_of
from .every_problem import every_problem
from .origins import CHOOSING, HELD_OUT, KINDS, MADE, REAL, ROLES, SEEN, SYNTHETIC, Missing, TableSet
from .shares import Record, Shares, View, record
from .table_sets import SETS

__all__ = [
    "AS_DRAWN",
    "CHOOSING",
    "HELD_OUT",
    "KINDS",
    "LAMBDAS",
    "MADE",
    "METHODS",
    "PREPARED",
    "RAW",
    "REAL",
    "ROLES",
    "SEEDS",
    "SEEN",
    "SETS",
    "SHIPPED",
    "STANDARDISED",
    "STATES",
    "SYNTHETIC",
    "Atlas",
    "Charted",
    "Entry",
    "Missing",
    "Record",
    "Shares",
    "Step",
    "TableSet",
    "View",
    "chart",
    "charted",
    "every_problem",
    "joined",
    "packed",
    "read",
    "record",
    "shipped",
    "sweep_of",
    "versions",
    "write",
]
