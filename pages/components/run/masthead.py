"""What stands first on Explore and Data: what this is in two lines, the way to the tour, the words, and Present."""

from __future__ import annotations

import streamlit as st

from ..drawing.presenting import presenting, switch

NAME = "CVaR Step-Size Lab"
_WORDS = """
- **CVaR** – the mean of the worst losses: at level β = 0.95, of the worst 5%.
- **Step size λ** – how far one update moves the model.
- **Gap** – how far a run is above the best that is possible, **F\\***.
- **Usable** – with this λ a run closes at least 90% (or your share) of the gap that it begins with.
- **ε** – the gap that may be left: with 90%, a tenth of what it was at the start.
- **Decade** – a factor of ten: from 0.01 to 10 are three decades.
- **Forgives 3 decades** – every λ of a stretch of three decades, a factor of 1,000, is usable.
- **Start, seed** – each seed is another random place to begin from, with other samples.
- **Safe so far** – usable for every start that was tried; it takes 29 of them to drop the "so far".
- **Risk** – the CVaR of the losses of the model θ: what whoever uses it lives with.
- **Objective F̃(θ, α)** – what the methods make small: the risk, if the threshold α beside θ is right, else more.
- **ℓ₀** – the mean loss at the start. SPL₊ measures λ in it, so that λ has no unit.
- **Diverges** – grows without end, because the steps are too long.
"""


def draw(heading: str, words: str) -> None:
    """Draw a page's heading and two lines, which somebody who has only heard of calculus understands."""
    with st.container(key="cvar-masthead"):
        st.html(f"<h1>{heading}</h1><p>{words}</p>")
        with st.container(key="cvar-ways", horizontal=True, gap="small", vertical_alignment="center"):
            st.html('<a href="tour" target="_self">New here? Take the tour</a>', width="content")
            with st.popover("Words", icon=":material/dictionary:", type="tertiary", width="content"):
                st.markdown(_WORDS)
            st.button(
                "Leave" if presenting() else "Present", icon=":material/present_to_all:", type="tertiary",
                key="cvar-present", on_click=switch,
                help="Large text for a projector, on every page. It stands in the link, too.",
            )  # fmt: skip
