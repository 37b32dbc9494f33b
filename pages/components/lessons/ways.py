"""What the teaching pages share: arriving on a page, and the link that tries an idea out."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cvar_core import SweepSpec
from cvar_core.data import Recipe
from cvar_core.jobs import Limits

from ..asking.own_data import DEPENDING, data_values, usual_values
from ..asking.presets import DEFAULT
from ..asking.synthetic import Controls


def arrive(page: str) -> bool:
    """Note which page the visitor is on; tell whether they have just come from another one."""
    before = st.session_state.get("page")
    st.session_state["page"] = page
    return before != page


def try_it(words: str, spec: SweepSpec, **view: str) -> None:
    """Draw a link that opens Explore with a setup; ``view`` sets further controls, such as ``lambda_="0.1"``."""
    further = {f"explore_{name.rstrip('_')}": value for name, value in view.items()}
    link_to("pages/explore.py", words, {**explore_link(spec), **further})


def link_to(page: str, words: str, query: dict[str, str | list[str]]) -> None:
    st.page_link(page, label=f"**{words}**", icon=":material/arrow_forward:", query_params=query)


def explore_link(spec: SweepSpec) -> dict[str, str | list[str]]:
    """Return the part of Explore's URL that stands for a spec: what is not a default."""
    controls = Controls("explore", Limits())
    usual = controls.values(DEFAULT)
    return {name: _text(value) for name, value in controls.values(spec).items() if value != usual[name]}


def data_link(spec: SweepSpec, recipe: Recipe) -> dict[str, str | list[str]]:
    """Return the part of Data's URL that stands for a sweep on data: what is not a default, whatever the data are."""
    values = data_values(spec, recipe)
    usual = usual_values()
    told = {name: value for name, value in values.items() if name in ("set", *DEPENDING) or value != usual[name]}
    return {f"data_{name}": _text(value) for name, value in told.items()}


def _text(value: Any) -> str | list[str]:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, list) else "" if value is None else f"{value!r}".strip("'")
