"""The engine: many runs at once, in chunks that can be stopped, stored and resumed."""

from .engine import Records, Seconds, Shard, State, advance, next_stop, shards, start
from .runner import Outcome, Progress, run, run_on

__all__ = [
    "Outcome",
    "Progress",
    "Records",
    "Seconds",
    "Shard",
    "State",
    "advance",
    "next_stop",
    "run",
    "run_on",
    "shards",
    "start",
]
