"""Run and Cancel, with how long it will take; and how the run that is shown is getting on."""

from __future__ import annotations

import streamlit as st

from cvar_core import Result, SweepSpec
from cvar_core.jobs import Manager, Refused, View
from cvar_core.results import OBJECTIVE, RISK, Criterion, certainty, number

from ..asking.fields import Asked
from ..drawing.text import capital, plain
from .session import Desk


def run_bar(desk: Desk, asked: Asked) -> None:
    """Draw Run for what the controls ask for, and Cancel for the run that is shown."""
    manager, shown = desk.manager, desk.shown
    view = None if asked.spec is None else manager.view(asked.spec, desk.visitor)
    seen = None if shown is None else manager.view(shown.spec, desk.visitor)
    mine = view is not None and view.live and view.watched
    done = view is not None and view.status == "done"
    run, cancel = st.columns(2)
    run.button(
        _label(view), type="primary", icon=":material/play_arrow:", width="stretch", key=f"{desk.page}-run",
        disabled=asked.spec is None or mine or done, on_click=press, args=(desk.page,),
    )  # fmt: skip
    cancel.button(
        "Cancel", icon=":material/stop:", width="stretch", key=f"{desk.page}-cancel",
        disabled=seen is None or not (seen.live and seen.watched), on_click=cancel_run, args=(desk,),
        help="Stops the run that is shown and keeps what was computed; Resume goes on from there.",
    )  # fmt: skip
    st.caption(_about(manager, asked, view))


def _about(manager: Manager, asked: Asked, view: View | None) -> str:
    """Say what Run would do, or why it does nothing."""
    if asked.spec is None:
        return "Mend what is marked in red to run it."
    if view is not None and view.live:
        return (
            "This run is under way." if view.watched else "Somebody else runs this. Join, and it outlives their Cancel."
        )
    if view is not None and view.status == "done":
        return "This run is stored; change something to run it anew."
    left = 1.0 if view is None else 1 - view.progress
    return f"{_runs(asked.spec)}, {_duration(left * manager.estimate(asked.spec))} on this server."


def press(page: str) -> None:
    """Ask for what the controls say to be run."""
    # What is to be run is known when the controls are drawn: a field may have been changed just before the button.
    st.session_state[f"{page}-pressed"] = True


def pressed(page: str) -> bool:
    """Tell, once, whether Run was pressed."""
    return bool(st.session_state.pop(f"{page}-pressed", False))


def start(desk: Desk, asked: Asked) -> bool:
    """Submit a run, and keep the word of a server that refuses it for the page to show."""
    assert asked.spec is not None
    recipe = None if asked.recipe is None else asked.recipe.to_json()
    try:
        desk.manager.submit(asked.spec, desk.visitor, asked.problem, recipe)
    except Refused as why:
        st.session_state[f"{desk.page}-refused"] = (asked.spec, str(why))
        return False
    st.session_state.pop(f"{desk.page}-refused", None)
    return True


def cancel_run(desk: Desk) -> None:
    if desk.shown is not None and not desk.manager.cancel(desk.shown.spec.id, desk.visitor):
        st.toast("Others are watching this run, so it goes on without you.", icon=":material/group:")


def status(view: View) -> None:
    """Say in a line how a run is getting on, or what it took."""
    share = f"{100 * view.progress:.0f}%"
    if view.status == "queued":
        place = "next in line" if view.position in (None, 1) else f"number {view.position} in line"
        st.progress(
            view.progress, f":material/hourglass_empty: Queued, {place}: it starts as soon as there is memory for it"
        )
    elif view.status == "running":
        left = "" if view.seconds_left is None else f" · {_duration(view.seconds_left)} left"
        others = f" · shared with {view.others} other{'s' * (view.others > 1)}" if view.others else ""
        st.progress(view.progress, f"{capital(view.stage)} · {share}{left}{others}")
    elif view.status == "done" and view.result is not None:
        st.caption(f":material/check_circle: Done{_took(view.result)} · {_optimum(view.result)}")
    elif view.status == "cancelled":
        st.warning(
            f"Cancelled at {share}. What was computed is shown; **Resume** goes on from there.", icon=":material/stop:"
        )
    elif view.status == "interrupted":
        if view.error:
            words = f"{plain(view.error)} **Resume** computes it anew."
        else:
            words = f"Interrupted at {share}, because the server stopped. **Resume** goes on from there."
        st.warning(words, icon=":material/power_off:")
    elif view.status == "failed":
        st.error(
            f"This run failed at {share}. {plain(view.error or '')} **Try again** goes on from there.",
            icon=":material/error:",
        )


def _took(result: Result) -> str:
    return f" in {result.timings['total']:.1f} s" if "total" in result.timings else ""


def _optimum(result: Result) -> str:
    found = result.optimum
    above, model = (result.judged(Criterion(measure)).start for measure in (OBJECTIVE, RISK))
    return (
        f"F* = {found.value:.6g}, {certainty(found)} · the start is {number(above)} above it, of which "
        f"{number(model)} is the model's part"
    )


def _label(view: View | None) -> str:
    if view is None:
        return "Run"
    if view.live and not view.watched:
        return "Join"
    return {"cancelled": "Resume", "interrupted": "Resume", "failed": "Try again"}.get(view.status, "Run")


def _runs(spec: SweepSpec) -> str:
    return f"{len(spec.methods) * len(spec.lambdas) * len(spec.seeds):,} runs"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5_400 else f"about {seconds / 3600:.1f} h"
