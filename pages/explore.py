"""Explore: choose a problem, press Run, and watch which step sizes each method forgives."""

import streamlit as st

from pages.components.asking import links
from pages.components.asking.synthetic import Controls
from pages.components.drawing.style import apply_look
from pages.components.run import run_page
from pages.components.run.main_area import MainArea
from pages.components.run.session import Session
from pages.components.sending.server import known_visitor, manager

PAGE = "explore"

apply_look()
jobs = manager()
link = links.read()
controls = Controls(PAGE, jobs.limits)
session = Session(PAGE, jobs, known_visitor(), controls)
area = MainArea(session)

with st.sidebar:
    area.ask()
    asked = controls.ask()
    with st.container(key="run-bar"):
        buttons = st.container()

shown = run_page.choose(session, asked, buttons)
st.caption("Which step size is safe when you minimise CVaR?")
run_page.show(session, area, asked, shown, link)
