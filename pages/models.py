"""Models: why a tighter model forgives a large step, on one sample that can be drawn."""

import streamlit as st

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.catalogue import PAPERS, methods
from cvar_core.figures.lessons.models_charts import model_frames, model_plane, plane
from cvar_core.lessons.models import SAMPLE_LOSSES, Setup, drawable, updates
from pages.components.asking import links
from pages.components.drawing.chart import Clicked, chart
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons.update_in_words import explained, figure, heading
from pages.components.lessons.ways import arrive, try_it

PAGE = "models"
FAR = 30  # updates that Play takes, and the most that can be shown
USUAL = Setup()
LAMBDAS = (*(f"{mantissa * 10.0**power:g}" for power in range(-6, 6) for mantissa in (1, 2, 5)), "1e+06")
SLIDERS = {
    "theta": ("θ", -8.0, 8.0, USUAL.theta, 0.1, "Where the step starts. A click into a picture sets it, too."),
    "alpha": ("α", -8.0, 16.0, USUAL.alpha, 0.1, "The threshold, which a method learns together with θ."),
    "beta": ("Level β", 0.0, 0.999, USUAL.beta, 0.001, "0.9 averages the worst 10% of the losses."),
    "initial_loss": ("ℓ₀ of SPL₊", 0.1, 10.0, USUAL.initial_loss, 0.1, "SPL₊ takes λ/ℓ₀ for θ and λℓ₀ for α."),
}


def key(name: str) -> str:
    return f"{PAGE}_{name}"


def start_at(clicked: Clicked) -> None:
    """Take the point that was clicked, as far as the sliders go."""
    for name, value in (("theta", clicked.x), ("alpha", clicked.y)):
        _, low, high, *_ = SLIDERS[name]
        if value is not None:
            st.session_state[key(name)] = round(min(max(value, low), high), 1)
    take(0)


def take(count: int, play: bool = False) -> None:
    st.session_state[key("n")] = str(min(count, FAR))
    turn = st.session_state.get(f"{PAGE}-turn", 0) + play
    st.session_state[f"{PAGE}-turn"], st.session_state[f"{PAGE}-playing"] = turn, play


apply_look()
arrive(PAGE)
link = links.read()
links.recall(key("n"), [str(count) for count in range(FAR + 1)])
taken = int(st.session_state.setdefault(key("n"), "0"))
with st.sidebar:
    loss = st.selectbox("Loss ℓ(θ) of the sample", list(SAMPLE_LOSSES), key=key("loss"), bind="query-params")
    st.latex(rf"\ell(\theta) = {SAMPLE_LOSSES[loss].formula}")
    lam = st.select_slider("Step size λ", LAMBDAS, f"{USUAL.lam:g}", key=key("lambda"), bind="query-params")
    values = {
        name: st.slider(label, low, high, usual, step, key=key(name), help=about, bind="query-params")
        for name, (label, low, high, usual, step, about) in SLIDERS.items()
    }
    setup = Setup(loss=loss, lam=float(lam), **values)
    beyond = [name for name in drawable() if methods[name].whose != PAPERS]
    added = [
        name
        for name in beyond
        if st.checkbox(methods[name].label, key=key(name), help=f"{methods[name].summary}.", bind="query-params")
    ]
    step_on, play, back = st.columns(3)
    step_on.button("Step", on_click=take, args=(taken + 1,), disabled=taken >= FAR, type="primary", width="stretch")
    play.button("Play", on_click=take, args=(FAR, True), width="stretch")
    back.button("Reset", on_click=take, args=(0,), disabled=taken == 0, width="stretch")
    st.caption(f"Update {taken + 1}, with λ/√{taken + 1} = {figure(setup.lam / (taken + 1) ** 0.5)}.")
links.keep(key("n"), str(taken), "0")
links.say_unread(PAGE, link, dict.fromkeys([*map(key, (*SLIDERS, *beyond)), key("loss"), key("lambda"), key("n")]))

st.markdown("## The method sees only its model")
st.markdown(
    r"For one sample with loss $\ell(\theta)$ the objective is $F(\theta,\alpha) = \alpha + \frac{1}{1-\beta}"
    r"\max(\ell(\theta)-\alpha,\,0)$, the shaded hills below: gentle above the thin curve $\alpha=\ell(\theta)$, steep "
    r"below it. A method stands at the dot. It replaces $F$ by a **model** $m_t$ (dashed level lines) and moves to the "
    r"point that minimises $m_t$ plus a penalty for going far, whose level line through that point is dotted."
)
paths = {name: updates(name, setup, taken + 1) for name in drawable() if name not in beyond or name in added}
playing = st.session_state.pop(f"{PAGE}-playing", False)
with st.container(key="planes"):
    columns = st.columns(len(paths))
for column, (name, path) in zip(columns, paths.items(), strict=True):
    shown = plane(paths.values() if taken == 0 else [path])  # the first step side by side, a long way by itself
    picture = model_plane(path, shown, theme=theme())
    if playing:
        picture["frames"] = model_frames(path, shown, theme=theme())
        picture["turn"] = st.session_state[f"{PAGE}-turn"]  # else the same figure again would not be sent
    words, chart_key = heading(path[-1]), f"{PAGE}-{name.replace('+', '-plus')}"
    with column:
        st.markdown(f"**{words}**")
        chart(picture, key=chart_key, height=400, label=words, on_click=start_at)
        st.markdown("  \n".join(explained(path[-1])))

st.markdown(
    "**What to see.** SGM's model is a plane: it follows the slope at the dot as far as λ lets it. Above the curve "
    "that plane is flat in θ, so SGM lowers α alone, down into the steep side. SPL keeps the max in its model: the "
    "model has the objective's kink, and a long step ends on that kink instead of beyond it. SPL₊ has the same model; "
    "its penalty is an ellipse whose axes have the ratio ℓ₀, so that θ and α are each measured in their own unit."
)
if "sgm-t" in added:
    st.markdown(
        "**Truncated SGM** is Asi and Duchi's, not the paper's. It has SGM's plane, but knows that no objective is "
        "below 0, and cuts the plane off there: a step goes no further than to where it is 0. That tames a large λ, "
        "without the kink that SPL sees."
    )
st.markdown(
    "**SPL is no magic.** Its model is tangent to the loss, and a convex loss lies above its tangent: go far, and the "
    "objective can still rise. Set λ to 5 at the opening point, and SPL's F rises from 3 to 4.02. A better model "
    "widens the range of λ that works; it does not remove the limit."
)
# With heavy tails no model is much better than the start's; with normal noise the runs have something to do.
problem = ProblemSpec("logistic" if loss == "paper" else loss, "normal", setup.beta, eval_size=200_000)
try_it("Try it: the same on a whole problem, with every λ at once", SweepSpec(problem, iterations=100_000))
