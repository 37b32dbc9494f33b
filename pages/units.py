"""Units: the same problem in dollars and in cents, and which methods notice."""

from dataclasses import replace

import streamlit as st

from cvar_core import ProblemSpec
from cvar_core.catalogue import losses, methods, noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.feature_unit_charts import feature_curves
from cvar_core.figures.lessons.unit_panels_charts import HEIGHT, unit_paths, unit_ranges
from cvar_core.figures.lessons.units_charts import sensitivity_by_unit, unit_curves, unit_effect, usable_by_unit
from cvar_core.lessons import feature_unit, units
from cvar_core.results import OBJECTIVE, number, width
from pages.components.asking import links
from pages.components.asking.presets import DEFAULT
from pages.components.drawing.chart import chart
from pages.components.drawing.moving_frames import Panel, Picture, Written, show, written
from pages.components.drawing.style import apply_look, theme
from pages.components.drawing.text import capital
from pages.components.lessons.dragging import let_go, stands
from pages.components.lessons.ways import arrive, try_it

PAGE = "units"
SCALES = tuple(f"{scale:g}" for scale in units.SCALES)
MONEY = {"0.001": "thousands of dollars", "1": "dollars", "100": "cents"}
LAMBDAS = tuple(f"{lam:g}" for lam in units.half_decades(-4, 3))
CONTROLS = {  # name: label, values, default, help
    # Every λ in every unit is millions of updates: of a loss that only torch knows they would take minutes.
    "loss": ("Loss", tuple(loss.name for loss in losses if loss.scalar is not None), "absolute", None),
    "noise": ("Noise ζ", noises.names(), "normal", None),
    "lambda": ("Step size λ", LAMBDAS, "0.3", "The same in both units."),
    "feature": ("Unit c of a feature", SCALES, "100", "The first feature is multiplied by c: metres become centimetres "
                "at c = 100."),
}  # fmt: skip


def ask(name: str) -> str:
    label, values, usual, about = CONTROLS[name]
    draw = st.select_slider if name in ("lambda", "feature") else st.selectbox
    first = usual if draw is st.select_slider else values.index(usual)
    return draw(label, values, first, key=f"{PAGE}_{name}", help=about, bind="query-params")


@st.cache_data(show_spinner="Trying every λ in every unit …", max_entries=32)
def tried(problem: ProblemSpec) -> units.Tolerance:
    return units.tolerance(problem)


@st.cache_data(show_spinner="Trying every λ in another unit of the feature …", max_entries=256)
def tried_feature(problem: ProblemSpec, factor: float) -> feature_unit.FeatureUnit:
    return feature_unit.in_unit(problem, factor, units.LAMBDAS)


@st.cache_data(show_spinner=False, max_entries=64)
def drawn(problem: ProblemSpec, lam: float, theme: str) -> Written:
    """Every unit of the slider."""
    found = tried(problem)
    finding = "What each λ leaves of the gap, and which λ are usable in each unit"
    curves, usable = (
        Picture([without_title(each)[0] for each in figures], f"{PAGE}-{name}", 400, [finding], name)
        for name, figures in (
            ("sensitivity", sensitivity_by_unit(found, lam, theme=theme)),
            ("usable", usable_by_unit(found, lam, theme=theme)),
        )
    )
    said = [f"<p><b>{unit_effect(found, scale)}</b></p>" for scale in units.SCALES]
    panels = [Panel(above=said, wide=True), Panel([curves]), Panel([usable])]
    labels = [f"loss × {text}{f': {MONEY[text]}' if text in MONEY else ''}" for text in SCALES]
    return written(panels, labels, name="Unit of the loss", play=False, least=330)


apply_look()
arrived = arrive(PAGE)
link = links.read()
with st.sidebar:
    loss, noise, lam = (ask(name) for name in ("loss", "noise", "lambda"))
at = stands(f"{PAGE}_scale", SCALES, "100", arrived=arrived)
problem, lam, scale = units.problem_of(loss, noise), float(lam), units.SCALES[at]
found = tried(problem)
unread = st.container()

