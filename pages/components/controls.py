"""The sidebar: every field of a sweep as a control that lives in the URL, and a sentence beside each that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from cvar_core import ProblemSpec, SpecError, SweepSpec
from cvar_core.catalogue import losses, methods, noises, schedules
from cvar_core.figures import density
from cvar_core.jobs import Limits
from cvar_core.reading import log_range, read_grid, write_grid

from .chart import chart
from .links import keep, recall
from .look import theme
from .presets import DEFAULT, PRESETS, preset_named_by
from .words import fault

GRIDS = ("paper", "range", "list")


@dataclass
class Asked:
    """What the controls say: a sweep, or what keeps it from being one."""

    spec: SweepSpec | None
    faults: dict[str, str] = field(default_factory=dict)


class Controls:
    """The controls of one page. Each has a key that starts with the page's name, which is its name in the URL.

    What comes and goes among them stands in a container that stays. Otherwise everything below would move by a place,
    be built anew by the browser, and a change that is made at that moment would not reach the URL.
    """

    def __init__(self, page: str, limits: Limits) -> None:
        self._page = page
        self._limits = limits
        self._beside: dict[str, Any] = {}  # where the sentence about a field goes
        self._usual = self.values(DEFAULT)

    def ask(self) -> Asked:
        """Draw the controls, and return what they say."""
        preset = st.container()
        st.subheader("Problem", anchor=False)
        problem = self._problem()
        st.subheader("Sweep", anchor=False)
        given = self._sweep()
        with st.expander("More"):
            problem |= self._more_of_problem(given.pop("eval_size"))
            given |= self._more_of_sweep()
        asked = self._checked({"problem": problem, **given})
        for name, sentence in asked.faults.items():
            self._beside.get(name, st).markdown(fault(_named(name, sentence)))
        with preset:
            self._preset(asked.spec)
        return asked

    def values(self, spec: SweepSpec) -> dict[str, Any]:
        """Return the value of every control, by its key, that stands for a spec."""
        problem = spec.problem
        found = {
            "loss": problem.loss,
            "noise": problem.noise,
            "beta": problem.beta,
            "dim": problem.dim,
            "eval_size": problem.eval_size if problem.sample_size is None else DEFAULT.problem.eval_size,
            "sample_size": problem.sample_size,
            "seed": problem.seed,
            "scale": problem.scale,
            "methods": list(spec.methods),
            "iterations": spec.iterations,
            "seeds": len(spec.seeds),
            "schedule": spec.schedule,
            "checkpoints": spec.checkpoints,
            **_grid_values(spec.lambdas),
        }
        for noise in noises:
            given = problem.noise_params if noise.name == problem.noise else None
            found |= {f"{noise.name}_{name}": value for name, value in {**noise.parameters, **(given or {})}.items()}
        return {self._key(name): value for name, value in found.items()}

    @property
    def keys(self) -> dict[str, None]:
        """The controls' names in the URL."""
        return dict.fromkeys(self._usual)

    def open(self, spec: SweepSpec) -> None:
        """Set every control; to be called by a callback, before the script runs."""
        st.session_state.update(self.values(spec))

    # The fields.

    def _problem(self) -> dict[str, Any]:
        loss = self._choice("loss", "Loss", losses.names(), "How bad a prediction x·θ is for a target y.")
        noise = self._choice(
            "noise", "Noise ζ", noises.names(), "What is added to the targets. Log-normal and Student have heavy tails."
        )
        parameters = noises[noise].parameters
        for column, name in zip(st.columns(len(parameters)), parameters, strict=True):
            with column:
                self._number(f"{noise}_{name}", name, f"{noises[noise].formula}")
        self._leave_room("noise_params")
        given = {name: st.session_state[self._key(f"{noise}_{name}")] for name in parameters}
        with st.container():
            self._preview(noise, given)
        beta, dim = st.columns(2)
        with beta:
            level = self._number("beta", "Level β", "0.95 averages the worst 5% of the losses; 0 is their mean.", 0.01)
        with dim:
            size = self._number("dim", "Dimension d", "How many coordinates θ has.", 1)
        self._leave_room("beta", "dim")
        return {"loss": loss, "noise": noise, "noise_params": given, "beta": level, "dim": size}

    def _preview(self, noise: str, parameters: Mapping[str, float]) -> None:
        try:
            problem = ProblemSpec(noise=noise, noise_params=parameters)
        except SpecError:
            return  # the sentence stands beside the parameters
        chart(
            density(problem, theme=theme()), key=self._key("density"), height=110, label=f"The density of {noise} noise"
        )

    def _sweep(self) -> dict[str, Any]:
        key, usual = self._key("methods"), self._usual[self._key("methods")]
        recall(key, methods.names(), many=True)
        st.session_state[key] = st.session_state.get(key, usual)  # the browser forgets a value that is sent only once
        chosen = st.multiselect(
            "Methods", methods.names(), key=key,
            format_func=lambda name: methods[name].label,
            help="SGM is the stochastic subgradient method; SPL and SPL₊ are prox-linear methods.",
        )  # fmt: skip
        keep(key, chosen, usual)
        self._leave_room("methods")
        lambdas = self._grid()
        left, right = st.columns(2)
        with left:
            iterations = self._number("iterations", "Iterations T", "Updates of each run.", 10_000)
        with right:
            seeds = self._number("seeds", "Seeds", "Each seed is another start and another stream of samples.", 1)
        self._leave_room("iterations", "seeds")
        size = self._number(
            "eval_size", "Evaluation points N", "The objective is a mean over so many points. The paper has a million.",
            50_000, disabled=st.session_state.get(self._key("sample_size")) is not None,
        )  # fmt: skip
        self._leave_room("eval_size")
        return {
            "methods": tuple(chosen),
            "lambdas": lambdas,
            "iterations": iterations,
            "seeds": seeds,
            "eval_size": size,
        }

    def _grid(self) -> Any:
        kind = self._choice("grid", "Step sizes λ", GRIDS, "The paper's 15, a log-spaced range, or your own list.")
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
                return log_range(low, high, count)
            return read_grid("paper")
        except SpecError as wrong:
            return wrong

    def _more_of_problem(self, evaluated: Any) -> dict[str, Any]:
        drawn = st.number_input(
            "Fixed sample of n points", value=None, step=1, placeholder="fresh samples", key=self._key("sample_size"),
            bind="query-params",
            help="Empty: every update sees a fresh sample. A number: P is the empirical distribution of that many "
            "points, as in max loss, β = (n−1)/n, or empirical risk, β = 0.",
        )  # fmt: skip
        self._leave_room("sample_size")
        scale = self._number("scale", "Unit of the loss", "Multiplies the loss. SPL₊ does not see it; SPL and SGM do.")
        self._leave_room("scale")
        seed = self._number("seed", "Problem seed", "Fixes the true parameters and the evaluation points.", 1)
        self._leave_room("seed")
        size = {"eval_size": evaluated} if drawn is None else {"sample_size": drawn}
        return {"scale": scale, "seed": seed, **size}

    def _more_of_sweep(self) -> dict[str, Any]:
        about = "; ".join(f"{schedule.name}: {schedule.formula}" for schedule in schedules)
        schedule = self._choice("schedule", "Schedule", schedules.names(), about)
        points = self._number("checkpoints", "Points on a curve", "Log-spaced iterations that are recorded.", 1)
        self._leave_room("checkpoints")
        return {"schedule": schedule, "checkpoints": points}

    def _preset(self, spec: SweepSpec | None) -> None:
        def apply() -> None:
            chosen = st.session_state[key]
            if chosen is not None:
                self.open(PRESETS[chosen])

        key = self._key("preset")
        st.session_state[key] = preset_named_by(spec)  # always the truth, also after another control has moved
        st.selectbox(
            "Preset", list(PRESETS), key=key, on_change=apply, placeholder="Your own settings",
            help="Sets all controls below.",
        )  # fmt: skip

    # What they are made of.

    def _key(self, name: str) -> str:
        return f"{self._page}_{name}"

    def _choice(self, name: str, label: str, options: tuple[str, ...], about: str) -> str:
        usual = options.index(self._usual[self._key(name)])
        chosen: str = st.selectbox(label, options, usual, key=self._key(name), help=about, bind="query-params")
        return chosen

    def _number(self, name: str, label: str, about: str, step: float | None = None, disabled: bool = False) -> Any:
        """Draw a number without bounds: a value that is not allowed gets a sentence, and is not silently changed."""
        usual = self._usual[self._key(name)]
        whole = isinstance(usual, int)
        return st.number_input(
            label, value=usual, step=step if whole or step else 0.1, format="%d" if whole else "%g",
            key=self._key(name), help=about, disabled=disabled, bind="query-params",
        )  # fmt: skip

    def _leave_room(self, *names: str) -> None:
        room = st.container()
        self._beside |= dict.fromkeys(names, room)

    def _checked(self, given: dict[str, Any]) -> Asked:
        unreadable = {}
        if isinstance(given["lambdas"], SpecError):
            unreadable = {"lambdas": str(given.pop("lambdas"))}
        faults = self._limits.faults(given) | unreadable
        return Asked(None if faults else SweepSpec.from_dict(given), faults)


def _grid_values(lambdas: tuple[float, ...]) -> dict[str, Any]:
    text = write_grid(lambdas)
    kind = "paper" if text == "paper" else "range" if ":" in text else "list"
    low, high, count = text.split(":") if kind == "range" else ("0.001", "100", "11")
    listed = text if kind == "list" else "0.01, 0.1, 1, 10"
    return {"grid": kind, "low": float(low), "high": float(high), "count": int(count), "list": listed}


def _named(field: str, sentence: str) -> str:
    """Speak of a field by the name of its control."""
    name = _NAMES.get(field)
    return (
        sentence.replace(f"{field} is ", f"{name} is ", 1) if name and sentence.startswith(f"{field} is ") else sentence
    )


_NAMES = {
    "beta": "the level β",
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
}
