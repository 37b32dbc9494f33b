"""Fields of the sidebar: each a control that lives in the URL, with a sentence beside it where it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from cvar_core import Problem, ProblemSpec, SpecError, SweepSpec
from cvar_core.catalogue import losses, methods, schedules
from cvar_core.data import Dataset, Recipe
from cvar_core.jobs import Limits
from cvar_core.reading import log_range, read_grid, write_grid
from cvar_core.specs import RANDOM, STARTS

from ..drawing.text import fault
from .links import keep, recall, say_again

GRIDS = {"paper": "the paper’s", "range": "a range", "list": "a list"}

Faults = dict[str, str | tuple[str, ...]]  # by the name of a field, what is wrong with it


@dataclass
class Asked:
    """What the controls say: a sweep, or what keeps it from being one; with the data that it is on, if it is."""

    spec: SweepSpec | None
    faults: Faults = field(default_factory=dict)
    problem: Problem | None = None
    recipe: Recipe | None = None
    rows: Callable[[], tuple[Dataset, Problem]] | None = None  # from wherever they are kept, and as long as they are


class Fields:
    """Fields of one page. Each has a key that starts with the page's name, which is its name in the URL.

    What comes and goes among them stands in a container that stays. Otherwise everything below would move by a place,
    be built anew by the browser, and a change that is made at that moment would not reach the URL.
    """

    def __init__(self, page: str, usual: dict[str, Any], limits: Limits) -> None:
        self._page, self._limits = page, limits
        self._usual = {self._key(name): value for name, value in usual.items()}
        self._beside: dict[str, Any] = {}  # where the sentence about a field goes

    @property
    def keys(self) -> dict[str, None]:
        """The controls' names in the URL."""
        return dict.fromkeys(self._usual)

    def picked(self) -> bool:
        """Tell, once, whether the visitor has picked all of a run at once, and so wants to see it."""
        return bool(st.session_state.pop(f"{self._page}-picked", False))

    def _key(self, name: str) -> str:
        return f"{self._page}_{name}"

    def _choice(self, name: str, label: str, options: tuple[str, ...], about: str) -> str:
        usual = options.index(self._usual[self._key(name)])
        chosen: str = st.selectbox(label, options, usual, key=self._key(name), help=about, bind="query-params")
        return chosen

    def _segments(self, name: str, label: str, options: dict[str, str], about: str) -> str:
        """Draw a choice of few, each with words for it, beside each other."""
        key, usual = self._key(name), self._usual[self._key(name)]
        recall(key, options, usual)
        chosen = st.segmented_control(
            label, list(options), key=key, required=True, format_func=options.__getitem__, width="stretch", help=about
        )
        keep(key, chosen, usual)
        return str(chosen)

    def _number(self, name: str, label: str, about: str, step: float | None = None, disabled: bool = False) -> Any:
        """Draw a number without bounds: a value that is not allowed gets a sentence, and is not silently changed."""
        usual = self._usual[self._key(name)]
        whole = isinstance(usual, int)
        return st.number_input(
            label, value=usual, step=step if whole or step else 0.1, format="%d" if whole else "%g",
            key=self._key(name), help=about, disabled=disabled, bind="query-params",
        )  # fmt: skip

    def _switch(self, name: str, label: str, about: str) -> bool:
        return st.toggle(label, self._usual[self._key(name)], key=self._key(name), help=about, bind="query-params")

    def _depending(
        self,
        name: str,
        label: str,
        options: Collection[str],
        usual: str,
        on: object,
        about: str,
        words: Callable[[str], str] = str,
    ) -> str:
        """Draw a choice whose options, and what is usual among them, depend ``on`` something else."""
        key, before = self._key(name), f"{self._page}-{name}-of"
        recall(key, options)
        if st.session_state.get(before, on) != on or st.session_state.get(key) not in options:
            st.session_state[key] = usual
        st.session_state[before] = on
        say_again(key, usual)
        chosen: str = st.selectbox(label, list(options), key=key, help=about, format_func=words)
        keep(key, chosen, usual)
        return chosen

    def _depending_number(self, name: str, label: str, usual: float, on: object, about: str, step: float) -> Any:
        """Draw a number whose usual value depends ``on`` something else."""
        key, before = self._key(name), f"{self._page}-{name}-of"
        then, was_usual = st.session_state.get(before, (on, usual))
        if key not in st.session_state:
            st.session_state[key] = _number_in_link(key, usual)
        elif then != on or st.session_state[key] == was_usual:  # nobody has chosen it for this
            st.session_state[key] = usual
        st.session_state[before] = on, usual
        say_again(key, usual)
        chosen = st.number_input(label, step=step, format="%g", key=key, help=about)
        keep(key, repr(chosen), repr(usual))
        return chosen

    def _leave_room(self, *names: str) -> None:
        room = st.container()
        self._beside |= dict.fromkeys(names, room)

    def _say(self, faults: Faults) -> None:
        for name, told in faults.items():
            for sentence in (told,) if isinstance(told, str) else told:
                self._beside.get(name, st).markdown(fault(_named(name, sentence)))

    # What every problem and every sweep is made of.

    def _loss_parameters(self, name: str) -> dict[str, Any]:
        """Draw the parameters of a loss; where it has none, their place stays."""
        loss = losses[name]
        with st.container():
            for column, each in zip(st.columns(max(len(loss.parameters), 1)), loss.parameters, strict=False):
                low, high = loss.between.get(each, (-math.inf, math.inf))
                with column:
                    self._number(
                        f"{name}_{each}", each, loss.formula, None if math.isinf(high - low) else (high - low) / 20
                    )
        self._leave_room("loss_params")
        return {each: st.session_state[self._key(f"{name}_{each}")] for each in loss.parameters}

    def _methods(self) -> tuple[str, ...]:
        key, usual = self._key("methods"), self._usual[self._key("methods")]
        recall(key, methods.names(), usual, many=True)
        chosen = st.multiselect(
            "Methods", methods.names(), key=key,
            format_func=lambda name: methods[name].label,
            help="SGM is the stochastic subgradient method; SPL and SPL₊ are prox-linear methods. SGM-U and SPL-U are "
            "ours, not the paper's: their λ has no unit, neither of the loss nor of a feature. Truncated SGM is Asi "
            "and Duchi's: its step ends where the linear model reaches 0.",
        )  # fmt: skip
        keep(key, chosen, usual)
        self._leave_room("methods")
        return tuple(chosen)

    def _grid(self) -> Any:
        about = "The paper's 15, a log-spaced range, or your own list."
        kind = self._segments("grid", "Step sizes λ", GRIDS, about)
        with st.container():
            lambdas = self._lambdas(kind)
        self._leave_room("lambdas")
        return lambdas

    def _lambdas(self, kind: str) -> Any:
        try:
            if kind == "list":
                text = st.text_input(
                    "λ, separated by commas", self._usual[self._key("list")],
                    key=self._key("list"), bind="query-params", max_chars=10_000,
                )  # fmt: skip
                return read_grid(text)
            if kind == "range":
                columns = st.columns([3, 3, 2])
                with columns[0]:
                    low = self._number("low", "from", "The smallest λ.")
                with columns[1]:
                    high = self._number("high", "to", "The largest λ.")
                with columns[2]:
                    count = self._number("count", "count", "How many, evenly spaced in the logarithm.", 1)
                return log_range(low, high, count, most=self._limits.lambdas)
            return read_grid("paper")
        except SpecError as wrong:
            return wrong

    def _seeds(self) -> Any:
        return self._number("seeds", "Seeds", "Each seed is another start and another stream of samples.", 1)

    def _scale(self) -> Any:
        scale = self._number("scale", "Unit of the loss", "Multiplies the loss. SPL₊, SPL-U and SGM-U do not see it.")
        self._leave_room("scale")
        return scale

    def _start(self) -> str:
        about = "Where θ begins: at random, as the paper's runs do, or at 0, as runs on data mostly do."
        return self._choice("start", "Start", STARTS, about)

    def _mix(self) -> Any:
        about = (
            "What is minimised is (1−μ)·mean + μ·CVaR. 1 is CVaR, as in the paper, and 0 is the mean; 0.3 weighs the "
            "worst 5%, at β = 0.95, with 0.3 and the mean of all with 0.7."
        )
        mix = self._number("mix", "Weight μ of CVaR", about, 0.1)
        self._leave_room("mix")
        return mix

    def _more_of_sweep(self) -> dict[str, Any]:
        about = "; ".join(f"{schedule.name}: {schedule.formula}" for schedule in schedules)
        schedule = self._choice("schedule", "Schedule", schedules.names(), about)
        points = self._number("checkpoints", "Points on a curve", "Log-spaced iterations that are recorded.", 1)
        self._leave_room("checkpoints")
        return {"schedule": schedule, "checkpoints": points}


