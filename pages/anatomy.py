"""Anatomy of CVaR: the tail of the losses, the formula that makes it a minimisation, and what extreme β do."""

from dataclasses import replace

import streamlit as st

from cvar_core.catalogue import losses, noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.anatomy_charts import classifiers, extremes, judged, percent, tail, variational, worst
from cvar_core.lessons.anatomy import POINTS, GivingUp, Way, drawn_losses, few, gap, giving_up, risks
from cvar_core.problem import Sketch
from cvar_core.results import number
from pages.components.asking import links
from pages.components.asking.presets import DEFAULT
from pages.components.drawing.chart import chart
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons.waiting import await_, glance
from pages.components.lessons.ways import arrive, try_it
from pages.components.sending.answers import Answers, answers

PAGE = "anatomy"
BETAS = (*(f"{k / 20:g}" for k in range(20)), "0.97", "0.98", "0.99", "0.995", "0.999")
N = 20  # a handful of losses
HEIGHT = 430  # px


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


apply_look()
arrive(PAGE)
link = links.read()
with st.sidebar:
    loss = st.selectbox("Loss", losses.names(), losses.names().index("absolute"), key=f"{PAGE}_loss",
                        bind="query-params")  # fmt: skip
    noise = st.selectbox("Noise ζ", noises.names(), key=f"{PAGE}_noise", bind="query-params")
    beta = float(st.select_slider("Level β", BETAS, "0.95", key=f"{PAGE}_beta", bind="query-params",
                                  help="0.95 looks at the worst 5% of the losses; 0 at all of them."))  # fmt: skip
    share = st.slider("Where θ is: 0 is θ₀, 1 is θ*", 0.0, 1.0, 0.0, 0.05, key=f"{PAGE}_theta", bind="query-params",
                      help="On the straight line from a run's start θ₀ to the optimum θ* for this β.")  # fmt: skip
    part = st.slider("Where α is: 0 is α₀, 1 is VaR", 0.0, 1.0, 0.0, 0.05, key=f"{PAGE}_alpha", bind="query-params",
                     help="From a run's start α₀, drawn from 0 to 1, to the best threshold for this θ.")  # fmt: skip
CONTROLS = dict.fromkeys(f"{PAGE}_{name}" for name in ("loss", "noise", "beta", "theta", "alpha", "few_beta", "draw"))
missing = st.container()

