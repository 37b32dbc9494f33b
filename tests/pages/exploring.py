"""Explore under ``AppTest``, with runs that take a blink."""

import functools
import re
from typing import Any

from streamlit.testing.v1 import AppTest

from cvar_core import Problem, ProblemSpec, Result, SweepSpec, sweep
from cvar_core.jobs import Manager
from tests.pages import opening
from tests.pages.held import Held
from tests.pages.opening import button, shown
from tests.pages.reading import Figure

_SMALL = {"explore_eval_size": "2000", "explore_iterations": "300", "explore_seeds": "2"}


def small(problem: dict[str, Any] | None = None, **fields: Any) -> SweepSpec:
    """Return what the small link asks for, or something near it."""
    return SweepSpec(
        ProblemSpec(**{"noise": "normal", "eval_size": 2_000, **(problem or {})}),
        **{"iterations": 300, "seeds": 2, **fields},
    )


def opened(**link: Any) -> AppTest:
    return opening.opened("pages/explore.py", **link)


def opened_small(**link: Any) -> AppTest:
    return opened(**{**_SMALL, **link})


def finished(held: Held, **link: Any) -> AppTest:
    """Open a small run, and look at it again when it is done."""
    page = opened_small(**link)
    held.work()
    return shown(page.run())


def run_another(page: AppTest, held: Held, loss: str) -> SweepSpec:
    """Choose another loss, and let it run to its end."""
    page = shown(page.selectbox(key="explore_loss").set_value(loss).run())
    shown(button(page, "Run").click().run())
    held.work()
    return small({"loss": loss})


def halfway(jobs: Manager, held: Held, spec: SweepSpec | None = None, records: int = 5) -> None:
    """Work until every curve has so many records."""
    spec = spec or small()

    def come_so_far() -> bool:
        result = jobs.view(spec, "").result
        return result is not None and result.recorded.min() >= records

    held.until(come_so_far)
    assert jobs.view(spec, "").status == "running"


def words(page: AppTest) -> str:
    """Return all that can be read on the page, without the escapes of what visitors typed."""
    return re.sub("</?abbr.*?>", "", opening.words(page)).replace("\\", "")


def tab(page: AppTest, name: str) -> AppTest:
    page.session_state["explore_panel"] = name
    return shown(page.run())


def curve(figure: Figure | None) -> dict[str, Any] | None:
    """Return SPL₊'s median on a chart, if both are there."""
    return next((trace for trace in (figure or {"data": []})["data"] if trace.get("uid") == "spl+-median"), None)


@functools.cache
def result_of(spec: SweepSpec) -> Result:
    return sweep(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule,
        checkpoints=spec.checkpoints,
    )  # fmt: skip
