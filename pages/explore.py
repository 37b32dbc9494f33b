"""Explore: choose a problem, press Run, and watch which step sizes each method forgives."""

import streamlit as st

from pages.components import links
from pages.components.controls import Controls
from pages.components.history import title
from pages.components.lesson import arrive
from pages.components.look import apply_look
from pages.components.run_bar import run_bar, start
from pages.components.service import manager
from pages.components.study import Study
from pages.components.visitor import visitor_id

PAGE = "explore"
PATIENCE = 30  # seconds: what takes longer does not start by itself

apply_look()
jobs = manager()
link = {name: st.query_params.get_all(name) for name in st.query_params}
links.drop_endless()
visitor = visitor_id()
controls = Controls(PAGE, jobs.limits)
study = Study(PAGE, jobs, visitor, controls)

with st.sidebar:
    study.ask()
    asked = controls.ask()
    with st.container(key="run-bar"):
        buttons = st.container()

shown = None if arrive(PAGE) else st.session_state.get(f"{PAGE}-shown")
if asked.spec is not None:
    if asked.spec == shown or jobs.open(asked.spec, visitor) is not None:
        shown = asked.spec
    elif shown is None and jobs.estimate(asked.spec) < PATIENCE and start(jobs, visitor, asked.spec, PAGE):
        shown = asked.spec  # whoever comes here sees a run at once
st.session_state[f"{PAGE}-asked"], st.session_state[f"{PAGE}-shown"] = asked.spec, shown
with buttons:
    run_bar(jobs, visitor, asked, shown, PAGE)

st.caption("Which step size is safe when you minimise CVaR?")
if jobs.store.trouble:
    st.warning(jobs.store.trouble, icon=":material/database_off:")
refused, why = st.session_state.get(f"{PAGE}-refused", (None, ""))
if refused is not None and refused == asked.spec:
    st.error(why, icon=":material/block:")
missed, then = st.session_state.setdefault(
    f"{PAGE}-unread", (links.unread(link, controls.keys | study.keys), asked.spec)
)
if missed and then == asked.spec:  # until the visitor changes something
    st.info(f"Some of this link could not be read, and has its default instead: {', '.join(missed)}.")
if shown is None:
    st.info("Press **Run** to start." if asked.spec else "Mend what is marked in red, and press **Run** to start.")
    study.show_history()
else:
    if asked.spec != shown:
        then = "**Run** computes the new one." if asked.spec else "What is marked in red cannot be run."
        st.info(f"The controls have changed. Below is still the run before: {title(shown)}. {then}")
    study.show(shown)
