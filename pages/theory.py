"""Theory: what Theorem 1 promises for a step size, beside what runs with that step size do."""

import streamlit as st

from cvar_core import SweepSpec
from cvar_core.catalogue import losses, noises
from cvar_core.figures import without_title
from cvar_core.figures.lessons.theory_charts import promises
from cvar_core.lessons import theory
from cvar_core.results import OBJECTIVE, number
from pages.components.asking import links
from pages.components.drawing.chart import Clicked, chart
from pages.components.drawing.style import apply_look
from pages.components.drawing.style import theme as looks
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


def key(name: str) -> str:
    return f"{PAGE}_{name}"


def runs() -> Answers[SweepSpec, tuple[theory.Setting, theory.Measured]]:
    return answers(PAGE, theory.measure, lambda spec: spec.id, kept=200)


def choose(clicked: Clicked) -> None:
    st.session_state[key("lambda")] = min(STEPS, key=lambda text: abs(STEPS[text] - clicked.x))


apply_look()
arrive(PAGE)
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
    links.recall(key("lambda"), STEPS, "1")  # and no default: a click into the chart sets it, too
    step = st.select_slider("Step size λ", tuple(STEPS), key=key("lambda"))
    links.keep(key("lambda"), step, "1")
    lam = STEPS[step]
spec = theory.experiment(loss, noise, float(beta), int(updates))
own, measured = glance(runs(), spec) or theory.expect(spec)  # the bounds at once, and the runs when they are there
with st.sidebar, st.expander("What if the numbers were others?", expanded=True):
    st.caption("Empty: the problem's own number. The bounds follow what you put in; the runs stay what they are.")
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
figure, finding, about = without_title(promises(measured, promised, mark=lam, theme=looks()))
with st.container(key="headline"):
    st.markdown(f"## {finding}")
with st.container(key="charts"):
    left, right = st.columns([3, 2], gap="medium")
with left:
    chart(figure, key=f"{PAGE}-promises", height=500, label=finding, name="theory", on_click=choose)
    thin = "Thin: what Theorem 1 allows that mean to be. " if promised else ""
    thick = "Thick" if measured.there else "Thick, once they are run"
    st.caption(f"{thick}: the objective's suboptimality after {about}. {thin}Click a point to put its λ in the table.")
    (_, names), *rows = theory.table(setting, measured, promised, lam)
    heads = [f"| | {' | '.join(names)} |", "|:---|" + "---:|" * len(names)]
    st.markdown("\n".join([*heads, *(f"| {label} | {' | '.join(cells)} |" for label, cells in rows)]))
with right:
    st.markdown(
        r"Theorem 1 bounds the **mean** suboptimality of the objective, $\tilde F(\bar\theta,\bar\alpha)-F^*$, at the "
        r"**averaged** iterate after $T$ updates with **constant** step sizes $\lambda_\theta/\sqrt T$ and "
        r"$\lambda_\alpha/\sqrt T$, if each loss is convex and nowhere steeper than an $M(z)$:"
    )
    st.latex(theory.THEOREM)
    st.latex(theory.NOISE)
    st.markdown(
        r"A larger $\lambda$ leaves less of the way and lets in more noise: hence the V of each thin line. SGM and SPL "
        r"take $\lambda_\theta=\lambda_\alpha=\lambda$, SPL₊ takes $\lambda/\ell_0$ and $\lambda\ell_0$."
    )
    st.markdown(
        r"**Of model and threshold together.** That gap has two parts: the excess risk $R(\bar\theta)-F^*$ of the "
        r"model, where $R(\theta)=\min_\alpha\tilde F(\theta,\alpha)$ is its CVaR, and what a wrong $\bar\alpha$ adds. "
        r"Neither is negative, so the theorem bounds the model's excess risk all the more. Which of the two is left it "
        "cannot tell."
    )
    if not promised:
        st.info(
            f"**The theorem does not apply to {loss} loss**: it grows ever steeper with the error, so that no $M(z)$ "
            "bounds its slope. The chart has the runs alone."
        )
    else:
        st.markdown("**Its best step sizes**, one for SGM and a pair for SPL₊:")
        st.latex(theory.BEST_STEPS)
        st.markdown(theory.chosen_steps(setting, promised))
        st.markdown("#### What it does not explain")
        st.markdown("\n\n".join(theory.unexplained(setting, measured, promised)))
try_it("Try it: these runs in Explore, curve by curve", measured.spec, lambda_=f"{lam:.4g}", measure=OBJECTIVE)
await_(runs(), spec)
