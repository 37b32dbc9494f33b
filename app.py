"""The dashboard: the list of its pages."""

import streamlit as st

from pages.components.drawing.plotly_js import publish
from pages.components.sending import logs


def main() -> None:
    logs.configure()
    publish()
    st.set_page_config(page_title="CVaR Step-Size Lab", page_icon=":material/stacked_line_chart:", layout="wide")
    pages = [
        st.Page("pages/explore.py", title="Explore", icon=":material/query_stats:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/database:"),
        st.Page("pages/tour.py", title="Tour", icon=":material/map:"),
        st.Page("pages/models.py", title="Models", icon=":material/landscape:"),
        st.Page("pages/anatomy.py", title="Anatomy", icon=":material/stacked_bar_chart:"),
        st.Page("pages/units.py", title="Units", icon=":material/straighten:"),
        st.Page("pages/theory.py", title="Theory", icon=":material/functions:"),
        st.Page("pages/paper.py", title="The paper", icon=":material/grid_view:"),
        st.Page("pages/about.py", title="About", icon=":material/info:"),
    ]
    st.navigation(pages, position="top").run()  # the sidebar has the controls


if __name__ == "__main__":
    main()
