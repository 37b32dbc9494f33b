"""Runs coroutines in a thread of their own: a browser of other tests may have an event loop in this one."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_aside(story: Coroutine[Any, Any, T]) -> T:
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, story).result()
