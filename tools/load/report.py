"""What the crowd went through, as numbers and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from .visitor import Story

_MOMENTS = ("first_chart", "first_curve", "growth", "done")


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
            "progress_of_unfinished_paper_runs": spread([s.progress_at(half) for s in unfinished if s.begun < half]),
        },
        "stream": {
            "messages": sum(s.messages for s in stories),
            "pictures": sum(s.pictures for s in stories),
            "megabytes": sum(s.stream_bytes for s in stories) / 1e6,
            "messages_per_visitor_and_second": spread([s.messages / s.ended for s in stories if s.ended]),
            "changes": spread([t for s in stories for t in s.changes]),
        },
        "script": {
            "runs": sum(s.runs for s in stories),
            "megabytes": sum(s.script_bytes for s in stories) / 1e6,
            "agreed": spread([s.agreed - s.done for s in stories if s.agreed is not None and s.done is not None]),
        },
        "errors": [error for s in stories for error in s.errors],
    }


def _kind(stories: list[Story], alone: Story | None) -> dict[str, Any]:
    done = [s.done for s in stories if s.done is not None]
    found: dict[str, Any] = {
        "visitors": len(stories),
        "finished": len(done),
        "pressed_run": sum(s.pressed_run for s in stories),
    }
    for moment in _MOMENTS:
        found[moment] = spread([at for s in stories if (at := getattr(s, moment)) is not None])
    if alone is not None and alone.done is not None:
        found |= {"alone": alone.done, "times_alone": spread([seconds / alone.done for seconds in done])}
    return found


def spread(values: list[float]) -> dict[str, float] | None:
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
        rows += [_row(f"  to {what.replace('_', ' ')}, s", kind[what]) for what in _MOMENTS]
        if "alone" in kind:
            rows.append(_row(f"  times as long as alone ({kind['alone']:.1f} s)", kind["times_alone"]))
    half, stream, script = report["half_time"], report["stream"], report["script"]
    rows.append((f"at half time ({half['at']:.0f} s)",))
    rows.append(_row("  unfinished paper runs, %", half["progress_of_unfinished_paper_runs"], 100))
    many = f"{stream['messages']:,} messages, {stream['pictures']:,} pictures, {stream['megabytes']:,.1f} MB"
    rows.append((f"the stream ({many})",))
    rows.append(_row("  messages a visitor and second", stream["messages_per_visitor_and_second"]))
    rows.append(_row("  a changed λ answered, ms", stream["changes"], 1000))
    rows.append((f"the script ({script['runs']:,} runs, {script['megabytes']:,.1f} MB)",))
    rows.append(_row("  from done to known by it, ms", script["agreed"], 1000))
    lines = [f"{row[0]:40}" + "".join(f"{cell:>9}" for cell in row[1:]) for row in rows]
    for part in ("server", "driver"):
        numbers = report.get(part, {}).items()
        lines += [part] * bool(numbers) + [f"  {name.replace('_', ' '):38}{value:>9,.2f}" for name, value in numbers]
    lines.append(f"errors: {len(report['errors']) or 'none'}")
    lines += [f"  {count:,} × {error[:300]}" for error, count in Counter(report["errors"]).most_common()]
    return "\n".join(line.rstrip() for line in lines)


def _row(name: str, spread: dict[str, float] | None, unit: float = 1) -> tuple[str, ...]:
    if spread is None:
        return name, "0"
    digits = 1 if unit == 1 else 0
    values = (f"{unit * spread[each]:,.{digits}f}" for each in ("min", "median", "p90", "p95", "max"))
    return name, f"{spread['count']:,}", *values
