"""Safe for what? The switch between the model's risk and the objective, and what each of them says."""

import html
import json
from dataclasses import replace

import numpy as np
import pytest

from cvar_core import check
from cvar_core.catalogue import methods
from cvar_core.problem import Problem
from cvar_core.results import Criterion, decades
from cvar_core.store.upgrade import upgrade
from tests.pages.exploring import curve, finished, halfway, opened_small, result_of, small, tab, words
from tests.pages.opening import button, shown
from tests.pages.reading import figures_of
from tests.store.outdating import outdate

MISLEADING = {"explore_loss": "logistic", "explore_iterations": "3000"}  # at λ = 0.01 α has come home, and θ has not


def test_the_page_judges_the_model_unless_told_otherwise(jobs, held):
    page = finished(held)
    assert page.segmented_control(key="explore_measure").value == "risk"
    assert "explore_measure" not in page.query_params
    assert "judged by the model's risk" in html.unescape(words(page))


@pytest.mark.parametrize("measure", ["risk", "objective"])
def test_each_card_has_both_numbers_and_the_chosen_one_is_large(jobs, held, measure):
    page, result = finished(held, explore_measure=measure), result_of(small())
    told = words(page)
    for name in result.spec.methods:
        for each in ("risk", "objective"):
            found = decades(result.judged(Criterion(each)).forgiven[name])
            if each == measure:
                assert f'<div class="decades">{found} ' in told
            else:
                assert f"by {each} {found}<" in told


def test_the_switch_moves_the_charts_and_needs_no_new_run(jobs, held):
    page = finished(held)
    before = jobs.view(small(), "").result
    page = shown(page.segmented_control(key="explore_measure").set_value("objective").run())
    assert jobs.view(small(), "").result is before
    figures = figures_of(page)
    assert "suboptimality" in figures["explore-sensitivity"]["layout"]["yaxis"]["title"]["text"]
    best = before.spec.lambdas.index(before.best_lambda("spl+", "objective"))
    np.testing.assert_allclose(
        curve(figures["explore-curves"])["y"][-1], np.median(before.suboptimality[2, :, -1, best])
    )
    assert page.query_params["explore_measure"] == "objective"


def test_the_switch_works_while_the_run_is_live(jobs, held):
    page = opened_small()
    halfway(jobs, held)
    page = shown(page.segmented_control(key="explore_measure").set_value("objective").run())
    assert "So far: " in words(page)
    assert "judged by the objective" in words(page)


def test_a_link_that_names_no_measure_of_ours_is_told(jobs, held):
    page = finished(held, explore_measure="luck")
    assert "could not be read" in words(page)
    assert page.segmented_control(key="explore_measure").value == "risk"


def test_your_step_size_is_safe_for_so_many_starts(jobs, held):
    told = words(finished(held, explore_seeds="3", explore_lambda="0.1"))
    assert "of 3 starts" in told


def test_where_the_measures_disagree_it_is_said_in_words(jobs, held):
    spec = small({"loss": "logistic"}, iterations=3_000)
    result = result_of(spec)
    apart = [
        (lam, name)
        for lam in spec.lambdas
        for name in spec.methods
        if result.verdict(name, lam, measure="objective").safe and not result.verdict(name, lam).starts
    ]
    lam, name = apart[0]
    told = html.unescape(words(finished(held, **MISLEADING, explore_lambda=repr(lam))))
    left = 100 * result.verdict(name, lam).left
    assert f"{methods[name].label}: by the objective λ = " in told
    assert f"looks safe, but that is the threshold: {left:.0f}% of the model's excess risk is left" in told


def test_the_preset_where_the_objective_misleads_shows_where(jobs, held):
    page = opened_small()
    page = shown(page.selectbox(key="explore_preset").set_value("Where the objective misleads").run())
    assert page.text_input(key="explore_lambda").value == "0.001"


def test_where_there_is_nothing_to_close_it_is_said_instead_of_decades(jobs, held):
    told = words(finished(held, explore_noise="lognormal"))
    assert "no verdict by its risk" in told
    assert "nothing to close" in told
    assert "by objective " in told
    assert 'class="decades">– <' in told
    assert 'class="cvar-measure" value="objective">Judge by the objective</button>' in told
    assert 'class="cvar-measure"' not in words(finished(held, explore_noise="lognormal", explore_measure="objective"))


