"""Anatomy of CVaR: the tail of the losses, the formula that makes it a minimisation, and what extreme β do."""

from dataclasses import replace

import streamlit as st

from cvar_core.catalogue import losses, noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.anatomy_charts import (
    level_words,
    objective_by_level,
    percent,
    tail,
    tail_by_level,
    variational,
)
from cvar_core.figures.lessons.extremes_charts import classifiers, extremes, judged
from cvar_core.lessons.anatomy import POINTS, GivingUp, Way, drawn_losses, few, gap, giving_up, risks
from cvar_core.problem import Sketch
from cvar_core.results import number
from pages.components.asking import links
from pages.components.asking.presets import DEFAULT
from pages.components.drawing.chart import chart
from pages.components.drawing.moving_frames import Panel, Picture, Written, show, written
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons.dragging import let_go, stands
from pages.components.lessons.waiting import await_, glance
from pages.components.lessons.ways import arrive, try_it
from pages.components.sending.answers import Answers, answers

PAGE = "anatomy"
BETAS = (*(f"{k / 20:g}" for k in range(20)), "0.97", "0.98", "0.99", "0.995", "0.999")
LEVEL = f"{PAGE}_beta"
MOVED = ("theta", "alpha"), ("few_beta", "draw")  # the controls of each fold
N = 20  # a handful of losses
HEIGHT = 430  # px
TAIL = f"<p>The losses of {POINTS:,} data points where a run starts.</p>"
FORMULA = (
    "<p>F = α + E max{ℓ − α, 0}/(1 − β) is least at α = VaR, where it is CVaR. So a method minimises F over θ and α at "
    "once, and needs one data point for a step.</p>"
)


@st.cache_resource(show_spinner=False, max_entries=256)
def way(loss: str, noise: str, beta: float) -> Way:
    return Way.of(Sketch.synthetic(loss, noise, beta, eval_size=POINTS))


def given_up() -> Answers[str, GivingUp]:
    return answers(PAGE, giving_up, str, kept=16)


def draw(figure: dict, name: str) -> None:
    picture, finding, about = without_title(figure)
    st.markdown(f"**{finding}**")
    chart(picture, key=f"{PAGE}-{name}", height=HEIGHT, label=finding, name=name)
    st.caption(f"{about[:1].upper()}{about[1:]}." if about else "")


@st.cache_data(show_spinner=False, max_entries=64)
def drawn(loss: str, noise: str, theme: str) -> Written:
    """Every β of the slider, at the start of a run."""
    start, betas = way(loss, noise, 0.0).losses(0.0), [float(text) for text in BETAS]
    said = [level_words(start, beta) for beta in betas]
    pictures = (
        Picture([without_title(each)[0] for each in figures], f"{PAGE}-{name}", HEIGHT, said, name)
        for name, figures in (
            ("levels", tail_by_level(start, betas, theme=theme)),
            ("objective", objective_by_level(start, betas, theme=theme)),
        )
    )
    panels = [Panel(above=[f"<p><b>{sentence}</b></p>" for sentence in said], wide=True)]
    panels += [Panel([picture], below=[words]) for picture, words in zip(pictures, (TAIL, FORMULA), strict=True)]
    return written(panels, [f"β = {text}" for text in BETAS], name="Level β", play=False, least=330)


apply_look()
arrived = arrive(PAGE)
link = links.read()
with st.sidebar:
    loss = st.selectbox("Loss", losses.names(), losses.names().index("absolute"), key=f"{PAGE}_loss",
                        bind="query-params")  # fmt: skip
    noise = st.selectbox("Noise ζ", noises.names(), key=f"{PAGE}_noise", bind="query-params")
at = stands(LEVEL, BETAS, "0.95", arrived=arrived)
beta = float(BETAS[at])
CONTROLS = dict.fromkeys(f"{PAGE}_{name}" for name in ("loss", "noise", *MOVED[0], *MOVED[1])) | {LEVEL: BETAS}
missing = st.container()

with st.container(key="headline"):
    st.markdown(
        "# CVaR is the mean of the worst losses; β says how many\n\n"
        "A good mean can hide a terrible tail. **VaR** is where the worst losses begin, **CVaR** is their mean."
    )
show(drawn(loss, noise, theme()), key=f"{PAGE}-frames", at=at, on_choose=let_go(LEVEL, BETAS))