with st.container(key="headline"):
    st.markdown(
        "# Dollars or cents? SPL needs another λ, SPL₊ does not notice\n\n"
        "Multiply every loss by $s$: the task and the best θ stay. But α is an amount of loss and θ is not: one λ "
        "for both cannot fit every unit. SPL₊ gives each its own: $\\lambda/\\ell_0$ for θ, $\\lambda\\ell_0$ for α, "
        "with $\\ell_0$ the mean loss at the start."
    )
show(drawn(problem, lam, theme()), key=f"{PAGE}-frames", at=at, on_choose=let_go(f"{PAGE}_scale", SCALES))
st.caption(
    f"Usable: closes {1 - units.LEFT:.0%} of the objective's gap, median of {len(units.SEEDS)} seeds. Explore has "
    f"other numbers, because its runs are longer ({DEFAULT.iterations:,} updates, {units.ITERATIONS:,} here) and are "
    "judged by the model's risk unless you ask for the objective."
)

body = st.container(key="charts")
with body.expander("**Why one λ cannot have two units**"):
    left, right = st.columns(2, gap="medium")
    left.markdown(r"""
A step minimises the model plus a price for moving. The model is an amount of loss, in \$, so both prices have to be,
too. But $\alpha$ is an amount of loss, and $\theta$ is not:
$$
\underbrace{m_t(\theta,\alpha)}_{\$}
+\underbrace{\frac{\lVert\theta-\theta_t\rVert^2}{2\lambda}}_{\text{needs }[\lambda]=1/\$}
+\underbrace{\frac{(\alpha-\alpha_t)^2}{2\lambda}}_{\text{needs }[\lambda]=\$}
$$
No $\lambda$ does both. With the loss in cents, one $\lambda$ makes steps of $\theta$ a hundred times longer and steps
of $\alpha$ a hundred times shorter, as seen in dollars.
""")
    right.markdown(rf"""
SPL₊ has two step sizes, each with the unit that it needs, and a $\lambda$ that has none:
$$
\lambda_\theta=\frac{{\lambda}}{{\ell_0}}\;\Bigl[\tfrac{{1}}{{\$}}\Bigr],\qquad \lambda_\alpha=\lambda\,\ell_0\;[\$]
$$
When $\ell_0$ becomes $s\,\ell_0$, both prices grow by $s$, as the model does, and the minimiser stays. In other words,
SPL₊ is SPL with the loss measured in units of $\ell_0$: here at $s=1/\ell_0={number(found.meeting)}$.
""")

with body.expander("**One run in two units**: the path of θ"):
    paths = units.walk(problem, lam, scale)
    picture, finding, about = without_title(unit_paths(paths, theme=theme()))
    shown, told = st.columns([3, 2], gap="medium")
    with shown:
        st.markdown(f"**{finding}**")
        chart(picture, key="units-paths", height=HEIGHT, label=finding, name="paths")
        st.caption(f"Wide and pale: s = 1. Thin: s = {number(scale)}. Dotted: the start. {about}.")
    last = paths[-1]
    told.markdown(rf"""
The same start, samples and $\lambda$ in both units. A method that is free of units takes the same path of $\theta$: the
thin line lies in the wide one. On the left, $\theta$ and $\alpha$ share one $\lambda$; on the right they have SPL₊'s
pair. Above is SGM's linear model, below the model that keeps the max.

**To the last bit?** SPL₊'s two paths differ by at most {number(last.share)} of their distance to $\theta^*$. That is
rounding. A power of two multiplies without it: at s = {number(last.power)} the difference is
{number(last.share_at_power)}.
""")

