"""A run as the visitor studies it: the verdict, the charts, and what can be done with it. Drawn anew as it grows."""

from __future__ import annotations

from functools import partial

import streamlit as st

from cvar_core import Result, SpecError, SweepSpec
from cvar_core.figures import curves, sensitivity, without_title
from cvar_core.jobs import Manager, View
from cvar_core.reading import number as read_number
from cvar_core.results import number

from . import panels
from .chart import Clicked, chart
from .controls import Controls
from .links import keep, recall
from .look import theme
from .run_bar import status
from .verdict import cards, headline

SHARES = ("50%", "80%", "90%", "95%", "98%", "99%", "99.5%", "99.9%", "99.99%")
HEIGHT = 430  # px of the two charts
_BEST = "best"


class Study:
    """The main area of a page that shows one run."""

    def __init__(self, page: str, manager: Manager, visitor: str, controls: Controls) -> None:
        self._page, self._manager, self._visitor, self._controls = page, manager, visitor, controls

    @property
    def keys(self) -> dict[str, tuple[str, ...] | None]:
        """The controls' names in the URL, with the values of those that have a fixed set of them."""
        fixed = {"lambda": None, "closed": SHARES, "at": None, "panel": panels.TITLES, "compare": None}
        return {self._key(name): values for name, values in fixed.items()}

    def show(self, spec: SweepSpec) -> None:
        view = self._manager.view(spec, self._visitor)
        live = view is not None and view.live
        st.fragment(self._draw, run_every=0.6 if live else None)(spec, live)

    def _draw(self, spec: SweepSpec, was_live: bool) -> None:
        view = self._manager.view(spec, self._visitor)
        if view is None:  # deleted in another tab
            st.info("This run was deleted. **Run** computes it again.")
            return
        if was_live and not view.live:
            st.rerun()  # draws the last state, and stops asking
        if view.result is None:
            status(view)
            st.container(height=2 * HEIGHT, border=False).caption(
                "The curves appear as soon as the optimum F* is known, which they are measured against."
            )
            return
        self._draw_result(view, view.result)

    def _draw_result(self, view: View, result: Result) -> None:
        heading = st.container(key="headline")
        status(view)
        lam, closed, chosen = self._knobs(result)
        epsilon = result.epsilon(closed)
        heading.markdown(f"## {headline(result, epsilon, lam)}")
        with heading:
            cards(result, epsilon, lam)
        self._charts(result, epsilon, lam, chosen)
        panels.draw(self._page, self._manager, self._visitor, self._controls, view, result, closed, chosen)

    def _knobs(self, result: Result) -> tuple[float | None, float, float | None]:
        """Draw what changes the view and not the run: your λ, what counts as usable, and the λ of the curves."""
        mine, share, at = st.columns([2, 3, 3])
        with mine:
            text = st.text_input(
                "Your λ", "1", key=self._key("lambda"), bind="query-params", max_chars=30,
                help="Is this step size safe? Between two λ of the grid it is read off the line between them.",
            )  # fmt: skip
            lam = self._read(text)
        with share:
            closed = st.select_slider(
                "Usable: closes this share of the gap", SHARES, "90%", key=self._key("closed"), bind="query-params",
                help="A λ is usable when no seed diverges and the median over seeds closes at least this share of the "
                "suboptimality at the start. What remains is ε.",
            )  # fmt: skip
        with at:
            options = (_BEST, *(repr(known) for known in result.spec.lambdas))
            key = self._key("at")
            recall(key, options)
            if st.session_state.get(key, _BEST) not in options:
                st.session_state[key] = _BEST  # it was of another grid
            shown = st.selectbox(
                "Curves at", options, key=key,
                format_func=lambda each: "each method's best λ" if each == _BEST else f"λ = {number(float(each))}",
                help="Or click a point of the sensitivity chart.",
            )  # fmt: skip
            keep(key, shown, _BEST)
        return lam, float(closed.rstrip("%")) / 100, None if shown == _BEST else float(shown)

    def _read(self, text: str) -> float | None:
        try:
            (lam,) = SweepSpec.from_dict({"lambdas": (read_number("your λ", text),)}).lambdas
        except SpecError as wrong:
            st.markdown(f":red[:material/error: {str(wrong)[:1].upper()}{str(wrong)[1:]}.]")
            return None
        return lam

    def _charts(self, result: Result, epsilon: float, lam: float | None, chosen: float | None) -> None:
        with st.container(key="charts"):
            left, right = st.columns(2)
        figure, finding, about = without_title(
            sensitivity(result, epsilon=epsilon, mark=lam, chosen=chosen, theme=theme())
        )
        with left:
            st.markdown("**Sensitivity to the step size**")
            choose = partial(self._choose, result.spec.lambdas)
            chart(
                figure,
                key=self._chart("sensitivity"),
                height=HEIGHT,
                label=finding,
                name="sensitivity",
                on_click=choose,
            )
            st.caption(f"{about}. A wide valley forgives a badly chosen λ. Click a point to see its curves.")
        lambdas = None if chosen is None else dict.fromkeys(result.spec.methods, chosen)
        figure, finding, about = without_title(curves(result, lambdas, theme=theme()))
        with right:
            st.markdown(f"**{finding}**")
            chart(figure, key=self._chart("curves"), height=HEIGHT, label=finding, name="curves")
            st.caption(f"{about[:1].upper()}{about[1:]}. How far the averaged iterate is above the optimum.")

    def _choose(self, lambdas: tuple[float, ...], clicked: Clicked) -> None:
        nearest = min(lambdas, key=lambda lam: abs(lam - clicked.x))
        st.session_state[self._key("at")] = repr(nearest)

    def _key(self, name: str) -> str:
        return f"{self._page}_{name}"

    def _chart(self, name: str) -> str:
        return f"{self._page}-{name}"
