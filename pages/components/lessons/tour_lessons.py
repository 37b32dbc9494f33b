"""The Tour's lessons in words: what to know, a question with answers to choose from, and the page that shows more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cvar_core.figures.lessons import tour_charts

Setup = dict[str, str | list[str]]


@dataclass(frozen=True)
class Lesson:
    """
    Attributes
    ----------
    answers
        To choose from, each with what is said of it; ``right`` is the place of the true one.
    told
        What is said to everybody who has answered.
    draw
        Draws the figure, before and after the answer.
    page, words, setup
        The link that shows more: the page, what the link says, and the page's controls. ``then`` is a second look.
    """

    title: str
    text: str
    question: str
    answers: tuple[tuple[str, str], ...]
    right: int
    told: str
    draw: Callable[..., dict]
    page: str
    words: str
    setup: Setup
    formula: str = ""
    then: tuple[str, Setup] | None = None


# What the answers tell of runs is the median over five starts of what Explore shows for these links.
CALM: Setup = {"explore_loss": "squared", "explore_noise": "normal"}
HEAVY: Setup = {"explore_loss": "squared", "explore_noise": "lognormal", "explore_measure": "objective"}
MISLED: Setup = {
    "explore_loss": "logistic",
    "explore_noise": "normal",
    "explore_lambda": "0.001",
    "explore_at": "0.001",
}

LESSONS = (
    Lesson(
        "Whom does the mean forget?",
        "Eighty deliveries: how far, and how long they took. The ordinary line has the least **mean** error. "
        "The **CVaR** line has the least mean of its **worst 10%** instead.",
        "Who gains by the CVaR line, and who pays for it?",
        (
            ("Everybody gains: it is simply the better line", "No line is better for all: the mean error rises."),
            ("The hills gain much, the town pays a little", ""),
            ("The town gains, the hills pay", "The other way round: the town is already served well."),
        ),
        1,
        "All of the ordinary line’s worst 8 went to the hills: it is off by 16 minutes there. CVaR brings the worst "
        "10% down to 10 minutes, and only 3 of them went to the hills. The price: the mean error rises from 3.5 to 4.0 "
        "minutes.",
        tour_charts.two_fits,
        "pages/data.py",
        "Who is in the tail? The same rows in Data",
        {"data_set": "made-deliveries", "data_loss": "absolute", "data_beta": "0.9", "data_test": "none"},
        r"$\mathrm{CVaR}_\beta$ is the mean of the worst share $1-\beta$ of the losses. With $\beta=0$ it is the mean "
        r"of all, and with $\beta=0.9$ that of the worst tenth.",
    ),
    Lesson(
        "What CVaR is",
        "A model has a loss on every row. **VaR** is where the worst 5% begin. **CVaR** is the mean of those worst 5%: "
        "how bad a bad day is.",
        "These losses have a mean of 1.6. How large is CVaR?",
        (
            ("1.7, a little more than the mean", "The tail is far from the mean: it begins at 3.9."),
            ("4.7, about three times the mean", ""),
            ("7.5, the largest loss", "CVaR averages 500 of the 10,000 losses, not the largest alone."),
        ),
        1,
        "CVaR lies beyond VaR, where the tail begins, and before the largest loss.",
        tour_charts.losses,
        "pages/anatomy.py",
        "See the tail change with β",
        {"anatomy_loss": "absolute", "anatomy_noise": "normal", "anatomy_beta": "0.95", "anatomy_theta": "1.0"},
        r"$\mathrm{CVaR}_\beta(\theta)=\min_\alpha\ \alpha+\frac{1}{1-\beta}\,\mathbb{E}\max(\ell(\theta)-\alpha,0)$. "
        r"The best threshold $\alpha$ is VaR. So one minimises over the model $\theta$ and a threshold $\alpha$ "
        r"together.",
    ),
    Lesson(
        "Why the usual method is fragile",
        "**SGM**, the usual method, follows the slope at one row, as far as the step size **λ** lets it. "
        "Squared loss, normal noise, 100,000 updates: with λ = 0.1 it leaves 0.1% of the excess risk, which is how far "
        "the model’s CVaR is above the best one.",
        "What does it leave with a λ ten times as large, λ = 1?",
        (
            ("As little: 0.1%", "That is what SPL does. SGM has no such room."),
            ("More, but it still works: about 5%", "There is nothing in between: it works, or it explodes."),
            ("It explodes: millions of times the start", ""),
        ),
        2,
        "SGM works over 2.4 decades of λ, from 0.0016 to 0.38. (A decade is a factor of 10.) With heavy-tailed noise, "
        "judged by the objective, its typical start has no λ at all.",
        tour_charts.subgradient,
        "pages/explore.py",
        "Run it, and look for SGM’s valley",
        {**CALM, "explore_methods": ["sgm"], "explore_lambda": "1"},
        r"$(\theta,\alpha)\leftarrow(\theta,\alpha)-\frac{\lambda}{\sqrt{t+1}}\,g_t$ with a subgradient $g_t$ of "
        r"$\alpha+\frac{1}{1-\beta}\max(\ell(\theta)-\alpha,0)$. Its part in $\theta$ is 0 above the threshold, and "
        r"$\frac{1}{1-\beta}$ times the slope of the loss below it: twentyfold at $\beta=0.95$.",
        ("The same with heavy-tailed noise", {**HEAVY, "explore_methods": ["sgm"]}),
    ),
    Lesson(
        "The tighter model",
        "The objective **F** has a kink along the curve α = ℓ(θ): gentle above it, steep below. SGM sees only the "
        "slope where it stands. **SPL** knows that there is a kink.",
        "From the same dot with the same λ = 2, where does SPL end?",
        (
            ("Above the curve, a shorter step down", "It goes all the way to where it expects the kink."),
            ("At the curve", ""),
            ("Below the curve, beside SGM", "There F is steep: SPL’s model says so, SGM’s does not."),
        ),
        1,
        "SPL expects the kink on a line that touches the curve at θ = 2, and stops there. F falls from 3 to 1.85; "
        "SGM’s step takes it to 12.5.",
        tour_charts.one_step,
        "pages/models.py",
        "Step both methods",
        {"models_loss": "paper", "models_lambda": "2", "models_theta": "2.0", "models_alpha": "3.0",
         "models_beta": "0.9"},
        r"SPL minimises $\alpha+\frac{1}{1-\beta}\max\{\ell_t+v_t(\theta-\theta_t)-\alpha,\,0\}$ plus the price of "
        r"going far, $\frac{1}{2\lambda}\left(\|\theta-\theta_t\|^2+(\alpha-\alpha_t)^2\right)$. SGM’s model has no "
        r"max: it is a plane.",
    ),
    Lesson(
        "Dollars or cents?",
        "Measure a loss in cents instead of dollars: every number grows a hundredfold, the task stays the same. "
        "**SPL₊** measures its steps in units of the loss at the start. SPL does not.",
        "What do cents do to the step sizes that work?",
        (
            ("Nothing: each method keeps its own", "SPL’s steps of θ get 100 times longer, those of α shorter."),
            ("Both need a λ that is 100 times smaller", "SPL₊’s λ has no unit, and SPL would need two."),
            ("SPL₊ keeps its own, SPL has none left", ""),
        ),
        2,
        "SPL₊’s usable λ stay the same in every unit. From a factor of 30 on, no λ serves both of SPL’s steps: tuning "
        "cannot mend a bad unit.",
        tour_charts.units,
        "pages/units.py",
        "Change the unit",
        {"units_loss": "absolute", "units_noise": "normal", "units_lambda": "0.3", "units_scale": "100"},
        r"SPL₊ takes $\lambda_\theta=\lambda/\ell_0$ and $\lambda_\alpha=\lambda\,\ell_0$, with $\ell_0$ the mean "
        r"loss at the start. SGM and SPL take one λ for both.",
    ),
    Lesson(
        "Which λ to take",
        "Nobody wants to tune λ. Then the best λ matters less than the **room** on both sides of it: how wrong may it "
        "be? This is the problem of lesson 3 with all three methods.",
        "Which of these has the most room on both sides?",
        (
            ("SGM with λ = 0.03", "It works, but ten times more is too much."),
            ("SPL with λ = 1", ""),
            ("SPL₊ with λ = 100", "It works, but ten times more is too much."),
            ("SGM with λ = 1", "That is where SGM explodes."),
        ),
        1,
        "SPL at λ = 1 has 2.8 decades of room below and 2.4 above, SPL₊ 2.0 and 2.5. With heavy-tailed noise, judged "
        "by the objective, SPL₊ has 2.8 and 2.9, SPL 0.4 and 0.9.",
        tour_charts.choosing,
        "pages/explore.py",
        "Check λ = 1 for every method",
        {**CALM, "explore_lambda": "1"},
        r"Usable: the run closes 90% of the gap that it starts with. Room: $\log_{10}$ of the usable range’s upper end "
        r"over λ, and of λ over its lower end.",
        ("And with heavy-tailed noise, judged by the objective", {**HEAVY, "explore_lambda": "1"}),
    ),
    Lesson(
        "The model or the threshold?",
        "A run learns a model θ and a threshold α. The **objective** judges both together, the **excess risk** the "
        "model alone, which is what gets deployed. Logistic loss, SPL₊ with a tiny λ = 0.001: a tenth of the "
        "objective’s gap is left.",
        "How much is left of the model’s excess risk?",
        (
            ("Less: about 1%", "The model is the slower part here."),
            ("As much: a tenth", "Most of the objective’s gap was a wrong threshold, which is soon put right."),
            ("Far more: 72%", ""),
        ),
        2,
        "The CVaR of the model has fallen from 2.0 to 1.6, where 0.69 is possible. By the objective λ = 0.001 "
        "just about works; for whoever uses the model it does not. That is why this lab judges by the model’s risk.",
        tour_charts.model_or_threshold,
        "pages/explore.py",
        "Judge λ = 0.001 by the objective",
        {**MISLED, "explore_measure": "objective"},
        r"$\tilde F(\bar\theta,\bar\alpha)-F^*=[R(\bar\theta)-F^*]+[\tilde F(\bar\theta,\bar\alpha)-R(\bar\theta)]$ "
        r"with $R(\theta)=\min_\alpha\tilde F(\theta,\alpha)$, the CVaR of the model: its excess risk, and what a "
        r"wrong threshold adds.",
        ("Judge the same runs by the model’s risk", MISLED),
    ),
    Lesson(
        "What theory promises",
        "For losses that are nowhere too steep, the paper’s theorem promises that no method does worse than a bound. "
        "SGM’s bound, after 1,000 updates with absolute loss, is least at λ ≈ 1: the gap is then **at most 48**.",
        "What do runs reach with that λ?",
        (
            ("About half of that: 24", "A bound for every problem is looser than that on one."),
            ("About twenty times less: 2.5", ""),
            ("About a thousand times less: 0.05", "So good they are not, with this λ."),
        ),
        1,
        "SPL₊’s bound is looser still: 220 times what its runs reach with the λ that the bound likes best. (Theory’s "
        "heading takes the λ that the runs like best.) The theorem covers SGM and SPL₊ alike, so it cannot tell why "
        "one of them forgives more.",
        tour_charts.promise,
        "pages/theory.py",
        "Lay the measured curve over the bound",
        {"theory_loss": "absolute", "theory_noise": "lognormal", "theory_beta": "0.95", "theory_iterations": "1000"},
        r"The bound is $\frac{1}{\sqrt T}\left(\frac{a}{\lambda}+b\,\lambda\right)$: a small λ leaves most of the way, "
        r"a large one lets in noise.",
    ),
)  # fmt: skip
