"""The tour: seven lessons, links that other pages can read, and answers that runs bear out."""

import functools
import itertools
import math
import re

import numpy as np
import pytest

from cvar_core import Problem, paper_grid, sweep
from cvar_core.catalogue import losses, methods, noises
from cvar_core.results import MEASURES, OBJECTIVE, RISK, Criterion
from tests.pages.opening import opened, words
from tests.pages.serving import ROOT

pytestmark = pytest.mark.usefixtures("small_lessons")

GRID = paper_grid()


def test_seven_lessons_each_with_a_question_and_a_page(linked):
    page = opened("pages/tour.py")
    titles = [each.value for each in page.markdown if each.value.startswith("### ")]
    assert [title[4] for title in titles] == list("1234567")
    assert titles[5] == "### 6. The model or the threshold?"
    assert "## Seven lessons" in words(page)
    assert sum("Before you look" in each.value for each in page.markdown) == 7
    assert len(page.expander) == 7
    assert len(linked) == 7 + 3 + 4, "a link each, three that have two, and four at the end"
    assert all((ROOT / target).exists() for target, *_ in linked)


def test_every_link_is_read_by_its_page(linked):
    opened("pages/tour.py")
    for target, _, setup in list(linked):
        if target == "pages/explore.py" or not setup:
            continue  # Explore starts a run; its links are tested with it
        assert "could not be read" not in words(opened(target, **setup))


def test_a_link_to_explore_names_its_problem_and_judges_as_its_lesson_does(linked):
    opened("pages/tour.py")
    setups = [setup for target, _, setup in linked if target == "pages/explore.py"]
    assert len(setups) == 6
    for setup in setups:
        assert setup["explore_loss"] in losses
        assert setup["explore_noise"] in noises
        assert setup.get("explore_measure", RISK) in MEASURES
        assert set(setup.get("explore_methods", [])) <= set(methods.names())
        if setup["explore_noise"] == "lognormal":
            assert setup["explore_measure"] == OBJECTIVE, "by the risk there is nothing to close"
        if "explore_at" in setup:
            assert setup["explore_at"] in map(repr, GRID), "a λ that has curves"
    *_, objective, risk = setups
    assert objective == {**risk, "explore_measure": OBJECTIVE}, "the same runs, judged twice"


# The answers. A tenth of the points that Explore takes shows the same to within a few percent.


@functools.cache
def runs(loss, noise, lambdas=GRID, names=("sgm", "spl", "spl+")):
    problem = Problem.synthetic(loss, noise, eval_size=20_000)
    return sweep(problem, lambdas=lambdas, iterations=100_000, seeds=5, methods=names, checkpoints=2)


@pytest.fixture
def told(linked):
    """Return the numbers of a sentence, with # in the place of each."""
    text = words(opened("pages/tour.py"))

    def numbers(sentence):
        found = re.search(re.escape(sentence).replace(r"\#", r"([\d.]*\d)"), text)
        assert found, sentence
        return [float(each) for each in found.groups()]

    return numbers


def left(result, method, lam):
    """What is left of the model's excess risk, and of the objective's gap, in percent."""
    return [100 * result.judged(Criterion(by)).verdict(method, lam).left for by in (RISK, OBJECTIVE)]


def test_the_subgradient_method_has_so_narrow_a_valley(told):
    sgm = runs("squared", "normal").judged(Criterion(RISK)).forgiven["sgm"]
    measured = [sgm.decades, sgm.typical.low, sgm.typical.high]
    assert told("Over about # decades, from λ ≈ # to #:") == pytest.approx(measured, rel=0.2)
    heavy = runs("squared", "lognormal")
    assert heavy.judged(Criterion(RISK)).nothing_to_close is not None
    by = heavy.judged(Criterion(OBJECTIVE))
    assert sum(each is None for each in by.forgiven["sgm"].starts) >= 3
    slow, wild = told("# is too slow, and # explodes")
    shares = by.at().median[0] / by.start
    assert shares[heavy.place(slow)] > 0.1
    assert shares[heavy.place(wild)] > 1e3


def test_one_step_size_serves_without_tuning(told):
    calm = runs("squared", "normal").judged(Criterion(RISK))
    heavy = runs("squared", "lognormal").judged(Criterion(OBJECTIVE))
    margins = {
        name: [
            side for each in (calm, heavy) for side in (each.verdict(name, 1.0).below, each.verdict(name, 1.0).above)
        ]
        for name in ("spl", "spl+")
    }
    below, above = told("it lies # decades above the lower end of SPL's usable range and # below the upper one")
    assert [below, above, *told("and those of SPL # and #")] == pytest.approx(margins["spl"], abs=0.1)
    assert [*told("and # and # in that of SPL₊"), *told("its margins are # and # decades")] == pytest.approx(
        margins["spl+"], abs=0.1
    )
    assert all(each.verdict(name, 1.0).safe for each in (calm, heavy) for name in ("spl", "spl+"))
    assert calm.verdict("sgm", 1.0).starts == 0


def test_the_objective_misleads_about_the_model(told):
    result = runs("logistic", "normal", (1e-3, 1e-2, 1e-1), ("spl+",))
    risk, objective = left(result, "spl+", 1e-3)
    assert objective == pytest.approx(10, abs=0.5), "a tenth"
    (share, first, last, best) = told("#%: its CVaR falls from # to #, where # (log 2) is possible")
    assert share == pytest.approx(risk, abs=1)
    risks = np.median(result.risks[0, :, [0, -1], 0], axis=1)
    assert [first, last, best] == pytest.approx([*risks, math.log(2)], abs=0.06)
    verdicts = [result.judged(Criterion(by)).verdict("spl+", 1e-3) for by in (OBJECTIVE, RISK)]
    assert [each.starts for each in verdicts] == [3, 0]
    assert told("the usable λ begin at #") == pytest.approx([verdicts[1].range.low], rel=0.1)


def test_it_misleads_more_with_absolute_loss_and_the_other_way_round_with_a_large_step(told):
    result = runs("absolute", "normal", (1e-3, 1e-2), ("spl+",))
    risk, objective = left(result, "spl+", 1e-3)
    said = told("λ = 0.001 leaves #% of the objective's gap, safe for all five starts, and #% of the model's excess")
    assert said == pytest.approx([objective, risk], abs=1.5)
    assert result.judged(Criterion(OBJECTIVE)).verdict("spl+", 1e-3).safe
    said = told("SPL with λ = 30 leaves #% of the model's excess risk and #% of the objective's gap")
    risk, objective = left(runs("squared", "normal"), "spl", 30.0)
    assert said[1] == pytest.approx(objective, abs=3)
    assert risk < 3, "on so few points what is left is mostly their floor"


def models_share(loss, noise):
    """The median over five starts, in percent; the minimum is the population's, which no sample can be fitted to."""
    problem = Problem.synthetic(loss, noise, eval_size=100_000)
    best = math.log(2) if loss == "logistic" else problem.risk(problem.theta_gen)
    starts = [problem.start(seed) for seed in range(5)]
    shares = [
        (problem.risk(start.theta) - best) / (problem.objective(start.theta, start.alpha) - best) for start in starts
    ]
    return 100 * float(np.median(shares))


def test_in_the_papers_problems_little_of_the_gap_is_the_models(told):
    grid = itertools.product(("squared", "absolute", "logistic"), ("normal", "gumbel", "lognormal"))
    shares = [models_share(*names) for names in grid]
    assert told("only #% to #% of the gap is the model's") == pytest.approx([min(shares), max(shares)], rel=0.3)
