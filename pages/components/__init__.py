"""What Streamlit does not have: a chart that keeps the reader's zoom while it grows, and a visitor's id."""
