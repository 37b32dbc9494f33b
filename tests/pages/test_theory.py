"""The Theory page: what it promises, what it measures beside that, and what it admits."""

import re

import pytest

from cvar_core import Problem, sweep
from cvar_core.catalogue import losses, noises
from cvar_core.lessons.theory import measured as measuring
from cvar_core.results import number
from pages.components.sending import answers
from tests.pages.opening import AT_ONCE, opener, shown, smaller, words
from tests.pages.reading import charts_of, figures_of, words_of_frames

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("theory")


@pytest.fixture(scope="module", autouse=True)
def small():
    """A few points are enough here."""
    with smaller((measuring, "POINTS", 1_500), (measuring, "SEEDS", 6), AT_ONCE):
        yield


def table(page):
    """The calculator's cells by the label of their row; of two rows with one label, the last."""
    text = next(each.value for each in page.markdown if each.value.startswith("| |"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {label: cells for label, *cells in rows}


def here(page):
    """The cells of the three rows beside the picture, by their labels."""
    text = next(each for each in words_of_frames(page) if "<table" in each)
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', text)
    return {label: re.findall("<td>(.*?)</td>", cells) for label, cells in rows}


def let_go(page, text):
    """Leave the slider at a step size, as the browser reports it."""
    page.session_state["theory_lambda"] = text
    return shown(page.run())


def parts(page):
    return {trace["uid"] for trace in figures_of(page)["theory-promises"]["data"]}


def test_it_opens_with_promises_and_what_was_measured():
    page = opened()
    assert "# Theorem 1 promises SPL₊ a gap of" in words(page)
    assert "**Thick lines**: the gap that runs end with (1,000 updates, mean of 6 seeds)" in words(page)
    assert "A square gets ever steeper with the error" in words(page)
    assert "bounds the model's excess risk, too" in words(page)
    assert {"sgm-bound", "sgm-median", "spl+-bound", "spl+-best"} <= parts(page)
    assert charts_of(page)["theory-promises"]["labels"][0]
    assert table(page)[""] == ["SGM", "SPL", "SPL₊"]
    assert list(here(page)) == ["promised at most", "the runs reach", "promised ÷ reached"]
    assert here(page)["the runs reach"] == table(page)["measured at λ = 1"]
    assert [f"≤ {cell}" for cell in here(page)["promised at most"]] == table(page)["= promised"]
    assert [latex.value for latex in page.latex]


def test_it_says_what_the_theory_does_not_explain():
    said = words(opened())
    assert "SGM has $L^2$ = 801 and SPL 800: their thin lines coincide" in said
    assert "= 761, serves both" in said
    assert "times what is measured" in said
    assert "nothing of the model's risk apart from its threshold, of decreasing step sizes, of the last iterate" in said


def test_the_table_is_about_the_runs_that_explore_would_show(linked):
    page = opened(iterations="100", **{"lambda": "10"})
    where, _, query = linked[-1]
    assert where == "pages/explore.py"
    assert query["explore_schedule"] == "constant"
    assert query["explore_measure"] == "objective", "which is what the theorem is about"
    assert query["explore_lambda"] == "10"
    assert query["explore_loss"] == "absolute"
    assert query["explore_eval_size"] == "1500"
    assert query["explore_iterations"] == "100"
    assert query["explore_seeds"] == "6"
    assert (query["explore_grid"], query["explore_high"], query["explore_count"]) == ("range", "1000.0", "25")
    problem = Problem.synthetic(loss="absolute", noise="lognormal", beta=0.95, eval_size=1_500)
    result = sweep(problem, lambdas=[10.0], iterations=100, seeds=6, schedule="constant")
    ends = result.curves[result.curves["iteration"] == 100].groupby("method")["suboptimality"].mean()
    assert table(page)["measured at λ = 10"] == [number(ends[name]) for name in ("sgm", "spl", "spl+")]


def test_the_theorem_is_not_drawn_where_it_does_not_apply():
    page = opened(loss="squared", theta="3")
    assert "# Theorem 1 promises nothing for squared loss: its slope has no limit" in words(page)
    assert not {uid for uid in parts(page) if uid.endswith(("-bound", "-best"))}
    assert {"sgm-median", "spl-median", "spl+-median"} <= parts(page)
    assert "Thin lines" not in words(page)
    assert list(here(page)) == ["the runs reach", "at best", "which is at λ ="]
    assert "A square gets ever steeper with the error" in words(page)
    assert all(field.disabled for field in page.number_input)


def test_the_bounds_follow_other_numbers_and_the_runs_do_not():
    before = table(opened())
    page = opened(theta="70", initial_loss="3")
    after = table(page)
    assert after["measured at λ = 1"] == before["measured at λ = 1"]
    assert after["least measured, at λ"] == before["least measured, at λ"]
    assert after["at λ = 1: way left"] != before["at λ = 1: way left"]
    assert after["+ noise"][:2] == before["+ noise"][:2]
    assert after["+ noise"][2] != before["+ noise"][2]  # ℓ₀ is SPL₊'s alone
    page.number_input(key="theory_theta").set_value(None)
    page.number_input(key="theory_initial_loss").set_value(None)
    assert table(shown(page.run())) == before


def test_unlike_slopes_show_the_slip():
    assert "no difference as long as $M$ is the same" in words(opened())
    said = words(opened(mean_square_slope="4", mean_slope="0.5"))
    assert "times as much." in said
    assert "SGM has $L^2$ = 2,001 and SPL 2,000" in said


def test_a_number_that_cannot_be_gets_a_sentence():
    page = opened(theta="-1", mean_slope="3")
    assert "‖θ₀ − θ*‖ is −1, but it must lie between 10⁻⁶ and 10⁶" in words(page)
    assert "E[M]² is 9 and E[M²] is 1, but a mean square is at least the squared mean" in words(page)
    assert table(page)["= promised"] == table(opened())["= promised"]


def test_a_link_that_cannot_be_read_gets_a_word():
    page = opened(loss="cubic", beta="0.33", theta="far", theorem="2", **{"lambda": "7"})
    for part in ("theory_lambda=7", "theory_loss=cubic", "theory_beta=0.33", "theory_theta=far", "theory_theorem=2"):
        assert part in page.info[0].value.replace("\\", "")
    assert page.selectbox(key="theory_loss").value == "absolute"
    assert not opened(loss="huber", beta="0.5").info


@pytest.mark.parametrize("beta", ["0", "0.99"])
@pytest.mark.parametrize("lam", ["0.001", "1000"])
def test_the_ends_of_the_sliders(beta, lam):
    page = opened(beta=beta, iterations="100", **{"lambda": lam})
    assert page.select_slider(key="theory_beta").value == beta
    assert "Theorem 1 promises" in words(page)
    assert f"<b>At λ = {lam}</b>" in words(page)
    assert f"measured at λ = {lam}" in table(page)
    assert "100 updates" in words(page)


def test_a_slider_that_is_moved_moves_the_table():
    page = opened(iterations="100")
    assert "at λ = 100: way left" in table(let_go(page, "100"))
    assert page.query_params["theory_lambda"] == "100"
    assert "theory_lambda" not in let_go(page, "1").query_params


@pytest.mark.parametrize(
    ("loss", "noise"),
    [*((loss, "normal") for loss in losses.names()), *(("absolute", noise) for noise in noises.names()[1:])],
)
def test_every_loss_and_noise_of_the_catalogue(loss, noise):
    page = opened(loss=loss, noise=noise, iterations="100")
    assert ("promises nothing" in words(page)) == (losses[loss].lipschitz is None)
    assert not page.info or losses[loss].lipschitz is None


# While the runs are under way.


@pytest.fixture
def later(held):
    """The runs are done when the test says so."""
    with smaller((answers, "threads", lambda count: held)):
        yield held


def test_the_bounds_are_there_before_the_runs_and_stay_what_they_are(later):
    page = opened(beta="0.5")
    assert "Theorem 1 promises" in words(page)
    assert "what its runs reach is not known yet" in words(page)
    assert "**Thick lines, once they are run**: the gap that runs end with (1,000 updates, mean of 6" in words(page)
    assert here(page)["the runs reach"] == ["…"] * 3
    before, drawn = table(page), figures_of(page)["theory-promises"]
    assert before["measured at λ = 1"] == ["…"] * 3
    assert {"sgm-bound", "spl+-bound", "spl+-best"} <= parts(page)
    later.work()
    after = table(shown(page.run()))
    assert "its runs reach" in words(page)
    assert "…" not in str(after)
    assert after.keys() == before.keys()
    for row in ("the bound's best λ", "promised there", "= promised", "by the sharper bound"):
        assert after[row] == before[row]
    there = figures_of(page)["theory-promises"]
    assert there["layout"]["yaxis"]["range"] == drawn["layout"]["yaxis"]["range"], "the axis stands still"
    assert [trace["uid"] for trace in there["data"]] == [trace["uid"] for trace in drawn["data"]]


def test_without_bounds_the_page_waits_for_the_runs_too(later):
    page = opened(loss="squared")
    assert here(page)["at best"] == ["…"] * 3
    later.work()
    page = shown(page.run())
    assert "…" not in str(here(page))


def test_only_the_last_of_many_levels_is_run(later, monkeypatch):
    done, run = [], measuring.run
    monkeypatch.setattr(measuring, "run", lambda problem, *rest, **more: (
        done.append(problem.spec.beta) or run(problem, *rest, **more)
    ))  # fmt: skip
    page = opened(iterations="100")
    for beta in ("0.25", "0.5", "0.75"):
        page = shown(page.select_slider(key="theory_beta").set_value(beta).run())
    later.work()
    assert done == [0.75]


def test_runs_that_fail_get_a_sentence_and_another_try(later, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(measuring, "run", fail)
        page = opened(iterations="100")
        later.work()
        page = shown(page.run())
    assert "could not be computed" in page.error[0].value
    assert {"sgm-bound", "spl+-bound"} <= parts(page)
    assert not later.waiting, "not again and again"
    page = let_go(page, "10")
    later.work()
    page = shown(page.run())
    assert not page.error
    assert "its runs reach" in words(page)
