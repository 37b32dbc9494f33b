"""Explore: choose a problem, press Run, and watch which step sizes each method forgives."""

import streamlit as st

from pages.components import bench
from pages.components.controls import Controls
from pages.components.desk import Desk
from pages.components.look import apply_look
from pages.components.service import manager
from pages.components.study import Study
from pages.components.visitor import visitor_id

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
