"""The store of runs: one SQLite file from which a killed run goes on bit for bit."""

from .keeper import Keeper, opened
from .progressed import Progressed
from .store import Store
from .stored import STATUSES, StoredRun

__all__ = ["STATUSES", "Keeper", "Progressed", "Store", "StoredRun", "opened"]
