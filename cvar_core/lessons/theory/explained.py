"""The calculator's results in words: a table, and what the theorem does and does not explain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ...catalogue import methods
from ...results import number
from .measured import Measured, looseness
from .theorem import Bounds, Setting, best_pair, constants, printed_pair, updates_to_promise

Row = tuple[str, list[str]]

AWAITED = "…"

# In LaTeX; each is narrow enough for a phone.
THEOREM = (
    r"\begin{gathered}\mathbb{E}\big[\tilde F(\bar\theta,\bar\alpha)-F^*\big]\;\le\\[4pt]"
    r"\frac{1}{\sqrt T}\underbrace{\Big[\frac{\|\theta_0-\theta^*\|^2}{2\lambda_\theta} + "
    r"\frac{(\alpha_0-\alpha^*)^2}{2\lambda_\alpha}\Big]}_{\text{way left}}\\"
    r"+\;\frac{1}{\sqrt T}\,\underbrace{\lambda_\alpha L^2}_{\text{noise}}\end{gathered}"
)
NOISE = (
    r"\begin{aligned}L^2_{\mathrm{SGM}} &= \mathbb{E}\Big[\frac{M^2+1}{(1-\beta)^2} + 1\Big]\\"
    r"L^2_{\mathrm{SPL}_+} &= \mathbb{E}\Big[\frac{\frac{\lambda_\theta}{\lambda_\alpha}M^2+1}{(1-\beta)^2}\Big]"
    r"\end{aligned}"
)
BEST_STEPS = (
    r"\begin{gathered}\lambda = \tfrac{1}{\sqrt2\,L_{\mathrm{SGM}}}"
    r"\sqrt{\|\theta_0-\theta^*\|^2+(\alpha_0-\alpha^*)^2}\\[6pt]"
    r"\lambda_\theta = \frac{(1-\beta)\,\|\theta_0-\theta^*\|}{\sqrt{2\,\mathbb{E}[M^2]}}\\[6pt]"
    r"\lambda_\alpha = \frac{(1-\beta)\,|\alpha_0-\alpha^*|}{\sqrt2}\end{gathered}"
)


def brief(measured: Measured, promised: Mapping[str, Bounds], lam: float) -> list[Row]:
    """Return the rows that matter at one λ: what is promised, what was measured, and by how much they differ.

    Where nothing is promised, the least that was measured stands beside what was measured here.
    """
    names = measured.spec.methods
    seen = {name: measured.at(name, lam) for name in names}
    top: Row = "", [methods[name].label for name in names]
    runs: Row = "the runs reach", [_seen(seen[name]) for name in names]
    if not promised:
        return [top, runs, ("at best", [_told(measured.best(name)[1]) for name in names]),
                ("which is at λ =", [_told(measured.best(name)[0]) for name in names])]  # fmt: skip
    bound = {name: both.theorem.at(lam) for name, both in promised.items()}
    return [
        top,
        ("promised at most", [number(bound[name]) for name in names]),
        runs,
        ("promised ÷ reached", [_times(bound[name], seen[name]) for name in names]),
    ]


def table(setting: Setting, measured: Measured, promised: Mapping[str, Bounds], lam: float) -> list[Row]:
    """Return the rows, each with a label and a cell for every method that was run; the first row has their names.

    What is still to be measured is "…".
    """
    names = measured.spec.methods

    def row(label: str, cell: Callable[[str], str]) -> Row:
        return label, [cell(name) for name in names]

    top = row("", lambda name: methods[name].label)
    least = row("least measured, at λ", lambda name: "{1}, at {0}".format(*map(_told, measured.best(name))))
    bound = {name: both.theorem for name, both in promised.items()}
    there = {name: measured.at(name, bound[name].best_lambda) for name in names}
    return [
        top,
        row("the bound's best λ", lambda name: number(bound[name].best_lambda)),
        row("promised there", lambda name: f"≤ {number(bound[name].least)}"),
        row("measured there", lambda name: _seen(there[name])),
        row("promised ÷ measured", lambda name: _times(bound[name].least, there[name])),
        least,
        row(
            "updates to promise that",
            lambda name: _told(updates_to_promise(measured.best(name)[1], bound[name], setting.updates)),
        ),
        row(f"at λ = {number(lam)}: way left", lambda name: number(bound[name].travel / lam)),
        row("+ noise", lambda name: number(bound[name].noise * lam)),
        row("= promised", lambda name: f"≤ {number(bound[name].at(lam))}"),
        row("by the sharper bound", lambda name: f"≤ {number(promised[name].sharper.at(lam))}"),
        row(f"measured at λ = {number(lam)}", lambda name: _seen(measured.at(name, lam))),
        row("promised ÷ measured", lambda name: _times(bound[name].at(lam), measured.at(name, lam))),
    ]


def _seen(gap: float | None) -> str:
    return "not run" if gap is None else "diverged" if math.isinf(gap) else _told(gap)


def _times(bound: float, gap: float | None) -> str:
    return "–" if gap is None or math.isinf(gap) else f"{_told(bound / gap)} ×"


def _told(value: float) -> str:
    return AWAITED if math.isnan(value) else number(value)


def chosen_steps(setting: Setting, promised: Mapping[str, Bounds]) -> str:
    """Say in Markdown which step sizes have the least bounds, and what a slip in the paper's formula would cost."""
    pair, printed = best_pair(setting), printed_pair(setting)
    if pair is None or printed is None:
        return ""
    words = (
        rf"Here: $\lambda$ = {number(promised['sgm'].theorem.best_lambda)} for SGM; $\lambda_\theta$ = "
        rf"{number(pair.theta)} and $\lambda_\alpha$ = {number(pair.alpha)} for SPL₊, which promise "
        rf"{number(pair.bound)}. The paper prints $\mathbb{{E}}[M]$ where $\sqrt{{\mathbb{{E}}[M^2]}}$ belongs"
    )
    if math.isclose(printed.bound, pair.bound, rel_tol=1e-9):
        return f"{words}: no difference as long as $M$ is the same for all samples."
    times = number(printed.bound / pair.bound)
    return rf"{words}: $\lambda_\theta$ = {number(printed.theta)} and {number(printed.bound)}, {times} times as much."


