"""The Data page's sidebar: whose rows, how they are prepared, and a sweep on them."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import streamlit as st

from cvar_core import SpecError, SweepSpec
from cvar_core.catalogue import losses
from cvar_core.data import DataError, Dataset, Preview, Recipe, SplitError, fetch, sets
from cvar_core.jobs import Limits
from cvar_core.specs import usual_methods

from ..drawing.text import plain
from .fields import Asked, Fields, sweep_values
from .sources import Sources

FIRST = "breast-cancer"
HOLD_OUT, NONE, ITS_OWN = "hold out a share", "none", "its own"

USUAL = {
    "set": FIRST, "target": "", "test": HOLD_OUT, "share": 0.2, "split": 0, "standardise": True, "intercept": True,
    "loss": "logistic", "positive": "", "beta": 0.95, "passes": 20.0,
    **sweep_values(SweepSpec.from_dict({"methods": usual_methods(on_data=True)})),
}  # fmt: skip
DEPENDING = ("target", "test", "loss", "positive", "passes")  # what is usual of these depends on the data

_UPDATES = 300_000  # of a run, unless the visitor asks for more


class DataControls(Fields):
    """The controls of one page on data. After ``ask``, ``preview`` and ``mapping`` say what was read."""

    def __init__(self, page: str, limits: Limits, sources: Sources) -> None:
        super().__init__(page, USUAL)
        self._limits, self._sources = limits, sources
        self.preview: Preview | None = None
        self.mapping: str | None = None
        self.name = FIRST

    def choose_files(self, names: list[str]) -> None:
        """Take up files that have come: the largest to train on, and one that came with it to test on."""
        first, *others = names
        st.session_state[self._key("set")] = first
        if len(others) == 1:
            st.session_state[self._key("test")], st.session_state[f"{self._page}-test-of"] = others[0], first

    def ask_which(self) -> None:
        """Draw which data."""
        st.subheader("Data", anchor=False)
        wanted = st.session_state.get(self._key("set"), st.query_params.get(self._key("set"), FIRST))
        options = list(dict.fromkeys([*self._sources.names, wanted]))  # a link may name a file that is still to come
        self.name = self._depending(
            "set", "Data set", options, FIRST, None, "Your files, small sets, and the paper's four.", self._about
        )
        self._leave_room("data")
        with st.container():
            self._offer_download()

    def ask(self) -> Asked:
        """Draw how the data are prepared, the problem and the sweep, and return what all the controls say."""
        recipe = self._prepared()
        faults: dict[str, str] = {}
        data = self._read(recipe, faults)
        st.subheader("Problem", anchor=False)
        problem, recipe = self._problem(recipe, data)
        st.subheader("Sweep", anchor=False)
        given: dict[str, Any] = {"methods": self._methods(), "lambdas": self._grid()}
        left, right = st.columns(2)
        with left:
            about = "How often each run sees as many rows as there are. Fewer by default where there are many."
            passes = self._depending_number("passes", "Passes", self._usual_passes(), recipe.data, about, 1.0)
        with right:
            given["seeds"] = self._seeds()
        self._leave_room("passes", "iterations", "seeds")
        with st.expander("More"):
            problem |= {"scale": self._scale(), "start": self._start()}
            given |= self._more_of_sweep()
        asked = self._checked(recipe, problem, given, passes, faults)
        self._say(asked.faults)
        return asked

    def open(self, spec: SweepSpec, recipe: Recipe | None = None) -> None:
        """Set every control; to be called by a callback, before the script runs."""
        if recipe is None:
            return
        st.session_state.update({self._key(name): value for name, value in data_values(spec, recipe).items()})
        for name in DEPENDING:
            st.session_state.pop(f"{self._page}-{name}-of", None)  # what they were chosen for is what is set here

    # Which data.

    def _about(self, name: str) -> str:
        if name in self._sources.own:
            return f"{name} (yours)"
        if name not in sets:
            return f"{name} (to be uploaded)"
        return f"{name}: {sets[name].about.partition(':')[0]}"

    def _offer_download(self) -> None:
        if self.name not in sets or self._sources.has(self.name):
            return
        st.caption(f"{self.name} is not on this server yet.")
        if st.button("Download it", icon=":material/download:", key=f"{self._page}-fetch"):
            try:
                with st.spinner(f"Downloading {self.name} …"):
                    fetch(sets[self.name])
            except DataError as why:
                reason = str(why).partition(";")[0]  # what follows says where things lie on the server
                st.error(plain(f"The server {reason}. Who runs it can put the files there by hand."))
            else:
                st.rerun()

    def _prepared(self) -> Recipe:
        target = None
        columns = self._sources.columns(self.name)
        with st.container():
            if columns:
                about = "The column to predict; all others are features. Texts become a column for each value."
                chosen = self._depending("target", "Target column", columns, columns[-1], self.name, about)
                target = None if chosen == columns[-1] else chosen
        tested = sets[self.name].test_rows if self.name in sets else 0
        others = [name for name in self._sources.own if name != self.name]
        options = [ITS_OWN, HOLD_OUT] if tested else [HOLD_OUT, NONE, *others]
        test = self._depending(
            "test", "Test rows", options, options[0], self.name,
            "Rows that no run is trained on: a share drawn from the data, or another of your files.",
        )  # fmt: skip
        with st.container():
            share, seed = self._split() if test == HOLD_OUT else (None, 0)
        self._leave_room("holdout")
        about = "Divide each column by its deviation over the training rows; dense columns lose their mean, too."
        standardise = self._switch("standardise", "Standardise", about)
        intercept = self._switch("intercept", "Intercept", "Add a column of ones.")
        return Recipe(
            self.name,
            target,
            test if test in others else None,
            share,
            seed,
            standardise,
            intercept,
        )

    def _split(self) -> tuple[float, int]:
        left, right = st.columns(2)
        with left:
            share: float = self._number("share", "Share", "Of the rows, to be held out.", 0.05)
        with right:
            seed: int = self._number("split", "Split seed", "Which rows are held out.", 1)
        return share, seed

    def _read(self, recipe: Recipe, faults: dict[str, str]) -> Dataset | None:
        if self.name in sets and not self._sources.has(self.name):
            faults["data"] = f"{self.name} has to be downloaded before it can be run"
            return None
        try:
            with st.spinner("Reading the data …"):
                data, self.preview = self._sources.data(recipe)
        except DataError as wrong:
            faults["holdout" if isinstance(wrong, SplitError) else "data"] = str(wrong)
            return None
        return data

    # The problem.

    def _problem(self, recipe: Recipe, data: Dataset | None) -> tuple[dict[str, Any], Recipe]:
        loss = self._depending(
            "loss", "Loss", losses.names(), self._usual_loss(), (self.name, recipe.target),
            "How bad a prediction x·θ is for a target y. Logistic is for two labels.",
        )  # fmt: skip
        self._leave_room("loss")
        with st.container():
            recipe = self._labelled(recipe, data, loss)
        level = self._number("beta", "Level β", "0.95 averages the worst 5% of the losses; 0 is their mean.", 0.01)
        self._leave_room("beta")
        return {"loss": loss, "beta": level}, recipe

    def _usual_loss(self) -> str:
        if self.name in sets and self.name not in self._sources.own:
            return sets[self.name].loss
        two = self.preview is not None and self.preview.labels is not None and len(self.preview.labels) == 2
        return "logistic" if two else "squared"

    def _usual_passes(self) -> float:
        """Return so many that the answer is there in less than a minute, and enough for most data."""
        rows = 1 if self.preview is None else self.preview.rows
        return float(min(max(round(_UPDATES / rows), 1), USUAL["passes"]))

    def _labelled(self, recipe: Recipe, data: Dataset | None, loss: str) -> Recipe:
        """Draw which label is +1, where that is to be chosen, and say what the labels become."""
        labels = None if self.preview is None else self.preview.labels
        if data is None or not labels or losses[loss].task != "classification":
            return recipe
        positive = None
        if len(labels) > 2:
            names = list(labels)
            about = "The label that becomes +1; all others become −1."
            on = (self.name, recipe.target)
            positive = self._depending("positive", "Label to tell from the rest", names, names[0], on, about)
        try:
            self.mapping = str(data.mapping(positive))
        except DataError:
            return recipe  # the sentence stands beside the loss
        st.caption(plain(self.mapping))
        return replace(recipe, positive=positive)

    def _checked(
        self, recipe: Recipe, problem: dict[str, Any], given: dict[str, Any], passes: Any, faults: dict[str, str]
    ) -> Asked:
        if isinstance(given["lambdas"], SpecError):
            faults["lambdas"] = str(given.pop("lambdas"))
        if not (isinstance(passes, int | float) and 0 < passes < math.inf):
            faults["passes"] = f"the number of passes is {passes}, but it must be above 0"
        if faults:
            return Asked(None, faults | self._limits.faults({"problem": problem, **given}))
        try:
            base = self._sources.problem(recipe, problem["loss"])
        except DataError as wrong:
            return Asked(None, {"loss": str(wrong)})
        given["iterations"] = max(1, round(min(passes * base.spec.eval_size, 1e18)))
        faults = self._limits.faults({"problem": {**base.spec.to_dict(), **problem}, **given})
        if faults:
            return Asked(None, faults)
        ready = base.under(problem["loss"], problem["beta"], problem["scale"], problem["start"])
        rows = functools.partial(self._sources.rows, recipe, ready.spec)
        return Asked(SweepSpec.from_dict({"problem": ready.spec.to_dict(), **given}), {}, ready, recipe, rows)


def data_values(spec: SweepSpec, recipe: Recipe) -> dict[str, Any]:
    """Return the value of every control, by its name, that stands for a sweep on data."""
    tested = recipe.test or (HOLD_OUT if recipe.holdout is not None else None)
    tested = tested or (ITS_OWN if recipe.data in sets and sets[recipe.data].test_rows else NONE)
    values = {
        "set": recipe.data, "test": tested, "share": recipe.holdout or USUAL["share"], "split": recipe.seed,
        "standardise": recipe.standardise, "intercept": recipe.intercept, "loss": spec.problem.loss,
        "beta": spec.problem.beta, "passes": spec.iterations / spec.problem.eval_size, **sweep_values(spec),
    }  # fmt: skip
    return values | {name: value for name in ("target", "positive") if (value := getattr(recipe, name)) is not None}
