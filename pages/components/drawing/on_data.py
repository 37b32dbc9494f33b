"""What the step size means beside CVaR on data: accuracy, or the losses on rows that no run has seen."""

from __future__ import annotations

from cvar_core import Result
from cvar_core.catalogue import losses
from cvar_core.results import best_is_none


def about_data(result: Result) -> str:
    """Say in HTML what θ* is worth, and why a lower CVaR need not be a better average."""
    share = f"{100 * (1 - result.spec.problem.beta):.3g}%"
    mix = result.spec.problem.mix
    mixed = "" if mix is None else f" Here it counts for {mix:g}, and the mean of all losses for {1 - mix:.3g}."
    if losses[result.spec.problem.loss].task == "regression":
        return (
            f"CVaR looks at the worst {share} of the losses only. A method that lowers it may raise the mean loss: it "
            f"gives up a little on many rows to gain on the few that are worst.{mixed}"
        )
    if best_is_none(result.spec.problem, result.optimum):
        return (
            "<b>At this β the best classifier is θ = 0.</b> It decides nothing, so there is no accuracy of θ* to draw. "
            "A run that comes closer to F* comes closer to deciding nothing, and its accuracy may well fall on the way."
        )
    separable = (
        "" if result.optimum.attained else
        " <b>These rows can be separated</b>, so that the loss has no minimum: it goes on falling as θ grows. The "
        "optimum here is the best value found, and the dashed line is the accuracy there."
    )  # fmt: skip
    return (
        f"Accuracy counts rows on the right side; CVaR averages the worst {share} of the losses. The two need not "
        "agree: to lower the losses of a few hard rows, θ moves the border for all the others, and a lower CVaR can "
        f"come with a lower average accuracy.{mixed}{separable}"
    )
