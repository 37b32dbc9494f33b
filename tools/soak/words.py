"""The verdict, for people."""

from __future__ import annotations

from typing import Any

from .verdict import Verdict

_WAIT = ("median", "p90", "p95", "max")


def told(verdict: Verdict) -> str:
    facts = verdict.facts
    lines = [
        f"runs: {facts['runs_told']:,} told of, {facts['runs_owed']:,} counted on, {len(facts['runs_lost'])} lost; "
        f"{facts['links_opened']:,} links opened",
        *(f"  {run}: {why}" for run, why in facts["runs_lost"].items()),
        f"  {len(facts['runs_given_up_unseen'])} gave way to a next one that nobody saw before the connection ended",
        f"bits: {facts['runs_compared']:,} of {facts['runs_done']:,} finished runs computed anew, "
        f"{len(facts['bits_different'])} different",
        _shown("errors that no fault explains", facts["errors_unexpected"]),
        _shown("errors during faults", facts["errors_expected"]),
        _shown("refused with a sentence", facts["refusals"]),
        f"messages of a place in the line for memory: {facts['queued']:,}",
        _shown("tracebacks in the log", facts["tracebacks"]),
        f"{'waits, s':16}{'':8}{'count':>7}" + "".join(f"{name:>8}" for name in _WAIT),
    ]
    for what, parts in facts["waits"].items():
        lines += [f"{what:16}{when:8}" + _row(found) for when, found in parts.items()]
    for name, found in facts["server"].items():
        if found:
            lines.append(f"{name} of the server: median {found['median']:,.0f}, most {found['max']:,.0f}")
    lines.append("deeds: " + ", ".join(f"{count:,} × {deed}" for deed, count in facts["deeds"].items()))
    lines.append("verdict: good" if verdict.good else "verdict: not good: " + "; ".join(verdict.wrong))
    return "\n".join(lines)


def _shown(title: str, counted: dict[str, int]) -> str:
    total = f"{title}: {sum(counted.values()) or 'none'}"
    return "\n".join([total, *(f"  {count:,} × {text}" for text, count in counted.items())])


def _row(found: dict[str, Any] | None) -> str:
    if found is None:
        return f"{0:>7}"
    return f"{found['count']:>7,}" + "".join(f"{found[name]:>8.2f}" for name in _WAIT)