path = way(loss, noise, beta)
here, ends = path.losses(share), (path.losses(0.0), path.losses(1.0))
at, first, best = (risks(each, beta) for each in (here, *ends))
begun = gap(ends[0], path.alpha, beta, best.cvar)
body = st.container(key="charts")
body.container(key="headline").markdown(
    f"## The mean of {worst(beta)} is {number(at.cvar)} here, {number(first.cvar)} at the start and "
    f"{number(best.cvar)} at the optimum"
)
left, right = body.columns(2, gap="medium")
with left:
    draw(tail(here, beta, ends, theme=theme()), "tail")
    st.markdown(rf"""
A parameter $\theta$ is not judged by one loss but by the losses of all data points, here {POINTS:,} of them. Their
**mean**, {number(at.mean)}, can be good while a few points fare terribly. **VaR** is a quantile: the lowest value that
a share $\beta$ of the losses does not exceed. It says where the bad part begins, but not how bad that part is. **CVaR**
is the mean beyond it, of the worst $1-\beta$. Drag $\theta$ to the optimum, and compare noises: the heavier the tail,
the farther CVaR lies to the right of VaR, and the less any $\theta$ can do about it.
""")
    if path.fitted:
        st.markdown(rf"""
**Mind the sample.** At this $\beta$ the tail is {path.fitted} of the {POINTS:,} losses, and $\theta$ has
{len(path.end)} coordinates: $\theta^*$ fits these few points, often at the price of all others. An extreme $\beta$
needs much data.
""")
with right:
    alpha = path.alpha + part * (at.var - path.alpha)
    draw(variational(here, beta, ends, alpha, theme=theme()), "variational")
    st.markdown(rf"""
A mean beyond a quantile is awkward to minimise, because the quantile moves with $\theta$. So let the threshold be free:
$$
F_\beta(\theta,\alpha)=\alpha+\frac{{1}}{{1-\beta}}\,\mathbb{{E}}\max\{{\ell(\theta;z)-\alpha,\,0\}}
$$
$$
\mathrm{{CVaR}}_\beta(\theta)=\min_\alpha F_\beta(\theta,\alpha)
$$
The slope in $\alpha$ is $1-\mathbb{{P}}[\ell>\alpha]/(1-\beta)$. It is zero where a share $1-\beta$ of the losses lies
above $\alpha$: at VaR. Minimising over **both** $\theta$ and $\alpha$ therefore minimises CVaR, and one data point is
enough for a step. That is what SGM, SPL and SPL₊ do: a step in $\alpha$ goes along a curve, a good
step in $\theta$ changes to a lower one.

**Two ways to be off.** So the gap that a run has to close has two parts:
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

body.markdown(f"### The extremes, on {N} losses")
told, drawn = body.columns([2, 3], gap="medium")
with told:
    few_beta = st.slider("Level β for these losses", 0.0, 0.99, 0.05, 0.01, key=f"{PAGE}_few_beta", bind="query-params")
    which = st.slider("Which draw", 1, 10, 8, key=f"{PAGE}_draw", bind="query-params")
    sample = drawn_losses(noise, N, which)
    mean, all_but_one, largest = (few(sample, level) for level in (0.0, 1 / N, 1 - 1 / N))
    st.markdown(rf"""
Losses $|\zeta_i|$ from the same noise. A sample has jumps, and there the two ways to write CVaR part:

| β | $\min_\alpha F_\beta$ | $\mathbb{{E}}[\ell\mid\ell\ge\mathrm{{VaR}}_\beta]$ |
|:--|:--|:--|
| 0 | {number(mean.value)}, the mean | {number(mean.conditional)}, the mean |
| 1/{N} | {number(all_but_one.value)}, **without the smallest** | {number(all_but_one.conditional)}, the mean |
| {N - 1}/{N} | {number(largest.value)}, the largest | {number(largest.conditional)}, **of the two largest** |

The mean of all losses, empirical risk minimisation (ERM), is **β = 0**. The largest loss is **β = (n−1)/n**, but by the
formula only. The paper takes **β = 1/n** for ERM. By the conditional mean it is, but the methods minimise $F_\beta$,
and that leaves the smallest loss out.

Where $(1-\beta)n$ is a whole number, the curve has a flat bottom and $\alpha$ is free within it.
""")
with drawn:
    draw(extremes(sample, few_beta, theme=theme()), "extremes")

body.markdown("### A surprise: too careful to classify")
drawn, told = body.columns([3, 2], gap="medium")
with drawn:
    found = glance(given_up(), noise) or GivingUp(())
    draw(classifiers(found, beta, theme=theme()), "classifiers")
told.markdown(rf"""
In these regressions the best $\theta$ is, up to the luck of the sample, the one that generated the data, whatever
$\beta$ is. Not so in classification with logistic loss. At $\theta=0$ every point has the same loss, $\log 2$. Any
other $\theta$ puts some points on the wrong side, and each of those costs more than $\log 2$. The smaller the tail,
the more of it are such points. Beyond some $\beta_c$ no classifier is worth its mistakes, and the minimiser of CVaR is
**no classifier at all**.

On the way there $\theta^*$ hardly turns, it only shrinks: it is right as often as before, and ever less sure.

{judged(found, beta)}
""")

with missing:
    links.say_unread(PAGE, link, CONTROLS)
problem = replace(DEFAULT.problem, loss=loss, noise=noise, noise_params=None, beta=beta)
try_it(f"Try it: {loss} loss, {noise} noise, β = {beta:g} in Explore", replace(DEFAULT, problem=problem))
await_(given_up(), noise)
