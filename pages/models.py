"""Models: why a tighter model forgives a large step, on one sample that can be drawn, or a few."""

from dataclasses import asdict

import streamlit as st

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.catalogue import PAPERS, methods
from cvar_core.figures.lessons.models_charts import AXES
from cvar_core.lessons.models import EXAMPLES, MOST_SAMPLES, SAMPLE_LOSSES, Setup, drawable, updates
from cvar_core.results import number
from pages.components.asking import links
from pages.components.drawing.chart import Clicked
from pages.components.drawing.moving_frames import show
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons.model_panels import COUNT, panels
from pages.components.lessons.update_in_words import beyond, explained
from pages.components.lessons.ways import arrive, try_it

PAGE = "models"
USUAL = Setup()
LAMBDAS = (*(f"{mantissa * 10.0**power:g}" for power in range(-6, 6) for mantissa in (1, 2, 5)), "1e+06")
SLIDERS = {
    "theta": ("θ", -8.0, 8.0, USUAL.theta, 0.1, "Where the first step starts. A click into a picture sets it, too."),
    "alpha": ("α", -8.0, 16.0, USUAL.alpha, 0.1, "The threshold, which a method learns together with θ."),
    "beta": ("Level β", 0.0, 0.999, USUAL.beta, 0.001, "0.9 averages the worst 10% of the losses."),
    "initial_loss": ("ℓ₀ of SPL₊", 0.1, 10.0, USUAL.initial_loss, 0.1, "SPL₊ takes λ/ℓ₀ for θ and λℓ₀ for α."),
}
SEEN = dict(
    zip(
        EXAMPLES,
        (
            "Above the curve it says nothing of θ: SGM lowers α alone, past the kink and up the steep side. SPL's "
            "model has the kink, and its step stops there.",
            "The first steps of SGM and SPL end almost in the same place. But SGM's is a hair below the kink: step on, "
            "and it follows the steep slope far out. SPL stays.",
            "While steps are short, the kink is far, and all models say the same. Robustness is about large λ.",
            "Its model is a tangent of the loss, and a convex loss lies above its tangent: with λ = 5 even SPL's F "
            "rises. A better model widens the range of λ; it does not remove the limit.",
            "F is the mean of three samples; each update sees the one with the strong curve, and knows nothing of the "
            "others. What is good for one may raise F: hence the steps shrink like 1/√t.",
        ),
        strict=True,
    )
)


def key(name: str) -> str:
    return f"{PAGE}_{name}"


def take(count: int) -> None:
    st.session_state[key("n")] = str(count)


def start_at(clicked: Clicked) -> None:
    """Take the point that was clicked, if the sliders can say it."""
    point = {"theta": clicked.x, "alpha": clicked.y}
    notes = [beyond(*SLIDERS[name][:1], value, *SLIDERS[name][1:3]) for name, value in point.items()]
    if any(notes):
        st.session_state[f"{PAGE}-note"] = next(filter(None, notes))
        return
    for name, value in point.items():
        st.session_state[key(name)] = round(value, 1)
    take(0)


def take_example() -> None:
    chosen = st.session_state[key("example")]
    if chosen is not None:
        for name, value in asdict(EXAMPLES[chosen]).items():
            st.session_state[key("lambda" if name == "lam" else name)] = f"{value:g}" if name == "lam" else value
        take(0)


apply_look()
if arrive(PAGE):
    st.session_state.pop(key("lambda"), None)  # who comes has it from the link
