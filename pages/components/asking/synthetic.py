"""Explore's sidebar: a synthetic problem and a sweep on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from cvar_core import ProblemSpec, SpecError, SweepSpec
from cvar_core.catalogue import losses, noises
from cvar_core.data import Recipe
from cvar_core.figures import density
from cvar_core.jobs import Limits

from ..drawing.chart import chart
from ..drawing.style import theme
from .fields import Asked, Fields, loss_values, sweep_values
from .presets import DEFAULT, LOOK_AT, PRESETS, preset_named_by


class Controls(Fields):
    """The controls of one page on synthetic problems."""

    def __init__(self, page: str, limits: Limits) -> None:
        super().__init__(page, _values(DEFAULT), limits)

    def ask(self, presets: Any) -> Asked:
        """Draw the controls, and return what they say; ``presets`` is the place of those."""
        st.subheader("Problem", anchor=False)
        problem = self._problem()
        st.subheader("Sweep", anchor=False)
        given = self._sweep()
        with st.expander("More"):
            problem |= self._more_of_problem(given.pop("eval_size"))
            given |= self._more_of_sweep()
        asked = self._checked({"problem": problem, **given})
        self._say(asked.faults)
        with presets:
            self._preset(asked.spec)
        return asked

    def values(self, spec: SweepSpec) -> dict[str, Any]:
        """Return the value of every control, by its key, that stands for a spec."""
        return {self._key(name): value for name, value in _values(spec).items()}

    def open(self, spec: SweepSpec, recipe: Recipe | None = None) -> None:
        """Set every control; to be called by a callback, before the script runs."""
        st.session_state.update(self.values(spec))

    # The fields.

    def _problem(self) -> dict[str, Any]:
        loss = self._choice("loss", "Loss", losses.names(), "How bad a prediction x·θ is for a target y.")
        chosen = self._loss_parameters(loss)
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
        return {"loss": loss, "loss_params": chosen, "noise": noise, "noise_params": given, "beta": level, "dim": size}

    def _preview(self, noise: str, parameters: Mapping[str, float]) -> None:
        try:
            problem = ProblemSpec(noise=noise, noise_params=parameters)
        except SpecError:
            return  # the sentence stands beside the parameters
        chart(
            density(problem, theme=theme()), key=self._key("density"), height=110, plain=True,
            label=f"The density of {noise} noise",
        )  # fmt: skip

    def _sweep(self) -> dict[str, Any]:
        chosen = self._methods()
        lambdas = self._grid()
        left, right = st.columns(2)
        with left:
            iterations = self._number("iterations", "Iterations T", "Updates of each run.", 10_000)
        with right:
            seeds = self._seeds()
        self._leave_room("iterations", "seeds")
        size = self._number(
            "eval_size", "Evaluation points N", "The objective is a mean over so many points. The paper has a million.",
            50_000, disabled=st.session_state.get(self._key("sample_size")) is not None,
        )  # fmt: skip
        self._leave_room("eval_size")
        return {"methods": chosen, "lambdas": lambdas, "iterations": iterations, "seeds": seeds, "eval_size": size}

    def _more_of_problem(self, evaluated: Any) -> dict[str, Any]:
        drawn = st.number_input(
            "Fixed sample of n points", value=None, step=1, placeholder="fresh samples", key=self._key("sample_size"),
            bind="query-params",
            help="Empty: every update sees a fresh sample. A number: P is the empirical distribution of that many "
            "points, as in max loss, β = (n−1)/n, or empirical risk, β = 0.",
        )  # fmt: skip
        self._leave_room("sample_size")
        mix, scale = self._mix(), self._scale()
        seed = self._number("seed", "Problem seed", "Fixes the true parameters and the evaluation points.", 1)
        self._leave_room("seed")
        start = self._start()
        size = {"eval_size": evaluated} if drawn is None else {"sample_size": drawn}
        return {"mix": mix, "scale": scale, "seed": seed, "start": start, **size}

    def _preset(self, spec: SweepSpec | None) -> None:
        def apply() -> None:
            chosen = st.session_state[key]
            if chosen is not None:
                self.open(PRESETS[chosen])
                st.session_state[f"{self._page}-picked"] = True
                if chosen in LOOK_AT:
                    st.session_state[self._key("lambda")] = LOOK_AT[chosen]

        key = self._key("preset")
        st.session_state[key] = preset_named_by(spec)  # always the truth, also after another control has moved
        st.selectbox(
            "Preset", list(PRESETS), key=key, on_change=apply, placeholder="Your own settings",
            help="A ready-made experiment: it sets all controls below, and starts.",
        )  # fmt: skip

    def _checked(self, given: dict[str, Any]) -> Asked:
        unreadable = {}
        if isinstance(given["lambdas"], SpecError):
            unreadable = {"lambdas": str(given.pop("lambdas"))}
        faults = self._limits.faults(given) | unreadable
        return Asked(None if faults else SweepSpec.from_dict(given), faults)


def _values(spec: SweepSpec) -> dict[str, Any]:
    problem = spec.problem
    found = {
        "loss": problem.loss,
        "noise": problem.noise,
        "beta": problem.beta,
        "dim": problem.dim,
        "eval_size": problem.eval_size if problem.sample_size is None else DEFAULT.problem.eval_size,
        "sample_size": problem.sample_size,
        "seed": problem.seed,
        "iterations": spec.iterations,
        **loss_values(problem),
        **sweep_values(spec),
    }
    for noise in noises:
        given = problem.noise_params if noise.name == problem.noise else None
        found |= {f"{noise.name}_{name}": value for name, value in {**noise.parameters, **(given or {})}.items()}
    return found