body = st.container(key="charts")
asked = [any(f"{PAGE}_{name}" in link for name in names) for names in MOVED]
with body.expander("**What a run has to close**: the model's part and the threshold's", expanded=asked[0]):
    path = way(loss, noise, beta)
    for_theta, for_alpha = st.columns(2, gap="medium")
    share = for_theta.slider(
        "Where θ is: 0 is θ₀, 1 is θ*", 0.0, 1.0, 0.0, 0.05, key=f"{PAGE}_theta", bind="query-params",
        help="On the straight line from a run's start θ₀ to the optimum θ* for this β.",
    )  # fmt: skip
    part = for_alpha.slider(
        "Where α is: 0 is α₀, 1 is VaR", 0.0, 1.0, 0.0, 0.05, key=f"{PAGE}_alpha", bind="query-params",
        help="From a run's start α₀, drawn from 0 to 1, to the best threshold for this θ.",
    )  # fmt: skip
    here, ends = path.losses(share), (path.losses(0.0), path.losses(1.0))
    at_theta, first, best = (risks(each, beta) for each in (here, *ends))
    begun = gap(ends[0], path.alpha, beta, best.cvar)
    left, right = st.columns(2, gap="medium")
    with left:
        draw(tail(here, beta, ends, theme=theme()), "tail")
        st.markdown(
            f"CVaR is {number(first.cvar)} at the start and {number(best.cvar)} at the optimum. The heavier the tail "
            "of the noise, the less any $\\theta$ can do about it."
        )
        if path.fitted:
            st.markdown(
                rf"**Mind the sample.** At this $\beta$ the tail is {path.fitted} of the {POINTS:,} losses, and "
                rf"$\theta$ has {len(path.end)} coordinates: $\theta^*$ fits these few points, often at the price of "
                r"all others. An extreme $\beta$ needs much data."
            )
    with right:
        alpha = path.alpha + part * (at_theta.var - path.alpha)
        draw(variational(here, beta, ends, alpha, theme=theme()), "variational")
        st.markdown(rf"""
A step in $\alpha$ goes along a curve, a good step in $\theta$ changes to a lower one. So the gap has two parts:
$$
\begin{{aligned}}
F_\beta(\theta,\alpha)-F^*=&\;\underbrace{{\mathrm{{CVaR}}_\beta(\theta)-F^*}}_{{\text{{the model's}}}}\\
&+\underbrace{{F_\beta(\theta,\alpha)-\mathrm{{CVaR}}_\beta(\theta)}}_{{\text{{the threshold's}}}}
\end{{aligned}}
$$
At the start it is {number(begun.whole)}, and {number(begun.model)} of that is the model's: {percent(begun.share)}. The
rest is $\alpha_0={path.alpha:.3g}$ where VaR is {number(first.var)}. Drag $\alpha$ to VaR, and
{percent(1 - begun.share)} of the gap are closed with $\theta$ where it was. Whoever uses $\theta$ lives with the
model's part, its **excess risk**.
""")

with body.expander(f"**From the mean to the largest loss**, on {N} losses", expanded=asked[1]):
    told, shown = st.columns([2, 3], gap="medium")
    with told:
        few_beta = st.slider("Level β for these losses", 0.0, 0.99, 0.05, 0.01, key=f"{PAGE}_few_beta",
                             bind="query-params")  # fmt: skip
        which = st.slider("Which draw", 1, 10, 8, key=f"{PAGE}_draw", bind="query-params")
        sample = drawn_losses(noise, N, which)
        mean, all_but_one, largest = (few(sample, level) for level in (0.0, 1 / N, 1 - 1 / N))
        st.markdown(rf"""
A sample has jumps, and there two ways to write CVaR differ:

| β | $\min_\alpha F_\beta$ | $\mathbb{{E}}[\ell\mid\ell\ge\mathrm{{VaR}}_\beta]$ |
|:--|:--|:--|
| 0 | {number(mean.value)}, the mean | {number(mean.conditional)}, the mean |
| 1/{N} | {number(all_but_one.value)}, **without the smallest** | {number(all_but_one.conditional)}, the mean |
| {N - 1}/{N} | {number(largest.value)}, the largest | {number(largest.conditional)}, **of the two largest** |

The methods minimise the first. So the mean of all losses is **β = 0**, and the largest loss **β = (n−1)/n**. The paper
names **β = 1/n** for the mean; the methods would leave the smallest loss out.
""")
    with shown:
        draw(extremes(sample, few_beta, theme=theme()), "extremes")

with body.expander("**A surprise**: too careful to classify"):
    shown, told = st.columns([3, 2], gap="medium")
    with shown:
        found = glance(given_up(), noise) or GivingUp(())
        draw(classifiers(found, beta, theme=theme()), "classifiers")
    told.markdown(rf"""
With logistic loss, $\theta=0$ gives every point the same loss, $\log 2$. Any other $\theta$ puts some points on the
wrong side, and each of those costs more. The smaller the tail, the more of it are such points. Beyond some $\beta_c$
the minimiser of CVaR is **no classifier at all**.

On the way there $\theta^*$ hardly turns, it only shrinks: right as often as before, and ever less sure.

{judged(found, beta)}
""")

with missing:
    links.say_unread(PAGE, link, CONTROLS)
problem = replace(DEFAULT.problem, loss=loss, noise=noise, noise_params=None, beta=beta)
try_it(f"Try it: {loss} loss, {noise} noise, β = {beta:g} in Explore", replace(DEFAULT, problem=problem))
await_(given_up(), noise)
