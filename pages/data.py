"""Data: the same study on the visitor's own rows, or on a set that everybody knows."""

from functools import partial

import streamlit as st

from pages.components.asking import column_table, links, preview
from pages.components.asking.files import draw_files, draw_upload
from pages.components.asking.own_data import DataControls
from pages.components.asking.sources import Sources
from pages.components.drawing.style import apply_look
from pages.components.run import masthead, run_page
from pages.components.run.main_area import MainArea
from pages.components.run.session import Session
from pages.components.sending.server import known_visitor, manager, shelf, uploads

PAGE = "data"

apply_look()
jobs = manager()
link = links.read()
visitor = known_visitor()
sources = Sources(uploads(), shelf(), jobs.limits, visitor)
controls = DataControls(PAGE, jobs.limits, sources)
session = Session(PAGE, jobs, visitor, controls, on_data=True)
area = MainArea(session)

# Before what is slow: reading a large file, and making its columns numbers. Else the page would stay blank meanwhile.
reading = st.spinner("Reading the data: a moment, or some ten seconds for a file of a hundred megabytes.")
with reading, st.sidebar:
    area.ask()
    controls.ask_which()
    draw_upload(PAGE, sources, jobs.limits, controls.choose_files)
    draw_files(PAGE, sources)
    asked = controls.ask()
    with st.container(key="run-bar"):
        buttons = st.container()

shown = run_page.choose(session, asked, buttons)
masthead.draw(
    "Which step size is safe on your data?",
    "<b>CVaR</b> is the mean of the worst losses, here of your rows. Each update is a step of size <b>λ</b>: too "
    "small, and it crawls; too large, and it blows up.",
)
if controls.preview is not None:
    preview.draw(PAGE, controls.name, controls.preview, controls.mapping, controls.unit, expanded=shown is None)
if controls.columns is not None:
    column_table.draw(
        PAGE, controls.columns, controls.target, partial(controls.choose_columns, controls.name), controls.aim
    )
run_page.show(session, area, asked, shown, link)
