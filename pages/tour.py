"""A tour: six short lessons, each with a question to answer before looking, and the page that answers it."""

from dataclasses import dataclass, field

import streamlit as st

from pages.components.lesson import arrive, link_to
from pages.components.look import apply_look

WIDTH = 900  # px: longer lines are hard to read


@dataclass(frozen=True)
class Lesson:
    """A paragraph, a question, its answer, and the page that shows it."""

    title: str
    text: str
    question: str
    answer: str
    page: str
    words: str
    setup: dict[str, str | list[str]] = field(default_factory=dict)


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
        "Squared loss, log-normal noise, β = 0.95, a hundred thousand updates: over how many decades of λ "
        "does SGM close 90% "
        "of the gap it starts with?",
        "None on this grid: below λ ≈ 0.3 it is too slow, above it explodes.",
        "pages/explore.py",
        "Run it, and look for SGM's valley",
        {"explore_methods": ["sgm"]},
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
        "SPL₊ with λ = 1: it lies almost three decades inside its usable range on both sides.",
        "pages/explore.py",
        "Check λ = 1 for every method",
        {"explore_lambda": "1"},
    ),
    Lesson(
        "What theory promises",
        r"For Lipschitz losses and a constant step, the mean suboptimality falls like $1/\sqrt{T}$ for SGM "
        r"and SPL₊ alike, "
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
    st.markdown("## Six lessons: which step size is safe, and why")
    st.markdown("Each takes two minutes: read, answer the question for yourself, and look.")
    for number, lesson in enumerate(LESSONS, start=1):
        with st.container(border=True):
            st.markdown(f"### {number}. {lesson.title}")
            st.markdown(lesson.text)
            st.markdown(f":material/psychology: **Before you look:** {lesson.question}")
            link_to(lesson.page, lesson.words, lesson.setup)
            with st.expander("The answer"):
                st.markdown(lesson.answer)
    link_to("pages/paper.py", "And then: the paper's figures, recomputed", {})
    link_to("pages/data.py", "And last: which step size is safe on rows of your own?", {})
