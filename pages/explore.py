"""Explore: choose a problem, press Run, and watch which step sizes each method forgives."""

import streamlit as st

from pages.components.asking.synthetic import Controls
from pages.components.asking.visitor import visitor_id
from pages.components.drawing.style import apply_look
from pages.components.run import run_page as bench
from pages.components.run.main_area import Study
from pages.components.run.session import Desk
from pages.components.sending.server import manager

PAGE = "explore"

apply_look()
jobs = manager()
link = bench.read_link()
controls = Controls(PAGE, jobs.limits)
desk = Desk(PAGE, jobs, visitor_id(), controls)
study = Study(desk)

with st.sidebar:
    study.ask()
    asked = controls.ask()
    with st.container(key="run-bar"):
        buttons = st.container()

shown = bench.choose(desk, asked, buttons)
st.caption("Which step size is safe when you minimise CVaR?")
bench.show(desk, study, asked, shown, link)
