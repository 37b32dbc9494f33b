"""One update in words: which case of the algorithm it was, with its numbers put into the formula."""

from __future__ import annotations

from cvar_core.catalogue import methods
from cvar_core.single import Update

CASES = {
    "too big": "**α is too big.** It is so far above the loss that the sample says nothing about θ: only α comes down.",
    "too small": "**α is too small.** The loss is far above it, and the step is that of the subgradient method.",
    "middle": "**α is in the middle range.** The step ends on the kink of the model, and not beyond it.",
}


def heading(step: Update) -> str:
    """Say what the update did to the objective."""
    way = "falls" if step.after < step.before else "stays" if step.after == step.before else "rises"
    return f"{methods[step.method].label}: F {way}, {figure(step.before)} → {figure(step.after)}"


def explained(step: Update) -> list[str]:
    """Return the case and the formulas as Markdown, one paragraph each."""
    if step.method == "sgm":
        return [
            _sgm_case(step),
            rf"$\theta_{{t+1}} = {_moved_theta(step)}$",
            rf"$\alpha_{{t+1}} = {_moved_alpha(step)}$",
        ]
    excess = max(step.loss - step.setup.alpha + float(step.sizes.alpha), 0.0)
    steepness = float(step.sizes.theta) * step.slope**2 + float(step.sizes.alpha)
    return [
        CASES[step.case],
        rf"middle range: ${figure(step.low)} \le \alpha_t \le {figure(step.high)}$",
        r"$\gamma = \max(\ell_t-\alpha_t+\lambda_\alpha,\,0)\,/\,(\lambda_\theta v_t^2+\lambda_\alpha)$",
        rf"$\phantom{{\gamma}} = {figure(excess)}\,/\,{figure(steepness)} = {figure(step.gamma)}$,"
        rf" at most ${figure(1 / (1 - step.setup.beta))}$",
        rf"$\theta_{{t+1}} = {_moved_theta(step)}$",
        rf"$\alpha_{{t+1}} = {_moved_alpha(step)}$",
    ]


def _sgm_case(step: Update) -> str:
    if step.case == "too big":
        return "**α is above the loss.** The model is flat in θ: θ does not move, however large λ is, and α falls by λ."
    return "**α is below the loss.** The model sees the slope at this point only, and the step follows it all the way."


def _moved_theta(step: Update) -> str:
    weight = min(step.gamma, 1 / (1 - step.setup.beta))
    size = figure(float(step.sizes.theta))
    moved = f"{size}\\cdot {figure(weight)}\\cdot {_signed(step.slope)}"
    return f"{figure(step.setup.theta)} - {moved} = {figure(step.theta)}"


def _moved_alpha(step: Update) -> str:
    weight = min(step.gamma, 1 / (1 - step.setup.beta))
    size = figure(float(step.sizes.alpha))
    return f"{figure(step.setup.alpha)} - {size} + {size}\\cdot {figure(weight)} = {figure(step.alpha)}"


def figure(value: float) -> str:
    """Return four significant digits, as LaTeX where there is a power of ten.

    >>> figure(2.146928), figure(-1234567.0)
    ('2.147', '-1.235\\\\cdot 10^{6}')
    """
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else f"{mantissa}\\cdot {power}"


def _signed(value: float) -> str:
    return f"({figure(value)})" if value < 0 else figure(value)
