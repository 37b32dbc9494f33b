"""A result at a glance: one line, and a short table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..catalogue import methods
from .criterion import Criterion
from .readable import best, counted, decades, interval, number, risk_name

if TYPE_CHECKING:
    from .result import Result

_HEADINGS = ("method", "decades of λ", "best λ", "recommended λ")


def one_line(result: Result) -> str:
    """Return what ran and how far it came.

    >>> from cvar_core import Problem, sweep
    >>> sweep(Problem.synthetic(noise="normal", eval_size=500), lambdas=[0.1, 1], iterations=50, seeds=2)
    <Result: squared loss, normal noise, β = 0.95; sgm, spl, spl+ × 2 λ × 2 seeds, 50 iterations; F* = 10.6>
    """
    spec, problem = result.spec, result.spec.problem
    source = f"{problem.noise} noise" if problem.data is None else f"{problem.sample_size:,} rows"
    step_sizes, seeds = (_count(len(each), word) for each, word in ((spec.lambdas, "λ"), (spec.seeds, "seed")))
    reached = result.at().iteration
    came = (
        counted(spec.iterations, "iteration") if reached == spec.iterations else f"{reached:,} of {spec.iterations:,}"
    )
    mixed = "" if problem.mix is None else f", {risk_name(problem)}"
    return (
        f"<Result: {problem.full_loss} loss, {source}, β = {problem.beta:g}{mixed}; "
        f"{', '.join(spec.methods)} × {step_sizes} × {seeds}, {came}; F* = {number(result.optimum.value)}>"
    )


def html_table(result: Result) -> str:
    """Return the methods with the decades that they forgive and the λ to take, by the model's risk."""
    judged = result.judged(Criterion())
    rows = []
    for name, found in judged.forgiven.items():
        spread, advised = interval(found), judged.recommended(name)
        told = f"{decades(found)}{f' ({spread})' if spread else ''}"
        taken = "none" if advised is None else f"{number(advised.lam)} ({advised.verdict.state})"
        rows.append((methods[name].label, told, best(judged, name), taken))
    head = "".join(f"<th>{escape(each)}</th>" for each in _HEADINGS)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p>{escape(one_line(result)[1:-1])}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _count(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 or word == 'λ' else 's'}"
