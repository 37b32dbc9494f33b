"""What the step size means beside CVaR: accuracy, or the losses on rows that no run has seen."""

from __future__ import annotations

import streamlit as st

from cvar_core import Result
from cvar_core.catalogue import losses
from cvar_core.figures import Figure, measures_along, measures_by_lambda, without_title

from ..drawing.chart import charts, encoded
from ..drawing.style import theme
from ..drawing.text import capital
from ..sending.kept import Kept

_HEIGHT = 400

_pictures: Kept[tuple[bytes, bytes]] = Kept(64)


def draw(page: str, result: Result, chosen: float | None) -> None:
    """Draw the measures against λ, and along the run at the chosen λ, by default each method's best."""
    colours = theme()
    drawn = _pictures.of(result, (page, chosen, colours), lambda: _picture(page, result, chosen, colours))
    with st.container(key="measures"):  # two beside each other, by the style sheet
        charts(drawn, key=f"{page}-both-measures")
    st.markdown(about(result))


def _picture(page: str, result: Result, chosen: float | None, colours: str) -> tuple[bytes, bytes]:
    at = None if chosen is None else dict.fromkeys(result.spec.methods, chosen)
    where = "at the best λ of each" if chosen is None else "at the λ that you chose"
    return (
        _encoded(f"{page}-measures", measures_by_lambda(result, chosen=chosen, theme=colours), "After the run, by λ"),
        _encoded(f"{page}-measures-along", measures_along(result, at, theme=colours), f"Along the run, {where}"),
    )


def _encoded(key: str, figure: Figure, name: str) -> bytes:
    drawn, finding, words = without_title(figure)
    caption = f"{name}. {capital(words)}."
    return encoded(drawn, key=key, height=_HEIGHT, label=finding, title=finding, caption=caption)


def about(result: Result) -> str:
    """Say what θ* is worth, and why a lower CVaR need not be a better average."""
    share = f"{100 * (1 - result.spec.problem.beta):.3g}%"
    if losses[result.spec.problem.loss].task == "regression":
        return (
            f"CVaR looks at the worst {share} of the losses only. A method that lowers it may raise the mean loss: it "
            "gives up a little on many rows to gain on the few that are worst."
        )
    if not result.reference:
        return (
            f"**At this β the best classifier is θ = 0.** Whatever θ is, the mean of the worst {share} of the losses "
            "is at least log 2, which is what θ = 0 pays on every row; it decides nothing, so there is no accuracy of "
            "θ* to draw. A run that comes closer to F* comes closer to deciding nothing, and its accuracy may well "
            "fall on the way. A smaller β averages more rows and has a θ* that decides."
        )
    separable = (
        "" if result.optimum.attained else
        " **These rows can be separated**, so that the loss has no minimum: it goes on falling as θ grows. The optimum "
        "here is the best value found, and the dashed line is the accuracy there."
    )  # fmt: skip
    return (
        f"Accuracy counts rows on the right side; CVaR averages the worst {share} of the losses. The two need not "
        "agree: to lower the losses of a few hard rows, θ moves the border for all the others, and a lower CVaR can "
        f"come with a lower average accuracy.{separable}"
    )
