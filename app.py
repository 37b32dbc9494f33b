"""The dashboard: the list of its pages, the stream beside them, and what lives as long as the server.

Streamlit runs this file as a script for each visitor, and imports it once as the server, where it looks for ``app``.
"""

from pathlib import Path

import streamlit as st

ICON = Path(__file__).parent / "pages/components/drawing/icon.svg"  # Streamlit's own icons come from another host
PAGES = {
    "explore": ("Explore", "query_stats"),
    "data": ("Data", "database"),
    "your_model": ("Your model", "model_training"),
    "atlas": ("Atlas", "public"),
    "tour": ("Tour", "map"),
    "models": ("Models", "landscape"),
    "anatomy": ("Anatomy", "stacked_bar_chart"),
    "units": ("Units", "straighten"),
    "theory": ("Theory", "functions"),
    "paper": ("The paper", "grid_view"),
    "about": ("About", "info"),
}


def main() -> None:
    from pages.components.lessons import tour_bar
    from pages.components.sending.live import hear_news

    st.set_page_config(page_title="CVaR Step-Size Lab", page_icon=str(ICON), layout="wide")
    pages = [
        st.Page(f"pages/{name}.py", title=title, icon=f":material/{icon}:", default=name == "explore")
        for name, (title, icon) in PAGES.items()
    ]
    page = st.navigation(pages, position="top")  # the sidebar has the controls
    hear_news()
    if page.url_path != "tour":
        tour_bar.show()
    page.run()


if __name__ == "__main__":
    main()
else:
    from pages.components.sending import beside, page_errors, server

    server.prepare()
    app = st.App(
        "app.py",
        lifespan=server.lifespan,
        routes=beside.routes(),
        middleware=beside.middleware(),
        on_script_error=page_errors.show,
    )