def test_too_few_points_offer_more_of_them(jobs, held):
    page = finished(held, explore_noise="lognormal", explore_measure="objective", explore_closed="99.9%")
    assert "2,000 points cannot tell" in words(page)
    offer = next(each for each in page.button if each.label.startswith("Evaluate on"))
    count = int(offer.label.split()[2].replace(",", ""))
    page = shown(offer.click().run())
    assert page.number_input(key="explore_eval_size").value == count > 2_000
    assert page.session_state["explore-shown"].spec.problem.eval_size == count


def test_the_table_follows_the_measure(jobs, held):
    page = finished(held, explore_measure="objective")
    rows = tab(page, "Table and downloads").dataframe[0].value
    result = result_of(small())
    np.testing.assert_array_equal(rows["median"].to_numpy(), result.at(measure="objective").median.ravel())
    assert rows["usable"][0] == "0 of 2"


def test_the_command_follows_the_measure(jobs, held):
    page = opened_small(explore_measure="objective")
    held.work()
    codes = [each.value for each in tab(page, "Reproduce").code]
    assert codes[0].endswith("--measure objective")
    assert "result.robustness(measure='objective')" in codes[1]


def test_the_two_parts_of_the_gap_are_a_picture(jobs, held):
    page = tab(finished(held), "Model and threshold")
    lines = {
        trace["uid"]: trace for trace in figures_of(page)["explore-parts"]["data"] if "median" in trace.get("uid", "")
    }
    result = result_of(small())
    k = result.spec.lambdas.index(result.best_lambda("spl+"))
    np.testing.assert_allclose(lines["spl+-median"]["y"][-1], np.median(result.excess_risk[2, :, -1, k]))
    gap = np.median((result.objectives - result.risks)[2, :, -1, k])
    np.testing.assert_allclose(lines["spl+-second-median"]["y"][-1], gap)


def test_the_page_and_check_agree(jobs, held):
    told = words(finished(held, explore_seeds="5", explore_lambda="1"))
    spec = small(seeds=5)
    for name in spec.methods:
        verdict = check(Problem(spec.problem), 1.0, name, spec.iterations, spec.seeds)
        assert f"{verdict.starts} of 5 starts" in told or verdict.starts == 0


def test_a_run_of_an_earlier_version_opens_with_a_sentence(jobs, held):
    finished(held)
    store, run = jobs.store, small().id
    jobs._results.drop(lambda _: True)
    store._database.read(outdate)
    store._database.read(lambda db: upgrade(db, 2))
    page = opened_small()
    assert "did not record the risk of the model" in words(page)
    shown(button(page, "Resume").click().run())
    held.work()
    assert jobs.view(small(), "").status == "done"
    assert store.run(run).error is None
    assert json.dumps(jobs.view(small(), "").result.to_dict()["methods"])


def test_few_starts_are_said_once_with_the_button_that_mends_it(jobs, held):
    page = finished(held)
    assert words(page).count("2 starts that agree show no more than that 22% of all starts are fine") == 1
    page = shown(button(page, "Run 20 starts").click().run())
    assert page.number_input(key="explore_seeds").value == 20
    assert page.session_state["explore-shown"].spec == small(seeds=20)
    assert jobs.view(small(seeds=20), "").progress >= 0.1, "two of twenty are there"
    held.work()
    more = button(shown(page.run()), "Run 80 starts")
    assert "only further starts are run" in more.help
    shown(more.click().run())
    assert jobs.view(small(seeds=80), "").progress >= 0.25, "twenty of eighty are there"


def test_starts_that_the_server_does_not_take_are_not_offered(jobs, held, monkeypatch):
    monkeypatch.setattr(jobs, "limits", replace(jobs.limits, runs=len(small().methods) * len(small().lambdas) * 19))
    page = finished(held)
    assert "2 starts that agree show no more" in words(page)
    assert not [each for each in page.button if "starts" in each.label]


def test_enough_starts_are_safe_without_reserve(jobs, held):
    link = {"explore_seeds": "30", "explore_iterations": "3000", "explore_methods": ["spl"], "explore_lambda": "1"}
    told = words(finished(held, **link, explore_grid="list", explore_list="0.01,0.1,1,10"))
    assert "starts that agree show no more" not in told
    assert "λ = 1 is safe for SPL." in told
    assert "is safe: 30 of 30 starts, margin" in told
