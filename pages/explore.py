"""Explore: choose a problem, press Run, and watch which step sizes each method forgives."""

import streamlit as st

from pages.components.asking import links
from pages.components.asking.synthetic import Controls
from pages.components.drawing.style import apply_look
from pages.components.run import masthead, run_page
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
    presets = st.container()
    area.ask()
    asked = controls.ask(presets)
    with st.container(key="run-bar"):
        buttons = st.container()

shown = run_page.choose(session, asked, buttons)
masthead.draw(
    masthead.NAME,
    "<b>CVaR</b> is the mean of the worst losses: what to make small when bad days count more than average ones. Each "
    "update moves the model by a step of size <b>λ</b>: too small, and it crawls; too large, and it blows up. Which λ "
    "is safe?",
)
run_page.show(session, area, asked, shown, link)
