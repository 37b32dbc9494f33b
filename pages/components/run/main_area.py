"""The main area of a page that shows one run, and the controls that change what is said of it, not the run."""

from __future__ import annotations

import re
from dataclasses import replace

import streamlit as st

from cvar_core import Problem, Result, SpecError, SweepSpec
from cvar_core.jobs import View
from cvar_core.reading import number as read_number
from cvar_core.results import MEASURES, RISK, Criterion, few, number, round_up
from cvar_core.specs import step_size

from ..asking.fields import Asked
from ..asking.links import keep, recall
from ..drawing.look import Look
from ..drawing.run_picture import STUDY
from ..drawing.status import duration
from ..drawing.style import theme
from ..drawing.text import fault
from ..sending.live import live, tell_look
from . import history, pins, sharpen, tabs, tail_tab
from .buttons import press
from .session import Session, Shown

SHARES = ("50%", "80%", "90%", "95%", "98%", "99%", "99.5%", "99.9%", "99.99%")
JUDGES = {"risk": "the model's risk", "objective": "the objective"}
_BEST = "best"
_COMMA = re.compile(r"^(\s*\d*),(\d+\s*)$")  # 0,5 is half of one where people write it so
_STARTS = (20, 80)  # more of them, where there are few


class MainArea:
    """The verdict and the charts, which the server keeps up to date, and below them what the script draws."""

    def __init__(self, session: Session) -> None:
        self._session, self._page, self._manager = session, session.page, session.manager
        self._judged_by: Criterion | None = None  # before the fields are drawn

    @property
    def _by(self) -> Criterion:
        return self._judged_by or Criterion()

    @property
    def keys(self) -> dict[str, tuple[str, ...] | None]:
        """The controls' names in the URL, with the values of those that have a fixed set of them."""
        fixed = {
            "lambda": None, "closed": SHARES, "measure": MEASURES, "at": None, "panel": tabs.titles(self._session),
            pins.NAME: None, sharpen.NAME: None, **tail_tab.KEYS,
        }  # fmt: skip
        return {self._key(name): values for name, values in fixed.items()}

    def ask(self) -> None:
        """Draw the visitor's λ, by what it is judged and what counts as usable."""
        # A fragment of its own: another λ needs nothing of the script but a word to the live charts.
        st.fragment(self._ask)()

    def _ask(self) -> None:
        if self._used in st.session_state:
            st.session_state[self._key("lambda")] = f"{st.session_state.pop(self._used):.10g}"
        text = st.text_input(
            "Your step size λ", "1", key=self._key("lambda"), bind="query-params", max_chars=30,
            help="Is this λ safe? Between two λ of the grid it is read off the line between them, without a new run.",
        )  # fmt: skip
        with st.container():
            lam = self._read(text)
        measure = ask_measure(self._key("measure"), RISK)
        share = st.select_slider(
            "Usable: closes this share of the gap", SHARES, "90%", key=self._key("closed"), bind="query-params",
            help="A λ is usable for a start when the run does not diverge and closes at least this share of its own "
            "gap. What then remains is ε.",
        )  # fmt: skip
        before, self._judged_by = self._judged_by, Criterion(measure, float(share.rstrip("%")) / 100)
        tell_look(
            self._page, Look(lam, self._by.measure, self._by.closed, theme=theme(), pinned=pins.pinned(self._session))
        )
        if before is not None and before != self._by:
            st.rerun()  # tables and commands follow it, too

    def show(self, run: Shown, asked: Asked | None = None) -> None:
        """Draw a run; ``asked`` is what the controls say, if they ask for it."""
        view = self._session.view(run.spec)
        if view is None:
            st.info("This run was deleted. **Run** computes it again.")
            self.show_history()
            return
        self._recall_chosen(run.spec.lambdas)
        st.session_state.pop(self._followed, None)
        st.fragment(self._watch)(run, "" if view.live else view.status)
        self._offer_more(view, None if asked is None else asked.problem)
        pins.draw(self._session, run)
        if tabs.draw(self._session, run, view, self._by, asked, self._chosen()):
            st.session_state[self._followed] = self._chosen()

    def _watch(self, run: Shown, settled: str) -> None:
        """Draw the live verdict and charts; a fragment, because a clicked point changes only them and the link."""
        spec, best = run.spec, (None, "Curves at each method's best λ")
        live(
            "run", self._page, self._session.visitor, spec.id, part=STUDY, key=f"{self._page}-study",
            page=self._page, settled=settled,
            lambdas=[best, *((lam, f"Curves at λ = {number(lam)}") for lam in spec.lambdas)],
            at=self._chosen(), on_choice=self._choose, on_use=self._use, on_level=self._take_level,
            on_measure=self._take_measure,
        )  # fmt: skip
        if self._used in st.session_state or st.session_state.pop(self._levelled, False):
            st.rerun()  # the fields stand outside of this fragment
        if st.session_state.get(self._followed, self._chosen()) != self._chosen():
            st.rerun()  # the open tab is about another λ
        keep(self._key("at"), st.session_state[self._key("at")], _BEST)

    def show_history(self, shown: Shown | None = None) -> None:
        """Draw the visitor's runs where there is no result to draw them below."""
        st.markdown("**Your runs**")
        history.draw(self._session, shown)

    def _read(self, text: str) -> float | None:
        try:
            return step_size("your λ", read_number("your λ", _COMMA.sub(r"\1.\2", text)))
        except SpecError as wrong:
            st.markdown(fault(str(wrong)))
            return None

    def _offer_more(self, view: View, problem: Problem | None) -> None:
        """Say once what the numbers cannot show for want of starts or points, with the buttons that mend it."""
        sharpened = sharpen.followed(self._session, view.spec, problem, self._by)
        with st.container(horizontal=True, vertical_alignment="center", key=f"{self._page}-more"):
            self._offer_starts(view.spec)
            sharpen.offer(self._session, view, sharpened, self._by)
            if view.result is not None:
                self._offer_points(view.result)
        sharpen.show(self._session, view.spec, sharpened, self._by)

    def _offer_starts(self, spec: SweepSpec) -> None:
        words = few(len(spec.seeds))
        if not words:
            return
        st.caption(f"{words}.", width="content")
        larger = (replace(spec, seeds=tuple(range(count))) for count in _STARTS if count > len(spec.seeds))
        more = next((each for each in larger if not self._manager.limits.faults(each.to_dict())), None)
        if more is not None:
            count, seconds = len(more.seeds), self._manager.estimate(more)
            st.button(
                f"Run {count} starts", icon=":material/groups:", key=f"{self._page}-starts",
                on_click=self._take, args=("seeds", count),
                help=f"What is computed is kept, and only further starts are run: {duration(seconds)}.",
            )  # fmt: skip

    def _offer_points(self, result: Result) -> None:
        """Where the points cannot tell runs apart, offer as many as could, or say that the server takes no more."""
        needed = result.judged(self._by).points_needed
        if needed is None or self._session.on_data:
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

    def _take(self, control: str, value: float) -> None:
        st.session_state[self._key(control)] = value
        press(self._page)

    # Which λ the curves are at: a text, because it stands in the link.

    def _recall_chosen(self, lambdas: tuple[float, ...]) -> None:
        key, options = self._key("at"), (_BEST, *map(repr, lambdas))
        recall(key, options)
        if st.session_state.get(key) not in options:  # it may be of another grid
            st.session_state[key] = _BEST

    def _chosen(self) -> float | None:
        chosen = st.session_state[self._key("at")]
        return None if chosen == _BEST else float(chosen)

    def _choose(self, lam: float | None) -> None:
        st.session_state[self._key("at")] = _BEST if lam is None else repr(lam)

    @property
    def _followed(self) -> str:
        """Where the λ stands that the open tab was drawn for, if it depends on that."""
        return f"{self._page}-followed"

    # The λ that is recommended, on its way into the field.

    @property
    def _used(self) -> str:
        return f"{self._page}-used"

    def _use(self, lam: float) -> None:
        st.session_state[self._used] = lam

    # The level or the measure that is offered where there is nothing to decide.

    @property
    def _levelled(self) -> str:
        return f"{self._page}-levelled"

    def _take_level(self, beta: float) -> None:
        st.session_state[self._levelled] = True
        self._take("beta", beta)

    def _take_measure(self, measure: str) -> None:
        st.session_state[self._levelled] = True
        st.session_state[self._key("measure")] = measure

    def _key(self, name: str) -> str:
        return f"{self._page}_{name}"


def ask_measure(key: str, usual: str) -> str:
    """Draw by what runs are judged, which stands in the URL; changing it needs no new run."""
    recall(key, MEASURES, usual)
    measure = st.segmented_control(
        "Judge by", MEASURES, key=key, required=True, format_func=JUDGES.__getitem__, width="stretch",
        help="Whoever deploys the model θ̄ lives with its risk, the CVaR of its losses, or its mix with their mean. The "
        "objective, which the paper plots, also counts how far the threshold α is off; at the start that is most.",
    )  # fmt: skip
    keep(key, measure, usual)
    return str(measure)
