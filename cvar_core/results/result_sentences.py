"""What is said of a whole result: the finding, and what its verdicts alone would hide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from ..catalogue import methods
from ..problem import Optimum
from ..specs import SpecError
from .certainty import share_at_least
from .criterion import RISK, Criterion
from .judged import Judged
from .readable import decades, listed, number, percent, risk_name, round_up
from .result import Result
from .spread import spread
from .undecided import undecided
from .verdict import SURE, Verdict
from .verdict_sentences import JUDGED_BY, how_usable, near_the_best, starts_fine


def beginning(judged: Judged) -> str:
    """Say that the start leaves nothing to close, and what that means; empty where it does."""
    share = judged.nothing_to_close
    if share is None:
        return ""
    return (
        f"The model at the start {near_the_best(share)}: no step size can do much for it, so there is no verdict by "
        "its risk. What the runs still do is put the threshold α in its place, which the objective shows"
    )


def blurred(judged: Judged) -> str:
    """Say that the points cannot tell runs apart at ε, and how many could; empty where they can."""
    if judged.points_needed is None or judged.floor is None:
        return ""
    size = judged.result.spec.problem.eval_size
    return (
        f"{size:,} points cannot tell: even the best model of the whole population shows "
        f"{number(judged.floor)} above F* on them, and ε is {number(judged.epsilon)}. "
        f"About {round_up(judged.points_needed):,} points could"
    )


def against_constant(judged: Judged, lam: float | None = None, method: str | None = None) -> str:
    """Say for which methods, or for one, a usable λ (given, or the best) is worse than predicting a constant."""
    result, constant = judged.result, judged.result.optimum.constant
    if constant is None or not judged.at().iteration:
        return ""
    worse = []
    for m, name in enumerate(result.spec.methods):
        chosen = judged.best_lambda(name) if lam is None else lam
        k = None if chosen is None else result.place(chosen)
        if k is None or not judged.usable[m, k] or method not in (None, name):
            continue
        median = float(spread(result.risks[m, :, result.reached, k], axis=0).median)
        if median > constant * (1 + 1e-9):
            worse.append(f"{methods[name].label} {number(median)}")
    if not worse:
        return ""
    where = "at its best λ" if lam is None else f"at λ = {number(lam)}"
    return (
        "The start is so bad here that closing most of the gap means little: the best constant prediction has a "
        f"{risk_name(result.spec.problem)} of {number(constant)}, and {where} {listed(worse)}"
    )


def disagreement(result: Result, names: Sequence[str], lam: float, by: Criterion) -> str:
    """Say in plain words where the two measures disagree about a λ of methods; empty where they agree."""
    labels: dict[str, list[str]] = {}  # of whom the same is said
    for name in names:
        labels.setdefault(_disagree(result, name, lam, by), []).append(methods[name].label)
    return ". ".join(f"{listed(whom)}: {words}" for words, whom in labels.items() if words)


def _disagree(result: Result, method: str, lam: float, by: Criterion) -> str:
    """Say the same of one method, without its name."""
    try:
        mine = {name: result.verdict(method, lam, by.epsilon, name, by.closed) for name in JUDGED_BY}
    except SpecError:
        return ""
    risk, objective = mine["risk"], mine["objective"]
    if risk.iteration == 0 or risk.nothing_to_close is not None:
        return ""
    step = f"λ = {number(risk.lam)}"
    if _looks_better(objective, risk):
        left = "" if risk.left == math.inf else f": {percent(risk.left)} of the model's excess risk is left"
        return f"by the objective {step} looks {how_usable(objective)}, but that is the threshold{left}"
    if _looks_better(risk, objective):
        left = "" if objective.left == math.inf else f": {percent(objective.left)} of the objective's gap is left"
        return f"by the model's risk {step} is {how_usable(risk)}, but its threshold is off{left}"
    if risk.unanimous == objective.unanimous:
        return ""
    better, worse = (risk, objective) if risk.unanimous else (objective, risk)  # by both it is fine for most starts
    by_each = [f"by {JUDGED_BY[each.measure]}" for each in (better, worse)]
    return f"{by_each[0]} {step} is usable for every start, {by_each[1]} for {starts_fine(worse)} only"


def _looks_better(one: Verdict, other: Verdict) -> bool:
    """Tell whether a λ is usable for most starts by one measure, and not by the other."""
    return 2 * one.starts > one.seeds >= 2 * other.starts


def certainty(optimum: Optimum) -> str:
    """Say in a few words how far F* can be trusted, and whether there is a minimum at all."""
    if not optimum.attained:
        return "the best value found: there is no minimum, it is only approached as θ grows without end"
    return "not certified" if optimum.gap is None else f"certified to {number(optimum.gap)}"


def measured(result: Result, measure: str = RISK) -> list[str]:
    """Say what the runs at each method's best λ, by a measure, and θ* are worth on data; else nothing."""
    if not result.measures:
        return []
    names = list(result.measures)
    lines = [f"{'':8}" + "".join(f"{name.replace('_', ' '):>18}" for name in names)]
    for m, method in enumerate(result.spec.methods):
        best = result.best_lambda(method, measure)
        if best is not None:
            place = result.spec.lambdas.index(best)
            lines.append(
                f"{method:8}" + "".join(f"{_share(name, result.measured(name)[m, place]):>18}" for name in names)
            )
    if result.reference:
        lines.append(f"{'θ*':8}" + "".join(f"{_share(name, result.reference[name]):>18}" for name in names))
    return lines


