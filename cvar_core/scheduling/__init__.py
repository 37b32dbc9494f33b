"""Scheduling: runs are cut into pieces, which are data, and the pieces are shared out among workers."""

from .order import clock
from .performing import Drawn, Found, Solved, Stepped, perform
from .piece import Draw, Piece, Solve, Step
from .preparation import Preparation
from .scheduler import Owner, Scheduler, threads
from .sweeping import WAITING, Keeper, Progress, run, run_on
from .under_way import Cut, Run, Save
from .work import Pace, Work, left, progress
from .workshop import Workplace, Workshop

__all__ = [
    "WAITING",
    "Cut",
    "Draw",
    "Drawn",
    "Found",
    "Keeper",
    "Owner",
    "Pace",
    "Piece",
    "Preparation",
    "Progress",
    "Run",
    "Save",
    "Scheduler",
    "Solve",
    "Solved",
    "Step",
    "Stepped",
    "Work",
    "Workplace",
    "Workshop",
    "clock",
    "left",
    "perform",
    "progress",
    "run",
    "run_on",
    "threads",
]
