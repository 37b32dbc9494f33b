"""About: what runs here, how busy it is, and what it allows."""

import platform
from importlib.metadata import version

import streamlit as st

from cvar_core import __version__
from pages.components.drawing.style import apply_look
from pages.components.sending.live import live
from pages.components.sending.server import settings

LIBRARIES = ("torch", "numba", "numpy", "scipy", "pandas", "plotly", "streamlit")
# Where things lie, and what stands before and behind the server, is nobody's business.
PRIVATE = ("CVAR_DATA_DIR", "CVAR_PROXIES", "CVAR_SCHEDULER")

apply_look()
st.markdown("# Which step size is safe when you minimise CVaR?")
st.markdown(
    "This dashboard measures how far the step size λ may be off before a stochastic method fails to minimise CVaR: the "
    "subgradient method SGM, and SPL and SPL₊ of *A Model-Based Method for Minimizing CVaR and Beyond* by Si Yi Meng "
    "and Robert M. Gower. Every number is computed here, by the library `cvar_core`; nothing is sent elsewhere."
)


live("server", part="server", key="about-server")
allowed, used = st.columns([3, 2])
with allowed:
    st.markdown("**What this server allows**")
    rows = [row for row in settings().rows if row.variable not in PRIVATE]
    st.table({"limit": [row.about for row in rows], "at most": [row.usual for row in rows]}, hide_index=True)
    st.caption("K, M and G are powers of 1,024. Whoever runs the server sets these by environment variables.")
with used:
    st.markdown("**What it is made of**")
    parts = {"cvar_core": __version__, "Python": platform.python_version()}
    parts |= {name: version(name) for name in LIBRARIES}
    st.table({"part": list(parts), "version": list(parts.values())}, hide_index=True)
