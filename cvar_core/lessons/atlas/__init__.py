"""The atlas: many problems, every method, every step size, and which one is safe in general."""

from .atlas_file import SHIPPED, packed, read, shipped, versions, write
from .atlas_table import SIGNS, cells, every_number, failures_first
from .charted import STATES, Atlas, Charted, charted, joined
from .charting import Step, chart
from .entries import AS_DRAWN, LAMBDAS, METHODS, PREPARED, RAW, SEEDS, STANDARDISED, Entry, sweep_of
from .every_problem import every_problem
from .filters import Filter, choices, filtered
from .origins import CHOOSING, HELD_OUT, KINDS, MADE, REAL, ROLES, SEEN, SYNTHETIC, Missing, TableSet
from .reopening import command, recipe
from .shares import SOLVED, Record, Shares, View, record
from .table_sets import SETS
from .taken_apart import only

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
    "SIGNS",
    "SOLVED",
    "STANDARDISED",
    "STATES",
    "SYNTHETIC",
    "Atlas",
    "Charted",
    "Entry",
    "Filter",
    "Missing",
    "Record",
    "Shares",
    "Step",
    "TableSet",
    "View",
    "cells",
    "chart",
    "charted",
    "choices",
    "command",
    "every_number",
    "every_problem",
    "failures_first",
    "filtered",
    "joined",
    "only",
    "packed",
    "read",
    "recipe",
    "record",
    "shipped",
    "sweep_of",
    "versions",
    "write",
]
