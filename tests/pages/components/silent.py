"""A page for the browser tests that polls nothing: only its own impatience draws it again."""

import streamlit as st

from pages.components.sending.alive import keep_alive

st.session_state.runs = st.session_state.get("runs", 0) + 1
live = st.toggle("live")
keep_alive(live, "alive", patience=0.5)
st.text(f"run {st.session_state.runs} live {live}")
