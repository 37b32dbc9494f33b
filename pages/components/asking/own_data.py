"""The Data page's sidebar: whose rows, how they are prepared, and a sweep on them."""

from __future__ import annotations

import functools
import math
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from cvar_core import SpecError, SweepSpec
from cvar_core.catalogue import losses
from cvar_core.data import WAYS, DataError, Dataset, Preview, Recipe, SplitError, fetch, sets
from cvar_core.jobs import Limits
from cvar_core.results import number
from cvar_core.specs import ProblemSpec, usual_methods

from ..drawing.text import capital, plain
from .column_choice import Told
from .fields import Asked, Faults, loss_values, sweep_values
from .links import keep, recall, say_again
from .sources import Sources
from .table_fields import TableFields

FIRST = "diabetes"
UNNAMED = "breast-cancer"  # what a link means that names no set: once this was the first
HOLD_OUT, NONE, ITS_OWN = "hold out a share", "none", "its own"

USUAL = {
    "set": UNNAMED, "target": "", "drop": [], "keep": [], "only": [], "missing": WAYS[0],
    "test": HOLD_OUT, "share": 0.2, "split": 0, "standardise": True, "intercept": True, "standardise_target": False,
    "loss": ProblemSpec.loss, "positive": "", "beta": ProblemSpec.beta, "passes": 20.0,
    **sweep_values(SweepSpec.from_dict({"methods": usual_methods(on_data=True)})),
}  # fmt: skip
DEPENDING = ("target", "test", "loss", "positive", "passes")  # what is usual of these depends on the data

_UPDATES = 300_000  # of a run, unless the visitor asks for more
_WIDE = 100  # numbers in a row, beyond which an update takes the longer the more there are


def usual_values() -> dict[str, Any]:
    """Return the usual values of all fields, also of the parameters of every loss that there is by now."""
    return USUAL | loss_values()