picture, finding, about = without_title(unit_ranges(found, lam, scale, theme=theme()))
with body.expander(f"**Usable λ in every unit**: {finding}"):
    shown, told = st.columns([3, 2], gap="medium")
    with shown:
        chart(picture, key="units-ranges", height=HEIGHT, label=finding, name="ranges")
        st.caption(f"Dotted: the unit in which $\\ell_0$ is 1, where one λ and the pair are the same; {about}.")
    told.markdown(r"""
**With one λ, the unit decides.** In a larger unit $\alpha$ has farther to go, and needs a larger λ. But the same λ then
throws $\theta$ too far. At some unit **no** λ suits both: tuning cannot mend a bad unit.

**With the pair, one band serves all units:** a λ that worked in dollars works in cents.
""")
    if alone := found.without_theta(units.SPL):
        unit, gap, way = alone
        told.markdown(rf"""
**Usable is not everything.** At s = {number(unit)}, SPL's best λ closes {1 - gap:.1%} of the objective's gap with
$\theta$ still at {way:.0%} of its distance to $\theta^*$. What has closed is the **threshold's part** of the gap. The
**model's part**, its excess risk, is hardly touched.
""")

with body.expander("**Units and model are two effects**"):
    picture, finding, about = without_title(unit_curves(found, lam, scale, theme=theme()))
    shown, told = st.columns([3, 2], gap="medium")
    with shown:
        chart(picture, key="units-curves", height=430, label=finding, name="units and model")
        st.caption(f"Bold: the pair. Pale and open: one λ for θ and α. s = {number(scale)}, {about}.")
    wide = {variant: width(found.range(variant, scale)) for variant in units.VARIANTS}
    told.markdown(f"""
| usable decades of λ, by the objective | one λ | the pair |
|:--|:--|:--|
| linear model | SGM: **{wide[units.SGM]}** | SGM with the pair: **{wide[units.SGM_PAIR]}** |
| model with the max | SPL: **{wide[units.SPL]}** | SPL₊: **{wide[units.SPL_PLUS]}** |

**Along a row** the units are mended: move s, and the bold curves stand still.

**Down a column** the model gets tighter. In the right column nothing else differs, so what SPL₊ forgives beyond SGM
with the pair is owed to its model: at large λ the linear model overshoots.
""")

with body.expander("**The unit of a feature**: metres or centimetres"):
    first, other = (tried_feature(problem, factor) for factor in (1.0, float(ask("feature"))))
    picture, finding, about = without_title(feature_curves(first, other, lam, theme=theme()))
    shown, told = st.columns([3, 2], gap="medium")
    with shown:
        st.markdown(f"**{finding}**")
        chart(picture, key="units-feature", height=500, label=finding, name="unit of a feature")
        st.caption(
            f"Bold: the first of {problem.dim} features times c = {number(other.factor)}. Pale and open: c = 1. "
            f"{capital(about)}."
        )
    ranges = {name: [width(each.range(name)) for each in (first, other)] for name in feature_unit.METHODS}
    rows = "\n".join(f"| {methods[name].label} | **{here}** | **{there}** |" for name, (here, there) in ranges.items())
    told.markdown(rf"""
| usable decades of λ, by the model's risk | c = 1 | c = {number(other.factor)} |
|:--|:--|:--|
{rows}

**A feature has a unit, too.** Measure one in centimetres, divide its $\theta_j$ by 100 at the start, and every
prediction is what it was, but SPL₊'s steps are not: one $\lambda_\theta$ for all coordinates would need the unit of
each.

**SPL-U is ours, not the paper's.** It gives every coordinate a step size in its own unit,
$$
\lambda_\alpha=\lambda\,\ell_0,\qquad
\lambda_j=\frac{{\lambda\,\ell_0}}{{\sqrt d\;\mathbb E[\ell'^2]\,\mathbb E[x_j^2]}},
$$
with $\ell'$ the slope of the loss in the prediction, all at the start: bold and pale are one curve. SGM-U has the same
step sizes and the linear model. An **offset**, °C to °F, is no factor and does change the path; centre the columns.
""")
with unread:
    links.say_unread(PAGE, link, dict.fromkeys(f"{PAGE}_{name}" for name in CONTROLS) | {f"{PAGE}_scale": SCALES})
with body:
    explored = replace(DEFAULT.problem, loss=loss, noise=noise, noise_params=None, scale=scale)
    try_it(f"Try it: every λ, at full length, with s = {number(scale)}", replace(DEFAULT, problem=explored),
           lambda_=f"{lam:g}", measure=OBJECTIVE)  # fmt: skip
