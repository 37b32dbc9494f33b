"""Open every page by thousands of mangled links: ``python -m tools.fuzz``, from the project's folder.

A link is all that a stranger needs to make the server do something. Whatever it says, the page must come up without a
fault, in bounded time, and leave nothing behind that grows.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import urlencode

from streamlit.config import set_option
from streamlit.testing.v1 import AppTest

import app
from cvar_core.jobs import Limits, Manager, Uploads
from cvar_core.store import Store
from pages.components.sending import server as service

PAGES = tuple(app.PAGES)
_RUNNING = ("explore", "data")  # which have most to mangle
_FOLDER = Path(__file__).parent.parent / "pages"
_PATIENCE = 60  # seconds for one page
_RUNS_OPEN = 100  # links after which the server forgets the runs that they have started
_NUMBERS = (
    "0", "1", "-1", "2", "0.5", "0.95", "0.999999", "1e-300", "1e300", "1e400", "-0.0", "nan", "inf", "-inf", "1_000",
    "0x10", "1,5", "٣", "1e6", "10" * 40, "9" * 5_000, "1000000000000",
)  # fmt: skip
_WORDS = (
    "", " ", "null", "None", "true", "squared", "absolute", "logistic", "huber", "normal", "lognormal", "student",
    "spl+", "sgm", "paper", "range", "list", "best", "90%", "99.99%", "100%", "constant", "<script>alert(1)</script>",
    "](javascript:1)", "$x$", "**b**", ":red[x]", "../../etc/passwd", "%00", "\x00", "😀", "a" * 20_000,
    "'; DROP TABLE runs; --", "{}", "[]", "[1,2,3]", "1,2,3", "1:2:3", "1e-6:1e4:200", "1e-6:1e4:1000000000",
    ",", ":::", "\n", "١٢٣", "wine", "diabetes", "mushrooms", "none", "hold out a share", "class_1",
)  # fmt: skip


class Case(NamedTuple):
    page: str
    link: dict[str, list[str]]

    def __str__(self) -> str:
        return f"{self.page}?{urlencode(self.link, doseq=True)}"[:300]


@dataclass
class Story:
    """What the pages went through."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {page: [] for page in PAGES})
    faults: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # bytes of this process, after each hundred links


class _Idle(Executor):
    """Takes work and never does it: here it is the pages that are tried, not the kernels."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


def fuzz(cases: int, seed: int) -> Story:
    """Open so many links, and return what happened."""
    rng, story = random.Random(seed), Story()
    set_option("client.showErrorDetails", "full")  # to us, not to visitors
    with (
        TemporaryDirectory() as folder,
        patch("streamlit.page_link"),  # a page alone has no others
        patch.object(service, "manager") as manager,
        patch.object(service, "uploads", lambda: Uploads(Path(folder), Limits())),
    ):
        manager.return_value = _manager()
        names = {page: _controls(page) for page in PAGES}
        for count, case in enumerate(_cases(rng, names, cases)):
            if count % _RUNS_OPEN == 0:
                manager.return_value = _manager()
                gc.collect()
                story.memory.append(_memory())
            begun = time.perf_counter()
            page = _opened(case.page, case.link)
            story.seconds[case.page].append(time.perf_counter() - begun)
            if page.exception:
                story.faults.append(f"{page.exception[0].message[-300:]} at {case}")
    return story


def _memory() -> int:
    """Return the bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _manager() -> Manager:
    return Manager(Store.open(None), _Idle(), 2, Limits())


def _opened(page: str, link: dict[str, list[str]]) -> AppTest:
    opened = AppTest.from_file(str(_FOLDER / f"{page}.py"), default_timeout=_PATIENCE)
    for name, values in link.items():
        opened.query_params[name] = values
    return opened.run()


def _controls(page: str) -> list[str]:
    """Return the names that a page takes from its link, and some that it does not."""
    state = _opened(page, {}).session_state._state.filtered_state
    known = sorted(name for name in state if isinstance(name, str) and name.startswith(f"{page}_"))
    return [*known, f"{page}_nothing", "x", "explore_lambdas", "explore_noise"]


def _cases(rng: random.Random, names: dict[str, list[str]], count: int) -> Iterator[Case]:
    for number in range(count):
        page = PAGES[number % len(PAGES)] if number < len(PAGES) or rng.random() < 0.5 else rng.choice(_RUNNING)
        asked = rng.sample(names[page], k=min(len(names[page]), rng.choice((1, 1, 2, 3, 8))))
        yield Case(page, {name: [_value(rng) for _ in range(rng.choice((1, 1, 1, 2, 30)))] for name in asked})


def _value(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.45:
        return rng.choice(_NUMBERS)
    if kind < 0.85:
        return rng.choice(_WORDS)
    if kind < 0.95:
        return f"{rng.uniform(-1, 1) * 10 ** rng.uniform(-12, 12):.{rng.randint(1, 17)}g}"
    return "".join(chr(rng.randint(1, 0x2FFF)) for _ in range(rng.randint(1, 40)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    os.environ.setdefault("STREAMLIT_LOGGER_LEVEL", "error")
    story = fuzz(arguments.cases, arguments.seed)
    for page, seconds in story.seconds.items():
        if seconds:
            ordered = sorted(seconds)
            middle, longest = ordered[len(ordered) // 2], ordered[-1]
            print(f"{page:10}{len(ordered):6} links, median {middle:.3f} s, longest {longest:.2f} s")
    megabytes = [f"{size / 2**20:.0f}" for size in story.memory]
    print(f"memory: {', '.join(megabytes)} MB")
    print(*story.faults, sep="\n")
    sys.exit(f"{len(story.faults)} faults" if story.faults else 0)


if __name__ == "__main__":
    main()
