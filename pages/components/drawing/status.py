"""How a run is getting on, or what it took: a line of the page, in HTML."""

from __future__ import annotations

from html import escape

from cvar_core import Result
from cvar_core.jobs import View
from cvar_core.results import OBJECTIVE, RISK, Criterion, certainty, number

from .text import capital


def status(view: View) -> str:
    share = f"{100 * view.progress:.0f}%"
    if view.status == "queued":
        place = "next in line" if view.position in (None, 1) else f"number {view.position} in line"
        return _bar(view, f"⌛ Queued, {place}: it starts as soon as there is memory for it")
    if view.status == "running":
        left = "" if view.seconds_left is None else f" · {duration(view.seconds_left)} left"
        others = f" · shared with {view.others} other{'s' * (view.others > 1)}" if view.others else ""
        waits = _note(escape(view.trouble)) if view.trouble else ""
        return waits + _bar(view, f"{capital(view.stage)} · {share}{'' if waits else left}{others}")
    if view.status == "done" and view.result is not None:
        return f'<p class="cvar-quiet">✓ Done{_took(view.result)} · {_optimum(view.result)}</p>'
    if view.status == "cancelled":
        return _note(f"Cancelled with {share} of the work done. It is shown; <b>Resume</b> goes on from there.")
    if view.status == "interrupted":
        if view.error:
            return _note(f"{escape(view.error)} <b>Resume</b> computes it anew.")
        done = f"Interrupted with {share} of the work done, because the server stopped."
        return _note(f"{done} <b>Resume</b> goes on from there.")
    if view.status == "failed":
        done = f"This run failed with {share} of the work done. {escape(view.error or '')}"
        return _note(f"{done} <b>Try again</b> goes on from there.")
    return ""


def study_status(state: str, share: float, seconds_left: float | None, others: int) -> str:
    """Say how a study of a network is getting on; nothing of one that is done."""
    percent = f"{100 * share:.0f}%"
    if state in ("waiting", "running"):
        left = "" if seconds_left is None else f" · {duration(seconds_left)} of work left"
        shared = f" · shared with {others} other{'s' * (others > 1)}" if others else ""
        begun = "Training" if state == "running" else "⌛ In line behind a shorter study"
        return _progress(share, f"{begun} · {percent}{left}{shared}")
    if state == "stopped":
        return _note(f"Stopped at {percent}. What was computed is shown; <b>Go on</b> continues from there.")
    if state == "failed":
        return _note(f"This study failed at {percent}. <b>Try again</b> begins anew.")
    if state == "unknown":
        return _note("This server has not computed this study, or has let go of it. <b>Train</b> computes it.")
    return ""


def duration(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5_400 else f"about {seconds / 3600:.1f} h"


def _bar(view: View, words: str) -> str:
    return _progress(view.progress, words)


def _progress(share: float, words: str) -> str:
    percent = f"{100 * share:.1f}"
    return (
        f'<div class="cvar-progress" role="progressbar" aria-valuenow="{percent}" aria-label="{escape(words)}">'
        f'<p>{escape(words)}</p><div><i style="width: {percent}%"></i></div></div>'
    )


def _note(words: str) -> str:
    return f'<p class="cvar-note">{words}</p>'


def _took(result: Result) -> str:
    return f" in {result.timings['total']:.1f} s" if "total" in result.timings else ""


def _optimum(result: Result) -> str:
    found = result.optimum
    above, model = (result.judged(Criterion(measure)).start for measure in (OBJECTIVE, RISK))
    return escape(
        f"F* = {found.value:.6g}, {certainty(found)} · the start is {number(above)} above it, "
        f"{number(model)} of that the model's part"
    )
