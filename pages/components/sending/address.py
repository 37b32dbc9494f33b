"""Where this server's pages are, for whoever sits before it."""

import streamlit as st

_EVERYWHERE = (None, "", "0.0.0.0", "::")


def address() -> str:
    """Return the address of the first page, by the settings in force."""
    told, bound = st.get_option("browser.serverAddress"), st.get_option("server.address")
    host = next((each for each in (bound, told) if each not in _EVERYWHERE), "localhost")
    scheme, usual = ("https", 443) if st.get_option("server.sslCertFile") else ("http", 80)
    port = st.get_option("server.port")
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}{'' if port == usual else f':{port}'}{below_base('').rstrip('/')}"


def below_base(name: str) -> str:
    """Return the path of something of ours beside the pages; Streamlit adds no prefix to an app's routes."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/{name}" if base else f"/{name}"