def _share(name: str, value: float) -> str:
    return f"{100 * value:.2f}%" if name.endswith("accuracy") else number(float(value))


def finding(result: Result, by: Criterion | None = None) -> str:
    """Say in one sentence how many decades of λ each method forgives, the most forgiving first, and judged by what.

    A difference is claimed only where the starts tell the methods apart; which cannot be told apart is said.
    """
    return found_by(result.judged(by))


def found_by(judged: Judged) -> str:
    """Say the same of a result that is judged already."""
    result = judged.result
    if judged.nothing_to_close is not None:
        return beginning(judged)
    found, what = judged.forgiven, f"judged by {JUDGED_BY[judged.criterion.measure]}"
    if len(result.spec.lambdas) == 1:
        lam = number(result.spec.lambdas[0])
        usable = [methods[name].label for name, each in found.items() if each.typical is not None]
        return f"λ = {lam} is {_usable_for(judged, usable)}, {what}"
    order = sorted(found, key=lambda name: -1.0 if (width := found[name].decades) is None else width, reverse=True)
    if found[order[0]].decades is None:
        whom = f" for {_whom(judged)}" if len(order) == 1 else " for any method"
        return f"No λ of this grid is usable{whom}{' yet' if _going(judged) else ''}, {what}"
    first, *others = order
    rest = ", ".join(f"{methods[name].label} {decades(found[name])}" for name in others)
    most = f"{methods[first].label} forgives {decades(found[first])} decades of λ"
    return f"{most}{f', {rest}' if rest else ''}, {what}{_not_told_apart(judged, order)}"


def _usable_for(judged: Judged, labels: list[str]) -> str:
    """Say of a single λ for whom it is usable."""
    if labels:
        return f"usable for {listed(labels)}"
    yet = " yet" if _going(judged) else ""
    return f"not usable for {_whom(judged)}{yet}" if len(judged.forgiven) == 1 else f"usable for no method{yet}"


def _whom(judged: Judged) -> str:
    return listed([methods[name].label for name in judged.forgiven])


def _going(judged: Judged) -> bool:
    return judged.at().iteration < judged.result.spec.iterations


def _not_told_apart(judged: Judged, order: list[str]) -> str:
    """Say which methods the starts cannot tell apart; empty where they tell all, or where one start is all there is."""
    if len(judged.result.spec.seeds) == 1:
        return ", from one start"
    alike = {
        pair
        for pair in combinations(order, 2)
        if any(judged.forgiven[name].decades is not None for name in pair) and not judged.compare(*pair).told_apart
    }
    groups: list[tuple[str, ...]] = []  # each as large as can be
    for size in range(len(order), 1, -1):
        for group in combinations(order, size):
            if alike.issuperset(combinations(group, 2)) and not any(set(group) < set(larger) for larger in groups):
                groups.append(group)
    if not groups:
        return ""
    if len(groups[0]) == len(order) > 2:
        return "; none of them can be told apart"
    names = " nor ".join(listed([methods[name].label for name in group]) for group in groups)
    return f"; {names} cannot be told apart" if len(groups) == 1 else f"; neither {names} can be told apart"


def remarks(judged: Judged, method: str, lam: float) -> tuple[str, ...]:
    """Return what a verdict alone would hide: the other measure, few points, a better constant, a best that is none."""
    result = judged.result
    mine = lam if result.place(lam) is not None else None
    said = (
        disagreement(result, [method], lam, judged.criterion),
        blurred(judged),
        against_constant(judged, mine, method),
        undecided(result),
    )
    return tuple(filter(None, said))


def few(count: int) -> str:
    """Say how little so many starts show even where all of them agree; empty where they are enough."""
    shown = share_at_least(count, count)
    if shown >= SURE:
        return ""
    runs = f"{count} starts that agree show" if count > 1 else "One start shows"
    return f"{runs} no more than that {percent(shown)} of all starts are fine (with 95%); 29 would show 90%"