def _number_in_link(key: str, usual: float) -> float:
    try:
        return float(st.query_params.get(key, usual))
    except ValueError:
        return usual


def loss_values(problem: ProblemSpec | None = None) -> dict[str, float]:
    """Return the values of the fields of every loss's parameters, by their names: a problem's for its own loss."""
    found = {f"{loss.name}_{name}": value for loss in losses for name, value in loss.parameters.items()}
    chosen = {} if problem is None else problem.loss_params or {}
    return found | {f"{problem.loss}_{name}": value for name, value in chosen.items() if problem is not None}


def sweep_values(spec: SweepSpec) -> dict[str, Any]:
    """Return the values of the fields that every sweep has, by their names."""
    return {
        "methods": list(spec.methods),
        "seeds": len(spec.seeds),
        "schedule": spec.schedule,
        "checkpoints": spec.checkpoints,
        "scale": spec.problem.scale,
        "start": spec.problem.start or RANDOM,
        "mix": spec.problem.tail_weight,
        **_grid_values(spec.lambdas),
    }


def _grid_values(lambdas: tuple[float, ...]) -> dict[str, Any]:
    text = write_grid(lambdas)
    kind = "paper" if text == "paper" else "range" if ":" in text else "list"
    low, high, count = text.split(":") if kind == "range" else ("0.001", "100", "11")
    listed = text if kind == "list" else "0.01, 0.1, 1, 10"
    return {"grid": kind, "low": float(low), "high": float(high), "count": int(count), "list": listed}


def _named(field: str, sentence: str) -> str:
    """Speak of a field by the name of its control."""
    name = _NAMES.get(field)
    if field == "lambdas" and sentence.startswith("one of lambdas is "):
        return sentence.replace("lambdas", "the λ", 1)
    return sentence.replace(field, name, 1) if name and sentence.startswith(f"{field} is ") else sentence


_NAMES = {
    "beta": "the level β",
    "mix": "the weight μ",
    "dim": "the dimension d",
    "eval_size": "the number of evaluation points",
    "sample_size": "the fixed sample's size",
    "scale": "the unit",
    "seed": "the problem seed",
    "seeds": "the number of seeds",
    "iterations": "the number of iterations",
    "lambdas": "the list of λ",
    "methods": "the list of methods",
    "checkpoints": "the number of points on a curve",
    "holdout": "the share to hold out",
}