def unexplained(setting: Setting, measured: Measured, promised: Mapping[str, Bounds]) -> list[str]:
    """Say in Markdown what the theorem does not explain of what was measured, a paragraph for each point.

    Before the runs are done, "…" stands where their numbers will.
    """
    constant = constants(setting)
    if constant is None:
        return []
    lam, factor = measured.widest("sgm", "spl")
    lower, times = ("SPL", factor) if factor >= 1 else ("SGM", 1 / factor)
    lower = lower if measured.there else AWAITED
    least, most = map(_told, looseness(promised, measured))
    sgm, spl, tight = map(_digits, constant)
    apart = constant.sgm / constant.spl
    lines = "coincide" if apart < 1.02 else f"are never more than {number(apart)} times apart"
    plus, other = (number(promised[name].theorem.least) for name in ("spl+", "sgm"))
    reached, others = (_told(measured.best(name)[1]) for name in ("spl+", "sgm"))
    return [
        rf"**The same promise.** With $\lambda_\theta=\lambda_\alpha$, SGM has $L^2$ = {sgm} and SPL {spl}: their thin "
        f"lines {lines}. Their runs do not: at λ = {_told(lam)}, {lower} ends {_told(times)} times lower. SPL₊ is "
        f"promised {plus} at best and SGM {other}; their runs reach {reached} and {others}. The theorem explains "
        "neither.",
        f"**Not a better constant.** That {spl} is below {sgm} only shows how loosely SGM's slope was bounded. A tight "
        rf"bound, $\mathbb{{E}}\max\{{1, (M^2+\beta^2)/(1-\beta)^2\}}$ = {tight}, serves both. With it, and a proof "
        "that saves a factor 2, comes the sharper bound of the table.",
        f"**Far above.** Over these λ and methods the theorem promises {least} to {most} times what is measured. For "
        f"SGM it calls λ = {number(promised['sgm'].theorem.best_lambda)} best; the runs prefer "
        f"{_told(measured.best('sgm')[0])}.",
        "**Silent.** It says nothing of the model's risk apart from its threshold, of decreasing step sizes, of the "
        "last iterate, of a single run, nor of squared loss, where the methods differ most.",
    ]


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else number(value)
