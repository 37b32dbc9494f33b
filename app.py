"""The dashboard: the list of its pages."""

import streamlit as st

from pages.components.plotly_js import publish


def main() -> None:
    publish()
    st.set_page_config(page_title="CVaR Step-Size Lab", page_icon=":material/stacked_line_chart:", layout="wide")
    pages = [
        st.Page("pages/explore.py", title="Explore", icon=":material/query_stats:", default=True),
        st.Page("pages/models.py", title="Models", icon=":material/landscape:"),
    ]
    st.navigation(pages, position="top").run()  # the sidebar has the controls


if __name__ == "__main__":
    main()
