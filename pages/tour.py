"""A tour: seven short lessons, each with a question to answer before looking, and the page that answers it."""

from dataclasses import dataclass, field

import streamlit as st

from pages.components.drawing.style import apply_look
from pages.components.lessons.ways import arrive, link_to

WIDTH = 900  # px: longer lines are hard to read

Setup = dict[str, str | list[str]]


@dataclass(frozen=True)
class Lesson:
    """A paragraph, a question, its answer, and the page that shows it; ``then`` is a second look at that page."""

    title: str
    text: str
    question: str
    answer: str
    page: str
    words: str
    setup: Setup = field(default_factory=dict)
    then: tuple[str, Setup] | None = None


# What the answers tell of runs is the median over five starts of what Explore shows for these links.
CALM = {"explore_loss": "squared", "explore_noise": "normal"}
HEAVY = {"explore_loss": "squared", "explore_noise": "lognormal", "explore_measure": "objective"}
MISLED = {"explore_loss": "logistic", "explore_noise": "normal", "explore_lambda": "0.001", "explore_at": "0.001"}

LESSONS = (
    Lesson(
        "What CVaR is",
        r"A mean hides bad days. $\mathrm{CVaR}_\beta$ is the mean of the worst share $1-\beta$ of the "
        r"losses, and VaR is "
        r"the quantile where that tail begins. The trick that makes it trainable: $\mathrm{CVaR}_\beta(\theta) = "
        r"\min_\alpha\, \alpha + \frac{1}{1-\beta}\,\mathbb{E}\max(\ell(\theta)-\alpha, 0)$, so one minimises "
        r"over θ and "
        r"a threshold α together.",
        "With β = 0.5 and absolute loss, is CVaR closer to the mean or to the largest loss? And which α "
        "attains the minimum?",
        "Closer to the mean: it averages half of all losses. The minimum is at α = VaR, here the median loss.",
        "pages/anatomy.py",
        "See the tail, and drag β",
        {"anatomy_beta": "0.5", "anatomy_loss": "absolute", "anatomy_noise": "normal"},
    ),
    Lesson(
        "Why the subgradient method is fragile",
        "SGM follows the slope at one point, as far as λ lets it. Above the threshold the sample's objective "
        "does not depend on "
        "θ at all; below it, it is steeper by 1/(1−β), twentyfold at β = 0.95. One λ has to serve both.",
        "Squared loss, normal noise, β = 0.95, a hundred thousand updates: over how many decades of λ does SGM "
        "close 90% of the model's excess risk, which is how far its CVaR at the start is above the best one? And "
        "with log-normal noise, whose tail is heavy?",
        "Over about 2.4 decades, from λ ≈ 0.0016 to 0.37: below, it is too slow, and at λ = 1 it explodes. With "
        "log-normal noise the model is within 0.2% of the best before the first update, so there is nothing to "
        "close. Judged by the objective, which is of model and threshold together (lesson 6), three of five starts "
        "then have no usable λ at all: 0.1 is too slow, and 1 explodes.",
        "pages/explore.py",
        "Run it, and look for SGM's valley",
        {**CALM, "explore_methods": ["sgm"]},
        ("The same with log-normal noise, judged by the objective", {**HEAVY, "explore_methods": ["sgm"]}),
    ),
    Lesson(
        "The tighter model",
        "SPL linearises the loss but keeps the max: its model has the kink of the objective. A step that "
        "would cross the kink "
        "ends on it instead.",
        "Start at θ = 2, α = 3, above the curve, with λ = 2. SGM moves α from 3 to 1 and leaves θ alone. "
        "Where does SPL end: above the curve α = ℓ(θ), on it, or below?",
        "On the kink of its model, a line that touches the curve at θ = 2: just beside the curve. F falls "
        "from 3 to 1.85, where "
        "SGM's rises to 12.5.",
        "pages/models.py",
        "Step both methods",
    ),
    Lesson(
        "Heavy tails and units",
        "Measure the loss in cents instead of dollars, and every number in the tail grows a hundredfold. SGM "
        "and SPL add "
        r"$\|\theta-\theta_t\|^2$ and $(\alpha-\alpha_t)^2$ as if both had the same unit; SPL₊ divides each "
        r"by its own scale, "
        r"with $\lambda_\theta = \lambda/\ell_0$ and $\lambda_\alpha = \lambda\,\ell_0$.",
        "Multiply the loss by 1,000. By how much does the best λ of SPL₊ move?",
        "Not at all: its path of θ stays the same, bit for bit if the factor is a power of two.",
        "pages/units.py",
        "Change the unit",
    ),
    Lesson(
        "Choosing λ in practice",
        "Nobody tunes λ on a grid of fifteen values in production. What one wants is a default that works: a "
        "λ in the middle of "
        "a wide valley. Look at the margin on both sides, not only at the best value.",
        "You must pick one λ for the problem of lesson 2 without tuning. Which method and which λ would you take?",
        "λ = 1, which is where SGM explodes, with SPL or SPL₊: by the model's risk it lies 2.8 decades above the "
        "lower end of SPL's usable range and 2.3 below the upper one, and 2.0 and 2.5 in that of SPL₊. If the tail "
        "may be heavy, SPL₊: with log-normal noise, judged by the objective, its margins are 2.8 and 2.9 decades, "
        "and those of SPL 0.4 and 0.9.",
        "pages/explore.py",
        "Check λ = 1 for every method",
        {**CALM, "explore_lambda": "1"},
        ("And with log-normal noise, judged by the objective", {**HEAVY, "explore_lambda": "1"}),
    ),
    Lesson(
        "The model or the threshold?",
        r"A run minimises over θ and α together, so its gap has two parts: $\tilde F(\bar\theta,\bar\alpha)-F^* = "
        r"[R(\bar\theta)-F^*] + [\tilde F(\bar\theta,\bar\alpha)-R(\bar\theta)]$, where "
        r"$R(\theta)=\min_\alpha\tilde F(\theta,\alpha)$ is the CVaR of the model. The first part is the model's "
        r"excess risk, the second is a wrong threshold. At the start α lies between 0 and 1, whatever the losses are: "
        r"in the paper's nine problems only 0.02% to 13% of the gap is the model's. So a step size can put α right and "
        r"look safe by the objective, while the model has hardly moved. Whoever deploys $\bar\theta$ lives with its "
        r"risk; α stays behind.",
        "Logistic loss, normal noise, SPL₊ with λ = 0.001: a hundred thousand updates leave a tenth of the objective's "
        "gap. How much do they leave of the model's excess risk?",
        "72%: its CVaR falls from 2.0 to 1.6, where 0.69 (log 2) is possible. By the objective λ = 0.001 is usable "
        "for three of five starts; by the model's risk for none, and the usable λ begin at 0.013. With absolute loss "
        "it is worse: λ = 0.001 leaves 4% of the objective's gap, safe for all five starts, and 86% of the model's "
        "excess risk. It can be the other way round, too: in the problem of lesson 2, SPL with λ = 30 leaves 0.2% of "
        "the model's excess risk and 43% of the objective's gap.",
        "pages/explore.py",
        "Judge λ = 0.001 by the objective, as the paper does",
        {**MISLED, "explore_measure": "objective"},
        ("Judge the same runs by the model's risk", MISLED),
    ),
    Lesson(
        "What theory promises",
        r"For Lipschitz losses and a constant step, the mean suboptimality of the objective falls like $1/\sqrt{T}$ "
        r"for SGM and SPL₊ alike, and with it what the model's excess risk can be, "
        r"with constants that differ by one part in eight hundred at β = 0.95. Theory guarantees both, and "
        r"explains neither's "
        r"behaviour at a bad λ.",
        "For absolute loss, how far above the measured suboptimality does the bound lie at its best λ: a "
        "factor of 2, of 20, or more?",
        "Some twenty times for SGM, and hundreds of times for SPL₊. A bound for every problem is loose on each.",
        "pages/theory.py",
        "Lay the measured curve over the bound",
    ),
)  # fmt: skip

apply_look()
arrive("tour")
with st.container(width=WIDTH):
    st.markdown("## Seven lessons: which step size is safe, and why")
    st.markdown("Each takes two minutes: read, answer the question for yourself, and look.")
    for number, lesson in enumerate(LESSONS, start=1):
        with st.container(border=True):
            st.markdown(f"### {number}. {lesson.title}")
            st.markdown(lesson.text)
            st.markdown(f":material/psychology: **Before you look:** {lesson.question}")
            link_to(lesson.page, lesson.words, lesson.setup)
            if lesson.then:
                link_to(lesson.page, *lesson.then)
            with st.expander("The answer"):
                st.markdown(lesson.answer)
    link_to("pages/paper.py", "And then: the paper's figures, recomputed", {})
    link_to("pages/atlas.py", "And in general: on how many problems is one step size safe?", {})
    link_to("pages/your_model.py", "And on a network: ten optimisers at every step size, and the code for yours", {})
    link_to("pages/data.py", "And last: which step size is safe on rows of your own?", {})
