"""The engine: many runs at once, in chunks that can be stopped, stored and resumed."""

from .cost import Cost, cost, memory
from .engine import Averaged, Reached, Records, Seconds, Shard, State, advance, averaged, next_stop, shards, start, step

__all__ = [
    "Averaged",
    "Cost",
    "Reached",
    "Records",
    "Seconds",
    "Shard",
    "State",
    "advance",
    "averaged",
    "cost",
    "memory",
    "next_stop",
    "shards",
    "start",
    "step",
]
