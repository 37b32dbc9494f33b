"""Your model: the optimisers on a small network, over every step size; and the lines that try them on another."""

from itertools import product

import streamlit as st

from cvar_core.lessons import your_model
from cvar_core.lessons.your_model import CHOICES, QUICK, DigitStudy
from pages.components.asking import links
from pages.components.drawing.look import Look
from pages.components.drawing.status import duration
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons.ways import arrive, link_to
from pages.components.run.main_area import SHARES
from pages.components.sending.answers import Asker
from pages.components.sending.live import live, tell_look
from pages.components.sending.server import settings, studies
from pages.components.sending.studies import DONE, FAILED, SHIPPED, STOPPED

PAGE = "your_model"
SHOWN = f"{PAGE}_shown"  # in the link: which study
TEXTS = {DigitStudy(*values).text for values in product(*CHOICES.values())}
CONTROLS = {
    "beta": ("Level β", "0.9 minimises the mean of the worst 10% of the losses; 0 is their mean."),
    "hidden": ("Hidden units", "The network has 64 pixels, one hidden layer of so many, and 10 digits."),
    "steps": ("Steps of a training", "On batches of 64 rows."),
    "seeds": ("Seeds", "Each is a start: fresh weights and batches, the same for every optimiser and λ."),
}


def ask(name: str) -> float:
    label, about = CONTROLS[name]
    texts = {f"{value:g}": value for value in CHOICES[name]}
    usual = f"{getattr(QUICK, name):g}"
    return texts[st.select_slider(label, tuple(texts), usual, key=f"{PAGE}_{name}", help=about, bind="query-params")]


def show(text: str) -> None:
    """Show a study, and have it computed unless it ships."""
    st.session_state[SHOWN] = text
    asked = DigitStudy.read(text)
    if asked is None:
        shared.leave(asker)
    else:
        shared.ask(asked, asker)


apply_look()
arrive(PAGE)
link = links.read()
shared, asker = studies(), st.session_state.setdefault("asker", Asker())
first = SHOWN not in st.session_state
links.recall(SHOWN, TEXTS, SHIPPED)
with st.sidebar:
    wanted = DigitStudy(*(ask(name) for name in CONTROLS))
    fault = your_model.refused(wanted, settings().limits)
    share = st.select_slider(
        "Usable: closes this share of the gap", SHARES, "90%", key=f"{PAGE}_closed", bind="query-params",
        help="A λ is usable for a start when its training closes at least this share of its own gap to the best.",
    )  # fmt: skip
if first and st.session_state[SHOWN] != SHIPPED:  # a link to a study has it computed, as Explore's has its run
    linked = DigitStudy.read(st.session_state[SHOWN])
    if linked is not None and your_model.refused(linked, settings().limits) is None:
        shared.ask(linked, asker)
shown = st.session_state[SHOWN]
links.keep(SHOWN, shown, SHIPPED)
links.say_unread(PAGE, link, dict.fromkeys(f"{PAGE}_{name}" for name in (*CONTROLS, "closed")) | {SHOWN: TEXTS})

asked = DigitStudy.read(shown)
view = None if asked is None else shared.view(asked)
with st.sidebar, st.container(key="run-bar"):
    mine = view if asked == wanted else None
    if view is not None and view.live:
        st.button("Stop", on_click=shared.leave, args=(asker,), icon=":material/stop:", width="stretch")
    else:
        again = {STOPPED: "Go on", FAILED: "Try again"}.get(mine.status if mine else "", "Train")
        st.button(
            again, on_click=show, args=(wanted.text,), type="primary", icon=":material/play_arrow:", width="stretch",
            disabled=fault is not None or (mine is not None and mine.status == DONE),
            help="On this server's workers, a piece at a time; who asks for the same shares it.",
        )  # fmt: skip
    work = f"{your_model.trainings(wanted):,} trainings, {duration(your_model.seconds_of(wanted))} of one processor."
    st.caption(f":red[:material/error: {fault}]" if fault else work)
    if asked is not None:
        st.button("Show what ships", on_click=show, args=(SHIPPED,), icon=":material/undo:", width="stretch")

tell_look(PAGE, Look(closed=float(share.rstrip("%")) / 100, theme=theme()))
settled = DONE if view is None else "" if view.live else view.status
live("network", PAGE, shown, part="network", key=f"{PAGE}-study", page=PAGE, settled=settled)
what = your_model.SHIPPED_STUDY if asked is None else asked
st.markdown(
    f"**What is trained.** Two layers with {what.hidden} hidden units on scikit-learn's handwritten digits. Of 8 and 9 "
    f"only 15% are left in training; the test has all. Ten optimisers at 15 step sizes from {what.seeds} "
    f"start{'s' * (what.seeds > 1)}, {what.steps} steps each. SGM, SPL, SPL₊ and SPL-U take λ/√(t+1), as in the paper; "
    "SGD and Adam keep λ, as people use them. RU loss: α + mean max(ℓ − α, 0)/(1 − β), with α as one more parameter."
    + (
        " This study ships with the project (`python -m cvar_core.lessons.your_model` makes it); **Train** computes "
        "one here, live."
        if asked is None
        else ""
    )
)
with st.container(key="charts"):
    left, right = st.columns(2, gap="large")
with left:
    st.header("Train your own network", anchor=False)
    st.code(your_model.TRAINING_CODE, language="python")
with right:
    st.header("Which λ does your own network forgive?", anchor=False)
    st.code(your_model.STUDY_CODE, language="python")
    st.markdown("`docs/own_model.py` is the whole of it as a script, on these digits or on a table of your own.")
link_to("pages/data.py", "A linear model on rows of your own, in Data", {})
