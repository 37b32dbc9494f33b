"""One problem of the atlas: its curves, its minimum, and the page or the command that computes it again."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from cvar_core.catalogue import methods
from cvar_core.data import sets
from cvar_core.figures import without_title
from cvar_core.figures.lessons.atlas_charts import problem_curves
from cvar_core.jobs import Limits
from cvar_core.lessons.atlas import METHODS, Charted, View, command, recipe
from cvar_core.lessons.atlas.atlas_sentences import certified
from cvar_core.results import UsableRange, number

from ..asking.presets import DEFAULT
from ..drawing.chart import chart
from ..drawing.style import theme
from .ways import data_link, explore_link, link_to

HEIGHT = 480  # px


def draw(view: View, place: int, limits: Limits) -> None:
    """Draw the problem at a place of the view's atlas."""
    one = view.atlas.problems[place]
    singles = {name: view.shares(name).best for name in METHODS}
    figure, finding, about = without_title(problem_curves(view.atlas, place, view.measure, singles, theme=theme()))
    drawn, told = st.columns([3, 2], gap="medium")
    with drawn:
        chart(figure, key="atlas-problem-curves", height=HEIGHT, label=finding, name=one.entry.name)
        st.caption(
            f"What is left of the gap at the start, {about}. Dashed: usable below. Rings: each method's single λ."
        )
    with told:
        st.markdown(f"**{one.entry.name}.** {finding}.")
        rows = "\n".join(f"| {methods[name].label} | {_ends(view, place, name)} |" for name in METHODS)
        st.markdown(f"| method | usable λ |\n|:--|:--|\n{rows}")
        st.markdown(certified(one))
        _way(one, limits)


def _ends(view: View, place: int, method: str) -> str:
    found = view.atlas.range(place, view.measure, method)
    return "none" if found is None else _from_to(found)


def _from_to(found: UsableRange) -> str:
    low = f"{'≤ ' if found.open_low else ''}{number(found.low)}"
    return f"{low} to {'≥ ' if found.open_high else ''}{number(found.high)}"


def _way(one: Charted, limits: Limits) -> None:
    """Draw the link that opens the problem, with the sweep that the atlas has of it; else the command."""
    spec, made = replace(one.spec, checkpoints=DEFAULT.checkpoints), recipe(one.entry)
    if not limits.faults(spec.to_dict()):
        if one.entry.drawn is not None:
            link_to("pages/explore.py", "Compute it again in Explore", explore_link(spec))
        elif made is not None:
            link_to("pages/data.py", "Compute it again in Data", data_link(spec, made))
            if made.data not in sets:
                st.caption(f"Data asks for the file {made.data}, which does not ship.")
    st.code(command(one.entry), language="bash", wrap_lines=True)
