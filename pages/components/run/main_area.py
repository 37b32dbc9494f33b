"""A run as the visitor studies it: the verdict, the charts, and what can be done with it. Drawn anew as it grows."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import streamlit as st

from cvar_core import Result, SpecError, SweepSpec
from cvar_core.figures import curves, sensitivity, without_title
from cvar_core.reading import number as read_number
from cvar_core.results import MEASURES, RISK, Criterion, few, number, round_up

from ..asking.links import keep, recall
from ..drawing.chart import Clicked, charts, encoded
from ..drawing.style import theme
from ..drawing.text import capital, fault
from ..drawing.verdict_cards import verdict
from ..sending.alive import keep_alive
from ..sending.kept import Kept
from . import history
from . import tabs as panels
from .buttons import press, status
from .session import Desk, Shown

SHARES = ("50%", "80%", "90%", "95%", "98%", "99%", "99.5%", "99.9%", "99.99%")
JUDGES = {"risk": "the model's risk", "objective": "the objective"}
HEIGHT = 430  # px of the two charts
# Seconds between two looks at a live run, by how many runs are open: each look costs the server what others wait for.
_LOOKS = {3: 0.5, 12: 1.0, math.inf: 2.0}
_BELOW = 2.3  # times as long for what lies below the fold; no whole number, or both would always come at once
_BEST = "best"
_STARTS = (20, 80)  # more of them, where there are few


class Picture(NamedTuple):
    """What a poll sends of a result."""

    verdict: str
    charts: tuple[bytes, ...]


_pictures: Kept[Picture] = Kept(128)  # of some 30 kB, for all visitors


class Study:
    """The main area of a page that shows one run, and the controls that change what is said of it, not the run."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._page, self._manager, self._visitor = desk, desk.page, desk.manager, desk.visitor
        self._lam: float | None = None
        self._by = Criterion()

    @property
    def keys(self) -> dict[str, tuple[str, ...] | None]:
        """The controls' names in the URL, with the values of those that have a fixed set of them."""
        fixed = {
            "lambda": None, "closed": SHARES, "measure": MEASURES, "at": None, "panel": panels.titles(self._desk),
            "compare": None,
        }  # fmt: skip
        return {self._key(name): values for name, values in fixed.items()}

    def ask(self) -> None:
        """Draw the visitor's λ, by what it is judged and what counts as usable."""
        text = st.text_input(
            "Your step size λ", "1", key=self._key("lambda"), bind="query-params", max_chars=30,
            help="Is this λ safe? Between two λ of the grid it is read off the line between them, without a new run.",
        )  # fmt: skip
        with st.container():
            self._lam = self._read(text)
        measure = ask_measure(self._key("measure"), RISK)
        share = st.select_slider(
            "Usable: closes this share of the gap", SHARES, "90%", key=self._key("closed"), bind="query-params",
            help="A λ is usable for a start when the run does not diverge and closes at least this share of its own "
            "gap. What then remains is ε.",
        )  # fmt: skip
        self._by = Criterion(measure, float(share.rstrip("%")) / 100)

    def show(self, run: Shown) -> None:
        spec = run.spec
        view = self._manager.view(spec, self._visitor)
        live = view is not None and view.live
        often = next(seconds for most, seconds in _LOOKS.items() if self._manager.open_jobs <= most)
        keep_alive(live, self._chart("alive"), patience=2 * often + 2)
        self._recall_chosen(spec.lambdas)
        # Laid out by the style sheet: what only a click changes stands outside of the fragment, and is not sent again.
        with st.container(key="live-charts"):
            st.fragment(self._draw, run_every=often if live else None)(spec, live)
            self._ask_chosen(spec.lambdas)
        every = _BELOW * often if live else None
        if view is None or view.result is None:
            st.fragment(self._await_panels, run_every=every)(run)
        else:
            self._offer_more(view.result)
            panels.draw(self._desk, run, self._by, every)

    def _draw(self, spec: SweepSpec, was_live: bool) -> None:
        view = self._manager.view(spec, self._visitor)
        if was_live and (view is None or not view.live):
            st.rerun()  # draws the last state, and stops asking
        if view is None:
            st.info("This run was deleted. **Run** computes it again.")
            return
        result = view.result
        if result is None:
            status(view)
            st.container(height=2 * HEIGHT, border=False).caption(
                "The curves appear as soon as the optimum F* is known, which they are measured against."
            )
            return
        chosen, colours = self._chosen(), theme()
        about = self._page, self._by, self._lam, chosen, colours
        picture = _pictures.of(result, about, partial(self._picture, result, chosen, colours))
        st.html(picture.verdict)
        status(view)
        choose = {self._chart("sensitivity"): partial(self._choose, spec.lambdas)}
        charts(picture.charts, key=self._chart("charts"), on_click=choose)

    def _await_panels(self, run: Shown) -> None:
        view = self._manager.view(run.spec, self._visitor)
        if view is not None and view.result is not None:
            st.rerun()
        self.show_history(run)

    def show_history(self, shown: Shown | None = None) -> None:
        """Draw the visitor's runs where there is no result to draw them below."""
        st.markdown("**Your runs**")
        history.draw(self._desk, shown, None, self._by)

    def _read(self, text: str) -> float | None:
        try:
            (lam,) = SweepSpec.from_dict({"lambdas": (read_number("your λ", text),)}).lambdas
        except SpecError as wrong:
            st.markdown(fault(str(wrong)))
            return None
        return lam

    def _picture(self, result: Result, chosen: float | None, colours: str) -> Picture:
        by = self._by
        figure, finding, about = without_title(sensitivity(result, by=by, mark=self._lam, chosen=chosen, theme=colours))
        left = encoded(
            figure,
            key=self._chart("sensitivity"),
            height=HEIGHT,
            label=finding,
            name="sensitivity",
            title="Sensitivity to the step size",
            caption=f"{capital(about)}. A wide valley forgives a badly chosen λ. Click a point to see its curves.",
        )
        lambdas = None if chosen is None else dict.fromkeys(result.spec.methods, chosen)
        figure, finding, about = without_title(curves(result, lambdas, measure=by.measure, theme=colours))
        right = encoded(
            figure,
            key=self._chart("curves"),
            height=HEIGHT,
            label=finding,
            name="curves",
            caption=f"{'. '.join(filter(None, (finding, capital(about))))}. {_height(result, by.measure)}",
        )
        return Picture(verdict(result, by, self._lam, colours), (left, right))

    def _offer_more(self, result: Result) -> None:
        """Say once what the numbers cannot show for want of starts or points, with the buttons that mend it."""
        with st.container(horizontal=True, vertical_alignment="center", key=f"{self._page}-more"):
            self._offer_starts(len(result.spec.seeds))
            self._offer_points(result)

    def _offer_starts(self, count: int) -> None:
        words = few(count)
        more = next((each for each in _STARTS if count < each <= self._manager.limits.seeds), None)
        if not words:
            return
        st.caption(f"{words}.", width="content")
        if more is not None:
            st.button(
                f"Run {more} starts", icon=":material/groups:", key=f"{self._page}-starts",
                on_click=self._take, args=("seeds", more),
            )  # fmt: skip

    def _offer_points(self, result: Result) -> None:
        """Where the points cannot tell runs apart, offer as many as could, or say that the server takes no more."""
        needed = result.judged(self._by).points_needed
        if needed is None or self._desk.on_data:
            return
        limits, problem = self._manager.limits, result.spec.problem
        most = min(limits.eval_size, limits.numbers // problem.dim)
        if needed <= most:
            count = min(most, round_up(needed))
            st.button(
                f"Evaluate on {count:,} points", icon=":material/zoom_in:", key=f"{self._page}-points",
                on_click=self._take, args=("eval_size", count),
            )  # fmt: skip
        else:
            st.caption(f"This server evaluates on at most {most:,} points.")

    def _take(self, control: str, count: int) -> None:
        st.session_state[self._key(control)] = count
        press(self._page)

    def _recall_chosen(self, lambdas: tuple[float, ...]) -> None:
        key, options = self._key("at"), _options(lambdas)
        recall(key, options)
        if st.session_state.get(key) not in options:  # it may be of another grid
            st.session_state[key] = _BEST
        st.session_state[self._drawn] = st.session_state[key]
        keep(key, st.session_state[key], _BEST)

    def _ask_chosen(self, lambdas: tuple[float, ...]) -> None:
        """Draw which λ the curves are at."""
        options = _options(lambdas)
        # A new box for each click: the browser would go on to say what the old one held until it has seen the answer,
        # which the next poll may come before.
        box = self._box
        st.selectbox(
            "Curves at", options, options.index(st.session_state[self._key("at")]), key=box,
            label_visibility="collapsed", format_func=lambda each: f"Curves at {_words(each)}",
            on_change=self._pick, args=(box,),
        )  # fmt: skip

    def _chosen(self) -> float | None:
        """Return the λ that the curves are at; ``None`` stands for each method's best."""
        chosen = st.session_state[self._key("at")]
        if chosen != st.session_state[self._drawn]:
            st.rerun()  # the box and the panels below show it, too
        return None if chosen == _BEST else float(chosen)

    def _pick(self, box: str) -> None:
        if box == self._box:  # the browser may go on about an old one for a while
            st.session_state[self._key("at")] = st.session_state[box]

    def _choose(self, lambdas: tuple[float, ...], clicked: Clicked) -> None:
        nearest = min(lambdas, key=lambda lam: abs(lam - clicked.x))
        st.session_state[self._key("at")] = repr(nearest)
        st.session_state[self._clicks] = st.session_state.get(self._clicks, 0) + 1

    @property
    def _box(self) -> str:
        return f"{self._key('at')}-{st.session_state.get(self._clicks, 0)}"

    @property
    def _drawn(self) -> str:
        return f"{self._key('at')}-drawn"

    @property
    def _clicks(self) -> str:
        return f"{self._page}-clicks"

    def _key(self, name: str) -> str:
        return f"{self._page}_{name}"

    def _chart(self, name: str) -> str:
        return f"{self._page}-{name}"


def ask_measure(key: str, usual: str) -> str:
    """Draw by what runs are judged, which stands in the URL; changing it needs no new run."""
    recall(key, MEASURES)
    measure = st.segmented_control(
        "Judge by", MEASURES, key=key, required=True, format_func=JUDGES.__getitem__, width="stretch",
        help="Whoever deploys the model θ̄ lives with its risk, the CVaR of its losses. The objective, which the paper "
        "plots, also counts how far the threshold α is off; at the start that is most of it.",
        **({} if key in st.session_state else {"default": usual}),
    )  # fmt: skip
    keep(key, measure, usual)
    return str(measure)


def _height(result: Result, measure: str) -> str:
    """Say what the curves' height is."""
    if measure != RISK:
        return "How far F̃ at the averaged iterate, model and threshold together, is above F*."
    where = "" if result.true_excess_risk is None else ", in the whole population"
    return f"How far the CVaR of the averaged model is above the best{where}."


def _options(lambdas: tuple[float, ...]) -> tuple[str, ...]:
    return (_BEST, *(repr(lam) for lam in lambdas))


def _words(option: str) -> str:
    return "each method's best λ" if option == _BEST else f"λ = {number(float(option))}"
