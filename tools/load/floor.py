"""A page that draws next to nothing: what a poll costs below which no page of ours can come."""

import streamlit as st

from pages.components.drawing.chart import chart


@st.fragment
def poll() -> None:
    chart({"data": [], "layout": {}}, key="floor", height=100)


poll()
