"""Theory: what Theorem 1 promises for a step size, beside what runs with that step size do."""

import streamlit as st

from cvar_core import SweepSpec
from cvar_core.catalogue import losses, noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.theory_charts import promises_along, words
from cvar_core.lessons import theory
from cvar_core.results import OBJECTIVE, number
from pages.components.asking import links
from pages.components.drawing.chart import Clicked
from pages.components.drawing.moving_frames import Panel, Picture, Written, show, written
from pages.components.drawing.style import apply_look
from pages.components.drawing.style import theme as looks
from pages.components.lessons.dragging import html_table, let_go, stands
from pages.components.lessons.waiting import await_, glance
from pages.components.lessons.ways import arrive, try_it
from pages.components.sending.answers import Answers, answers

PAGE = "theory"
BETAS = ("0", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99")
UPDATES = ("100", "300", "1000", "3000", "10000")
STEPS = {f"{float(f'{lam:.3g}'):g}": lam for lam in theory.LAMBDAS}
NUMBERS = {
    "theta": ("‖θ₀ − θ*‖", "How far the starts are from the minimiser: root mean square over the seeds."),
    "alpha": ("|α₀ − α*|", "How far their thresholds are from the best one: root mean square over the seeds."),
    "initial_loss": ("ℓ₀", "The mean loss at the start, which scales the step sizes of SPL₊."),
    "mean_square_slope": ("E[M²]", "M(z) is the steepest slope that the loss of a sample z can have in θ."),
    "mean_slope": ("E[M]", "Left empty, M is the same for every sample. The bounds themselves need only E[M²]."),
}
WHY_A_V = (
    "<p><b>Why a V?</b> A small λ gets nowhere, a large one lets in noise: each promise is A/λ + Bλ. The runs like "
    "another λ than the promise does.</p>"
)
OTHER_NUMBERS = (
    "<p class='cvar-quiet'>Explore has other numbers: its runs are longer, their steps shrink, and they are judged by "
    "the model's risk unless you ask for the objective.</p>"
)
WHY_NOT_SQUARED = (
    "<p><b>Why not squared loss?</b> The proof needs a limit M on how steep the loss can get. A square gets ever "
    "steeper with the error, so no M holds, and nothing is promised.</p>"
)


def key(name: str) -> str:
    return f"{PAGE}_{name}"


def runs() -> Answers[SweepSpec, tuple[theory.Setting, theory.Measured]]:
    return answers(PAGE, theory.measure, lambda spec: spec.id, kept=200)


def choose(clicked: Clicked) -> None:
    st.session_state[key("lambda")] = min(STEPS, key=lambda text: abs(STEPS[text] - clicked.x))


@st.cache_data(show_spinner=False, max_entries=64)
def drawn(setting: theory.Setting, there: bool, run: str, theme: str, _measured: theory.Measured) -> Written:
    """Every λ of the slider; ``there`` and ``run`` say which runs were measured."""
    promised, lambdas = theory.bounds_by_name(_measured.spec.methods, setting), tuple(STEPS.values())
    figures = [without_title(each)[0] for each in promises_along(_measured, promised, lambdas, theme=theme)]
    tables = [html_table(theory.brief(_measured, promised, lam)) for lam in lambdas]
    shown = [f"<p><b>At λ = {number(lam)}</b></p>{table}" for lam, table in zip(lambdas, tables, strict=True)]
    label = "Against λ: the gap that is promised at most, and the gap that runs reach"
    picture = Picture(figures, key=f"{PAGE}-promises", height=430, labels=[label], name="theory")
    why = WHY_A_V if promised else ""
    panels = [Panel([picture]), Panel(above=shown, below=[f"{why}{WHY_NOT_SQUARED}{OTHER_NUMBERS}"])]
    return written(panels, [f"λ = {number(lam)}" for lam in lambdas], name="Step size λ", play=False, least=300)


apply_look()
arrived = arrive(PAGE)
link = links.read()
with st.sidebar:
    loss = st.selectbox("Loss", losses.names(), losses.names().index("absolute"), key=key("loss"), bind="query-params")
    heavy = noises.names().index("lognormal")
    noise = st.selectbox("Noise ζ", noises.names(), heavy, key=key("noise"), bind="query-params")
    beta = st.select_slider("Level β", BETAS, "0.95", key=key("beta"), bind="query-params")
    updates = st.select_slider(
        "Updates T", UPDATES, "1000", key=key("iterations"), bind="query-params",
        help="So many updates, with step sizes λ/√T. (The paper counts from 0 to T, which makes T + 1.)",
    )  # fmt: skip
at = stands(key("lambda"), tuple(STEPS), "1", arrived=arrived)
lam = tuple(STEPS.values())[at]
spec = theory.experiment(loss, noise, float(beta), int(updates))
own, measured = glance(runs(), spec) or theory.expect(spec)  # the bounds at once, and the runs when they are there
asked = any(key(name) in link for name in NUMBERS)
with st.sidebar, st.expander("What if the numbers were others?", expanded=asked):
    st.caption("Empty: the problem's own number. The promises follow what you put in; the runs stay what they are.")
    given = {
        name: st.number_input(
            label, value=None, step=0.1, format="%g", key=key(name), help=about, bind="query-params",
            placeholder="√E[M²]" if name == "mean_slope" else number(own.numbers().get(name)),
            disabled=own.slopes is None,
        )
        for name, (label, about) in NUMBERS.items()
    }  # fmt: skip
    setting, faults = theory.what_if(own, given)
    for sentence in faults.values():
        st.markdown(f":red[:material/error: {sentence}.]")
known = dict.fromkeys(map(key, ("loss", "noise", "beta", "iterations", *NUMBERS)))
links.say_unread(PAGE, link, known | {key("lambda"): STEPS})

promised = theory.bounds_by_name(measured.spec.methods, setting)
finding, about = words(measured, promised)
thick = "Thick lines" if measured.there else "Thick lines, once they are run"
thin = (
    "**Thin lines**: how large the gap to the best possible objective can be **at most**, on average, by the paper's "
    f"Theorem 1. **{thick}**: the gap that runs end with ({about})."
)
alone = f"**{thick}**: the gap to the best possible objective that runs end with ({about})."
with st.container(key="headline"):
    st.markdown(f"# {finding}\n\n{thin if promised else alone}")
show(
    drawn(setting, measured.there, spec.id, looks(), measured), key=f"{PAGE}-frames", at=at,
    on_choose=let_go(key("lambda"), tuple(STEPS)), on_click=choose,
)  # fmt: skip

if promised:
    with st.expander("**What the theorem says**, and where the promise comes from"):
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown(
                r"If each loss is convex and nowhere steeper than an $M(z)$, then the **mean** gap at the **averaged** "
                r"iterate after $T$ updates with **constant** step sizes $\lambda_\theta/\sqrt T$ and "
                r"$\lambda_\alpha/\sqrt T$ is at most"
            )
            st.latex(theory.THEOREM)
            st.latex(theory.NOISE)
            st.markdown(
                r"SGM and SPL take $\lambda_\theta=\lambda_\alpha=\lambda$, SPL₊ takes $\lambda/\ell_0$ and "
                r"$\lambda\ell_0$."
            )
        with right:
            (_, names), *rows = theory.table(setting, measured, promised, lam)
            heads = [f"| | {' | '.join(names)} |", "|:---|" + "---:|" * len(names)]
            st.markdown("\n".join([*heads, *(f"| {label} | {' | '.join(cells)} |" for label, cells in rows)]))
    with st.expander("**Its best step sizes**"):
        st.markdown("One for SGM, and a pair for SPL₊:")
        st.latex(theory.BEST_STEPS)
        st.markdown(theory.chosen_steps(setting, promised))
    with st.expander("**What it does not explain**"):
        st.markdown("\n\n".join(theory.unexplained(setting, measured, promised)))
    with st.expander("**The gap has two parts**"):
        st.markdown(
            r"The excess risk $R(\bar\theta)-F^*$ of the model, where $R(\theta)=\min_\alpha\tilde F(\theta,\alpha)$ "
            r"is its CVaR, and what a wrong $\bar\alpha$ adds. Neither is negative, so the theorem bounds the model's "
            "excess risk, too. Which of the two is left it cannot tell."
        )
try_it("Try it: these runs in Explore, curve by curve", measured.spec, lambda_=f"{lam:.4g}", measure=OBJECTIVE)
await_(runs(), spec)
