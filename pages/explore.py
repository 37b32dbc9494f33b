"""Explore: choose a problem, and see which step sizes each method forgives."""

import streamlit as st

from cvar_core import Problem, Result, SpecError, SweepSpec, sweep
from cvar_core.catalogue import losses, methods, noises
from cvar_core.figures import curves, sensitivity, without_title
from cvar_core.results import decades, judgement, number

THEME = "dark" if st.context.theme.type == "dark" else "light"
CHART = {"displaylogo": False, "toImageButtonOptions": {"format": "svg"}}


@st.cache_data(max_entries=50, show_spinner="Running the sweep …")
def run(form: dict) -> Result:
    spec = SweepSpec.from_dict(form)
    return sweep(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule,
        checkpoints=spec.checkpoints,
    )  # fmt: skip


def labelled(method: str) -> str:
    return methods[method].label


with st.sidebar:
    st.header("Problem")
    loss = st.selectbox("Loss", losses.names(), help="How bad a prediction x·θ is for the target y.")
    noise = st.selectbox(
        "Noise", noises.names(), index=2, help="What is added to the targets; log-normal is heavy-tailed."
    )
    beta = st.slider("Confidence level β", 0.0, 0.99, 0.95, 0.01, help="0.95 averages the worst 5% of the losses.")
    dim = st.number_input("Dimension", 1, 200, 10)
    st.header("Sweep")
    chosen = st.multiselect("Methods", methods.names(), methods.names(), format_func=labelled)
    iterations = st.select_slider("Iterations", [1_000, 3_000, 10_000, 30_000, 100_000], 10_000)
    seeds = st.slider("Seeds", 1, 10, 5, help="Each seed is another start and another stream of samples.")
    mine = st.number_input("Your λ", 1e-6, 1e4, 1.0, format="%g", help="Is this step size safe?")

st.title("Which step size is safe when you minimise CVaR?")
try:
    grid = sorted({*SweepSpec.__dataclass_fields__["lambdas"].default, mine})
    problem = {"loss": loss, "noise": noise, "beta": beta, "dim": dim}
    spec = SweepSpec.from_dict(
        {"problem": problem, "methods": chosen, "iterations": iterations, "seeds": seeds, "lambdas": grid}
    )
except SpecError as wrong:
    st.warning(f"Nothing to run: {wrong}.")
    st.stop()

result = run(spec.to_dict())
figure, finding, subtitle = without_title(sensitivity(result, mark=mine, theme=THEME))
st.subheader(finding)
cards = st.columns(len(spec.methods))
for card, (method, found) in zip(cards, result.ranges().items(), strict=True):
    verdict = result.verdict(method, mine)
    card.metric(labelled(method), decades(found), border=True, help=judgement(verdict))
    safe = (
        f":material/check_circle: λ = {number(mine)} is safe"
        if verdict.safe
        else f":material/cancel: λ = {number(mine)} is not safe"
    )
    card.caption(f"decades of λ forgiven · best λ = {number(result.best_lambda(method))} · {safe}")

st.plotly_chart(figure, theme=None, config=CHART, key="sensitivity")
st.caption(f"{subtitle}. A flat valley is a method that forgives a badly chosen λ; a triangle is a run that blew up.")
figure, title, subtitle = without_title(curves(result, theme=THEME))
st.subheader(title)
st.plotly_chart(figure, theme=None, config=CHART, key="curves")
st.caption(f"Suboptimality of the averaged iterate, {subtitle}. The band is the range over seeds.")
st.dataframe(
    [
        {
            "method": labelled(method),
            "best λ": number(result.best_lambda(method)),
            "usable from": number(found.low) if found else "–",
            "to": number(found.high) if found else "–",
            "decades": decades(found),
        }
        for method, found in result.ranges().items()
    ],
    hide_index=True,
)