link = links.read()
links.recall(key("n"), [str(count) for count in range(COUNT)])
taken = int(st.session_state.setdefault(key("n"), "0"))
with st.sidebar:
    examples = st.container()
    links.recall(key("lambda"), LAMBDAS, f"{USUAL.lam:g}")
    lam = st.select_slider("Step size λ", LAMBDAS, key=key("lambda"), format_func=lambda text: number(float(text)))
    links.keep(key("lambda"), lam, f"{USUAL.lam:g}")
    values = {
        name: st.slider(label, low, high, usual, step, key=key(name), help=about, bind="query-params")
        for name, (label, low, high, usual, step, about) in SLIDERS.items()
    }
    loss = st.selectbox("Loss ℓ(θ) of a sample", list(SAMPLE_LOSSES), key=key("loss"), bind="query-params")
    st.latex(rf"\ell(\theta) = {SAMPLE_LOSSES[loss].formula}")
    samples = st.slider(
        "Samples", 1, MOST_SAMPLES, 1, key=key("samples"), bind="query-params",
        help="With several, F is their mean, and each update sees one of them, the same for every method.",
    )  # fmt: skip
    order = 1
    if samples > 1:
        order = st.slider(
            "Order of the samples", 1, 20, 1, key=key("draw"), bind="query-params", help="Each is another draw."
        )
    links.recall(key("axes"), AXES, "near")
    axes = st.selectbox("Axes", list(AXES), format_func=AXES.__getitem__, key=key("axes"))
    links.keep(key("axes"), axes, "near")
    others = [name for name in drawable() if methods[name].whose != PAPERS]
    added = [
        name
        for name in others
        if st.checkbox(methods[name].label, key=key(name), help=f"{methods[name].summary}.", bind="query-params")
    ]
    setup = Setup(loss=loss, lam=float(lam), samples=samples, draw=order, **values)
    st.session_state[key("example")] = next((name for name, each in EXAMPLES.items() if each == setup), None)
    examples.selectbox(
        "Example", list(EXAMPLES), key=key("example"), on_change=take_example, placeholder="Your own settings",
        help="Sets all controls below.",
    )  # fmt: skip
links.keep(key("n"), str(taken), "0")
asked = (*SLIDERS, *others, "loss", "n", "samples", "draw")
links.say_unread(PAGE, link, dict.fromkeys(map(key, asked)) | {key("axes"): AXES, key("lambda"): LAMBDAS})

with st.container(key="headline"):
    st.markdown("# The method sees only its model")
example = next((name for name, each in EXAMPLES.items() if each == setup), None)
st.markdown(
    f"**{example}.** {SEEN[example]}"
    if example
    else "A method stands at the dot. It replaces F by a **model** and moves to where the model, with a price for "
    "going far, is least."
)
if note := st.session_state.pop(f"{PAGE}-note", None):
    st.info(note)
names = tuple(name for name in drawable() if name not in others or name in added)
show(panels(setup, names, axes, theme()), key=f"{PAGE}-frames", at=taken, on_choose=take, on_click=start_at)

with st.expander("The formulas, with the numbers of this update"):
    st.markdown(
        r"For a sample with loss $\ell(\theta)$ the objective is $F(\theta,\alpha) = \alpha + \frac{1}{1-\beta}"
        r"\max(\ell(\theta)-\alpha,\,0)$: gentle above the curve $\alpha=\ell(\theta)$, steep below it. A method "
        r"minimises its model $m_t$ plus $\frac{1}{2\lambda_\theta}(\theta-\theta_t)^2 + "
        r"\frac{1}{2\lambda_\alpha}(\alpha-\alpha_t)^2$."
    )
    for column, name in zip(st.columns(len(names)), names, strict=True):
        step = updates(name, setup, COUNT)[: taken + 1][-1]
        column.markdown("  \n".join([f"**{methods[name].label}**", *explained(step)]))
with st.expander("What else to see"):
    st.markdown(
        "**SPL₊** has SPL's model; its price is an ellipse whose axes have the ratio ℓ₀, so that θ and α are each "
        "measured in their own unit."
    )
    if "sgm-t" in added:
        st.markdown(
            "**Truncated SGM** is Asi and Duchi's, not the paper's. It has SGM's plane, but knows that no objective is "
            "below 0, and cuts the plane off there: a step goes no further than to where it is 0. That tames a large "
            "λ, without the kink that SPL sees."
        )
    st.markdown("**SPL is no magic**: choose that example, where even its F rises.")
# With heavy tails no model is much better than the start's; with normal noise the runs have something to do.
problem = ProblemSpec("logistic" if loss == "paper" else loss, "normal", setup.beta, eval_size=200_000)
try_it("Try it: the same on a whole problem, with every λ at once", SweepSpec(problem, iterations=100_000))
