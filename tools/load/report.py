"""What the crowd went through, as numbers and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from .visitor import Story


def crowd_report(stories: Sequence[Story], alone: dict[str, Story]) -> dict[str, Any]:
    """Gather what the visitors saw.

    Parameters
    ----------
    stories
        Of the crowd.
    alone
        One story a kind, of a visitor who had the server for himself.
    """
    begun = min(story.begun for story in stories)
    ended = max(story.begun + story.ended for story in stories)
    half = (begun + ended) / 2
    kinds = dict.fromkeys(story.kind for story in stories)
    unfinished = [s for s in stories if s.kind == "paper" and (s.done is None or s.begun + s.done > half)]
    return {
        "seconds": ended - begun,
        "kinds": {kind: _kind([s for s in stories if s.kind == kind], alone.get(kind)) for kind in kinds},
        "half_time": {
            "at": half - begun,
            "progress_of_unfinished_paper_runs": _spread([s.progress_at(half) for s in unfinished if s.begun < half]),
        },
        "answers": {
            "runs": sum(s.runs for s in stories),
            "changes": _spread([t for s in stories for t in s.changes]),
            "polls": _spread([t for s in stories for t in s.polls]),
            "silences": sum(s.silences for s in stories),
        },
        "errors": [f"{s.kind} {s.link}: {error}" for s in stories for error in s.errors],
    }


def _kind(stories: list[Story], alone: Story | None) -> dict[str, Any]:
    done = [s.done for s in stories if s.done is not None]
    found = {
        "visitors": len(stories),
        "finished": len(done),
        "pressed_run": sum(s.pressed_run for s in stories),
        "first_chart": _spread([s.first_chart for s in stories if s.first_chart is not None]),
        "growth": _spread([s.growth for s in stories if s.growth is not None]),
        "done": _spread(done),
    }
    if alone is not None and alone.done is not None:
        found |= {"alone": alone.done, "times_alone": _spread([seconds / alone.done for seconds in done])}
    return found


def _spread(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    ordered = sorted(values)

    def at(share: float) -> float:
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    return {
        "count": len(ordered), "min": ordered[0], "median": median(ordered), "p90": at(0.9), "p95": at(0.95),
        "max": ordered[-1],
    }  # fmt: skip


def table(report: dict[str, Any]) -> str:
    """Write the report for people."""
    rows: list[tuple[str, ...]] = [("", "count", "min", "median", "p90", "p95", "max")]
    for name, kind in report["kinds"].items():
        rows.append((f"{name}: {kind['finished']} of {kind['visitors']} done",))
        rows.append((f"  pressed Run: {kind['pressed_run']}",))
        rows += [_row(f"  to {what.replace('_', ' ')}, s", kind[what]) for what in ("first_chart", "growth", "done")]
        if "alone" in kind:
            rows.append(_row(f"  times as long as alone ({kind['alone']:.1f} s)", kind["times_alone"]))
    half, answers = report["half_time"], report["answers"]
    rows.append((f"at half time ({half['at']:.0f} s)",))
    rows.append(_row("  unfinished paper runs, %", half["progress_of_unfinished_paper_runs"], 100))
    rows.append((f"the page's answers ({answers['runs']:,} runs of it)",))
    rows.append(_row("  to a changed λ, ms", answers["changes"], 1000))
    rows.append(_row("  to a poll, ms", answers["polls"], 1000))
    lines = [f"{row[0]:40}" + "".join(f"{cell:>9}" for cell in row[1:]) for row in rows]
    for part in ("server", "driver"):
        numbers = report.get(part, {}).items()
        lines += [part] * bool(numbers) + [f"  {name.replace('_', ' '):38}{value:>9,.1f}" for name, value in numbers]
    lines.append(f"errors: {len(report['errors']) or 'none'}")
    return "\n".join(line.rstrip() for line in lines + [f"  {error[:300]}" for error in report["errors"]])


def _row(name: str, spread: dict[str, float] | None, unit: float = 1) -> tuple[str, ...]:
    if spread is None:
        return name, "0"
    digits = 1 if unit == 1 else 0
    values = (f"{unit * spread[each]:,.{digits}f}" for each in ("min", "median", "p90", "p95", "max"))
    return name, f"{spread['count']:,}", *values
