"""What one poll costs the server: the study of a finished run drawn again and again, while nothing is computed."""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import NamedTuple

from .server import Server
from .tab import Tab, opened
from .visitor import visit

_ANSWERS = 50  # at a time,
_ROUNDS = 5  # and of each part in turn, so that what else the machine does slows all of them alike
_SETTLE = 2.0  # seconds after the run's end, for what follows it
_PARTS = {  # by a chart that the polled fragment draws, or none
    "a poll of the verdict and the charts": "explore-charts",
    "a poll of the panels below": "explore-iterations",
    "a rerun of the whole page": None,
}


class Cost(NamedTuple):
    what: str
    answers: int
    cpu_ms: float
    wall_ms: float
    kilobytes: float


async def poll_costs(server: Server, floor: Server) -> list[Cost]:
    """Ask for each part, one time after another, and for the floor's. A live run draws the same elements."""
    story = await visit(server.url, "alone", "", seconds=600)
    if story.done is None:
        raise RuntimeError(f"The run did not end: {story.errors}")
    await asyncio.sleep(_SETTLE)
    async with opened(server.url, "") as page, opened(floor.url, "") as empty:
        await anext(page.runs())
        await anext(empty.runs())
        asked = [(floor, empty, "a poll of one empty chart, the least", "floor")]
        asked += [(server, page, what, chart) for what, chart in _PARTS.items()]
        rounds = [[await _cost(*each) for each in asked] for _ in range(_ROUNDS)]
    return [_middle(costs) for costs in zip(*rounds, strict=True)]


def _middle(costs: tuple[Cost, ...]) -> Cost:
    numbers = (median(getattr(cost, name) for cost in costs) for name in ("cpu_ms", "wall_ms", "kilobytes"))
    return Cost(costs[0].what, sum(cost.answers for cost in costs), *numbers)


async def _cost(server: Server, tab: Tab, what: str, chart: str | None) -> Cost:
    size, cpu, begun = 0, server.cpu, time.perf_counter()
    for _ in range(_ANSWERS):
        fragment_id = tab.widgets[chart].fragment_id if chart else ""
        await tab.rerun(fragment_id, automatic=bool(chart))
        run = await anext(tab.runs())
        if run.fragment_ids != ([fragment_id] if chart else []) or not run.elements:
            raise RuntimeError(f"The server has not drawn {what}.")
        size += sum(element.ByteSize() for element in run.elements)
    cpu, wall = server.cpu - cpu, time.perf_counter() - begun
    return Cost(what, _ANSWERS, 1000 * cpu / _ANSWERS, 1000 * wall / _ANSWERS, size / _ANSWERS / 1000)
