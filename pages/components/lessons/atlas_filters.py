"""The Atlas page's sidebar: by what is judged, and which problems are looked at. Every choice stands in the URL."""

from __future__ import annotations

import streamlit as st

from cvar_core.lessons.atlas import Atlas, Filter, choices
from cvar_core.results import MEASURES, RISK

from ..asking.links import keep, recall

MEASURE = "atlas_measure"
ROLES = {"choosing": "chosen on", "seen": "seen", "held out": "held out"}

_FIELDS = {  # of Entry: label, help
    "kind": ("Problems", "Synthetic ones have the paper's model; made data have one difficulty each; real ones are "
             "data sets."),
    "loss": ("Loss", None),
    "prepared": ("Columns of data", "Raw, or each divided by its deviation and, if dense, without its mean."),
    "beta": ("Level β", "0.95 averages the worst 5% of the losses; 0 is their mean."),
    "role": ("Part in the choice of SPL-U's rule", "The rule was chosen on some sets; others were seen meanwhile. "
             "Those that are held out were looked at only afterwards, and λ is not chosen on them, either."),
    "origin": ("Data set or noise", "Problems of one data set or noise belong together."),
}  # fmt: skip


def keys(atlas: Atlas) -> dict[str, tuple[str, ...]]:
    """Return the controls' names in the URL, with their values."""
    return {MEASURE: MEASURES, **{_key(name): tuple(_texts(atlas, name)) for name in _FIELDS}}


def ask(atlas: Atlas, judge: dict[str, str]) -> tuple[str, Filter]:
    """Draw the controls, and return the measure and the problems that they choose."""
    recall(MEASURE, MEASURES, RISK)
    measure = st.segmented_control(
        "Judge by", MEASURES, key=MEASURE, required=True, format_func=judge.__getitem__, width="stretch",
    )  # fmt: skip
    keep(MEASURE, measure, RISK)
    return str(measure), Filter(**{name: _chosen(atlas, name) for name in _FIELDS})


def _chosen(atlas: Atlas, name: str) -> tuple[str | float, ...]:
    """Draw one field; nothing chosen is all."""
    key, values, (label, about) = _key(name), _texts(atlas, name), _FIELDS[name]
    recall(key, values, [], many=True)
    if name == "origin":
        found = st.multiselect(label, list(values), key=key, help=about, placeholder="all")
    else:
        words = ROLES if name == "role" else {}
        found = st.pills(
            label, list(values), selection_mode="multi", key=key, help=about,
            format_func=lambda text: words.get(text, text),
        )  # fmt: skip
    keep(key, list(found), [])
    return tuple(values[text] for text in found)


def _texts(atlas: Atlas, name: str) -> dict[str, str | float]:
    """Return a field's values by the texts that stand in the URL."""
    return {value if isinstance(value, str) else f"{value:g}": value for value in choices(atlas, name)}


def _key(name: str) -> str:
    return f"atlas_{name}"