class DataControls(TableFields):
    """The controls of one page on data. After ``ask``, ``preview``, ``mapping`` and ``unit`` say what was read."""

    def __init__(self, page: str, limits: Limits, sources: Sources) -> None:
        super().__init__(page, usual_values(), limits)
        self._sources = sources
        self.preview: Preview | None = None
        self.mapping: str | None = None
        self.unit = ""  # in which losses are told
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
        key = self._key("set")
        linked = any(name.startswith(self._key("")) for name in st.query_params)
        st.session_state.setdefault(self._linked, linked)
        usual = UNNAMED if linked else FIRST
        wanted = st.session_state.get(key, st.query_params.get(key, usual))
        options = list(dict.fromkeys([*self._sources.names, wanted]))  # a link may name a file that is still to come
        recall(key, options, usual)
        self.name = st.selectbox(
            "Data set", options, key=key, help="Your files, small sets, and the paper's four.", format_func=self._about
        )
        keep(key, self.name, None)  # also the first one, so that a link says what it means whatever comes first
        self._leave_room("data")
        with st.container():
            self._offer_download()

    def ask(self) -> Asked:
        """Draw how the data are prepared, the problem and the sweep, and return what all the controls say."""
        recipe = self._prepared()
        faults: Faults = {}
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
            problem |= {"mix": self._mix(), "scale": self._scale(), "start": self._start()}
            given |= self._more_of_sweep()
        asked = self._checked(recipe, problem, given, passes, faults)
        self._say(asked.faults)
        return asked

    def open(self, spec: SweepSpec, recipe: Recipe | None = None) -> None:
        """Set every control; to be called by a callback, before the script runs."""
        if recipe is None:
            return
        values = data_values(spec, recipe)
        values |= {name: values.get(name) for name in ("target", "positive")}  # none: what is usual for these data
        st.session_state.update({self._key(name): value for name, value in values.items() if name not in Told._fields})
        for name in (*DEPENDING, "missing", "standardise_target"):
            st.session_state.pop(f"{self._page}-{name}-of", None)  # what they were chosen for is what is set here
        self._note_columns(recipe.data, Told(recipe.drop, recipe.keep, recipe.only))

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
                st.error(plain(f"The server {why.sentences[0]}. Who runs it can put the files there by hand."))
            else:
                st.rerun()

    def _prepared(self) -> Recipe:
        with st.container():
            chosen = self._chosen_columns(self.name, self._sources.columns(self.name), self._sources.has(self.name))
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
        self._leave_room("scales")
        intercept = self._switch("intercept", "Intercept", "Add a column of ones.")
        return Recipe(
            data=self.name, test=test if test in others else None, holdout=share, seed=seed, standardise=standardise,
            intercept=intercept, **chosen,
        )  # fmt: skip

    def _split(self) -> tuple[float, int]:
        left, right = st.columns(2)
        with left:
            share: float = self._number("share", "Share", "Of the rows, to be held out.", 0.05)
        with right:
            seed: int = self._number("split", "Split seed", "Which rows are held out.", 1)
        return share, seed

    def _read(self, recipe: Recipe, faults: Faults) -> Dataset | None:
        if self.name in sets and not self._sources.has(self.name):
            faults["data"] = f"{self.name} has to be downloaded before it can be run"
            return None
        try:
            with st.spinner("Reading the data …"):
                data, self.preview = self._sources.data(recipe)
        except DataError as wrong:
            faults["holdout" if isinstance(wrong, SplitError) else "data"] = wrong.sentences
            return None
        if data.scales is not None and data.scales.wide:
            then = "which is why they are standardised" if recipe.standardise else "so that no λ suits all of them"
            self._beside["scales"].caption(plain(f"{capital(str(data.scales))}, {then}."))
        return data

    # The problem.

    def _problem(self, recipe: Recipe, data: Dataset | None) -> tuple[dict[str, Any], Recipe]:
        loss = self._depending(
            "loss", "Loss", losses.names(), self._usual_loss(data), (self.name, recipe.target),
            "How bad a prediction x·θ is for a target y. Logistic is for two labels.",
        )  # fmt: skip
        self._leave_room("loss")
        chosen = self._loss_parameters(loss)
        with st.container():
            recipe = self._labelled(recipe, data, loss)
            recipe = self._in_unit(recipe, data, loss)
        level = self._number("beta", "Level β", "0.95 averages the worst 5% of the losses; 0 is their mean.", 0.01)
        self._leave_room("beta")
        return {"loss": loss, "loss_params": chosen, "beta": level}, recipe

    def _usual_loss(self, data: Dataset | None) -> str:
        if self.name in sets and self.name not in self._sources.own:
            return sets[self.name].loss
        two = self.preview is not None and self.preview.labels is not None and len(self.preview.labels) == 2
        texts = data is not None and data.texts is not None  # which are no numbers to come near to
        return "logistic" if two or texts else "squared"

    def _usual_passes(self) -> float:
        """Return so many that the answer is there in less than a minute, and enough for most data."""
        if self.preview is None:
            return float(USUAL["passes"])
        rows = self.preview.rows
        width = self.preview.nonzeros / rows if self.preview.sparse else self.preview.columns
        updates = _UPDATES * min(1.0, _WIDE / width)
        return float(min(max(round(updates / rows), 1), USUAL["passes"]))

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

    def _in_unit(self, recipe: Recipe, data: Dataset | None, loss: str) -> Recipe:
        """Draw whether the target of a regression is standardised, and note what a loss is in its own unit then."""
        key, before = self._key("standardise_target"), f"{self._page}-standardise_target-of"
        if data is None or losses[loss].task != "regression" or data.texts is not None:
            keep(key, None, None)
            return recipe
        if key not in st.session_state and before not in st.session_state:
            # A link that does not say it means what it meant before there was a choice.
            st.session_state[key] = st.query_params.get(key, str(not st.session_state[self._linked])).lower() == "true"
        elif st.session_state.get(before, self.name) != self.name or key not in st.session_state:
            st.session_state[key] = True
        st.session_state[before] = self.name
        say_again(key, True)
        about = "Subtract the target's mean and divide by its deviation, over the training rows: λ has no unit to suit."
        chosen = st.toggle("Standardise the target", key=key, help=about)
        keep(key, str(chosen).lower(), None)
        if chosen:
            with suppress(DataError):  # it is said where the problem is made
                self.unit = _unit(data.standardise_target(), loss)
        return replace(recipe, standardise_target=chosen)

    @property
    def _linked(self) -> str:
        return f"{self._page}-linked"

    def _checked(
        self, recipe: Recipe, problem: dict[str, Any], given: dict[str, Any], passes: Any, faults: Faults
    ) -> Asked:
        if isinstance(given["lambdas"], SpecError):
            faults["lambdas"] = str(given.pop("lambdas"))
        if not (isinstance(passes, int | float) and 0 < passes < math.inf):
            faults["passes"] = f"the number of passes is {passes}, but it must be above 0"
        if faults:
            return Asked(None, faults | self._limits.faults({"problem": problem, **given}), recipe=recipe)
        try:
            base = self._sources.problem(recipe, problem["loss"])
        except DataError as wrong:
            return Asked(None, {"loss": wrong.sentences}, recipe=recipe)
        given["iterations"] = max(1, round(min(passes * base.spec.eval_size, 1e18)))
        faults = self._limits.faults({"problem": {**base.spec.to_dict(), **problem}, **given})
        if faults:
            return Asked(None, faults, recipe=recipe)
        ready = base.under(**problem)
        rows = functools.partial(self._sources.rows, recipe, ready.spec)
        return Asked(SweepSpec.from_dict({"problem": ready.spec.to_dict(), **given}), {}, ready, recipe, rows)


def _unit(data: Dataset, loss: str) -> str:
    """Say what was done to the target, and what that makes of losses."""
    assert data.target_unit is not None
    factor, done = data.target_unit.factor(loss), data.notes[-1]
    if factor is None:
        return f"{done}; no factor turns {loss} loss into its own unit"
    return f"{done}; a loss of 1 is {number(factor)} in its own unit"


def data_values(spec: SweepSpec, recipe: Recipe) -> dict[str, Any]:
    """Return the value of every control, by its name, that stands for a sweep on data."""
    tested = recipe.test or (HOLD_OUT if recipe.holdout is not None else None)
    tested = tested or (ITS_OWN if recipe.data in sets and sets[recipe.data].test_rows else NONE)
    values = {
        "set": recipe.data, "drop": list(recipe.drop), "keep": list(recipe.keep), "only": list(recipe.only),
        "missing": recipe.missing, "standardise_target": recipe.standardise_target, "test": tested,
        "share": recipe.holdout or USUAL["share"], "split": recipe.seed,
        "standardise": recipe.standardise, "intercept": recipe.intercept, "loss": spec.problem.loss,
        "beta": spec.problem.beta, "passes": spec.iterations / spec.problem.eval_size,
        **loss_values(spec.problem), **sweep_values(spec),
    }  # fmt: skip
    return values | {name: value for name in ("target", "positive") if (value := getattr(recipe, name)) is not None}
