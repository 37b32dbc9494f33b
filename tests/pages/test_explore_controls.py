"""What a visitor can do with a run: change it, judge it, take it away, compare it and delete it."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from cvar_core.catalogue import methods
from cvar_core.results import Criterion, decades
from pages.components.asking.presets import PRESETS
from pages.components.drawing.run_names import title
from pages.components.run.run_page import PATIENCE
from tests.pages.exploring import curve, finished, halfway, opened_small, run_another, small, tab, words
from tests.pages.opening import button, shown
from tests.pages.reading import charts_of, figures_of
from tests.pages.serving import ROOT


def test_a_changed_control_leaves_the_run_and_says_so(jobs, held):
    page = finished(held)
    page = shown(page.selectbox(key="explore_loss").set_value("absolute").run())
    assert "The controls have changed. Below is still the run before: squared loss" in words(page)
    assert "The new one starts by itself." in words(page)
    assert "explore-sensitivity" in figures_of(page)
    assert re.search(r"90 runs, (less than a second|about \d+ s) on this server", words(page))
    page = shown(button(page, "Run").click().run())
    held.work()
    page = shown(page.run())
    assert "have changed" not in words(page)
    assert jobs.view(small({"loss": "absolute"}), "").status == "done"


def test_ours_is_offered_and_off_until_it_is_chosen(jobs, held):
    page = finished(held)
    chosen = page.multiselect(key="explore_methods")
    assert chosen.value == ["sgm", "spl", "spl+"]
    assert chosen.options == [method.label for method in methods]
    assert "ours" not in words(page)
    shown(chosen.set_value(["spl+", "spl-u"]).run())
    page = shown(button(page, "Run").click().run())
    held.work()
    assert 'SPL-U<span class="cvar-whose"> (ours)</span></button>' in words(shown(page.run())), "on its card"
    assert jobs.view(small(methods=("spl+", "spl-u")), "").status == "done"


def test_a_mix_is_chosen_told_and_checked(jobs, held):
    page = finished(held)
    page = shown(page.number_input(key="explore_mix").set_value(1.5).run())
    assert "The weight μ is 1.5, but it must lie between 0 and 1" in words(page)
    shown(page.number_input(key="explore_mix").set_value(0.3).run())
    page = shown(button(page, "Run").click().run())
    held.work()
    page = shown(page.run())
    assert jobs.view(small({"mix": 0.3}), "").status == "done"
    drawn = json.dumps(figures_of(page), ensure_ascii=False) + words(page)
    assert "mix 0.7·mean + 0.3·CVaR" in drawn
    assert title(small({"mix": 0.3})).endswith("μ = 0.3"), "in the history"


def test_the_shown_run_can_be_cancelled_after_a_control_has_moved(jobs, held):
    page = opened_small()
    halfway(jobs, held)
    page = shown(page.run())
    page = shown(page.number_input(key="explore_beta").set_value(0.9).run())
    page = shown(button(page, "Cancel").click().run())
    assert jobs.view(small(), "").status == "cancelled"


def test_your_step_size_is_judged_without_a_new_run(jobs, held):
    page = finished(held)
    page = shown(page.text_input(key="explore_lambda").set_value("0.5").run())
    assert "read between 0.316 and 1" in words(page)
    assert "your λ = 0.5" in json.dumps(figures_of(page)["explore-sensitivity"], ensure_ascii=False)
    page = shown(page.text_input(key="explore_lambda").set_value("1e6").run())
    assert "is outside the grid" in words(page)
    page = shown(page.text_input(key="explore_lambda").set_value("abc").run())
    assert "Your λ is 'abc', but it must be a number" in words(page)
    assert "judged by" in words(page)


def test_the_share_of_the_gap_moves_every_chart(jobs, held):
    page = finished(held)
    result = jobs.view(small(), "").result
    page = shown(page.select_slider(key="explore_closed").set_value("50%").run())
    for name, found in result.judged(Criterion(closed=0.5)).forgiven.items():
        assert f">{decades(found)} <small" in words(page), name


def test_a_chosen_step_size_moves_the_curves(jobs, held):
    page = finished(held, explore_at="10.0")
    assert "At λ = 10" in words(page)
    np.testing.assert_allclose(
        curve(figures_of(page)["explore-curves"])["y"][-1],
        np.median(jobs.view(small(), "").result.gaps()[2, :, -1, small().lambdas.index(10.0)]),
    )
    assert any(trace.get("uid") == "spl+-chosen" for trace in figures_of(page)["explore-sensitivity"]["data"])


def test_the_main_charts_state_their_finding_and_have_the_cards_for_a_legend(jobs, held):
    page = finished(held)
    left, right = (charts_of(page)[f"explore-{name}"] for name in ("sensitivity", "curves"))
    assert left["grid"] == list(small().lambdas)  # between which the line of your λ can be dragged
    assert "grid" not in right
    for chart in (left, right):
        assert chart["title"] == chart["label"] == chart["file"]["title"]["text"].replace("<br>", " ")
        assert chart["figure"]["layout"]["showlegend"] is False
        assert chart["file"]["title"]["subtitle"]["text"].startswith("CVaR at β = 0.95, squared loss")
        assert chart["readout"]["names"]["spl+"] == "◆ SPL₊"
    assert left["name"].startswith("sensitivity-squared-")
    assert left["name"].endswith("-beta-0.95")
    for method in small().methods:
        assert f'data-method="{method}"' in words(page)


def test_the_table_has_a_row_for_each_method_and_step_size(jobs, held):
    page = opened_small()
    held.work()
    page = tab(page, "Table and downloads")
    rows = page.dataframe[0].value
    assert len(rows) == 45
    result = jobs.view(small(), "").result
    np.testing.assert_array_equal(rows["median"].to_numpy(), result.at().median.ravel())
    assert [each.proto.label for each in page.get("download_button")] == [
        "Curves (CSV)", "Summary (JSON)", "Spec (JSON)", "Report (HTML)",
    ]  # fmt: skip


def test_how_to_reproduce_it(jobs, held):
    page = opened_small(explore_beta="0.9")
    held.work()
    page = tab(page, "Reproduce")
    codes = [each.value for each in page.code]
    assert codes[0] == "python -m cvar_core sweep --noise normal --beta 0.9 --eval-size 2000 --iterations 300 --seeds 2"
    assert "Problem.synthetic(noise='normal', beta=0.9, eval_size=2000)" in codes[1]
    assert "explore_beta=0.9" in codes[2]


def test_history_reopens_and_deletes(jobs, held):
    page = finished(held)
    gone = run_another(page, held, "absolute")
    page = tab(page, "Your runs")
    assert "squared loss, normal noise, β = 0.95, T = 300, 15 λ × 2 seeds" in words(page)
    assert "absolute loss" in words(page)
    page = shown(page.button(key=f"explore-open-{small().id}").click().run())
    assert page.selectbox(key="explore_loss").value == "squared"
    page = shown(page.button(key=f"explore-delete-{gone.id}").click().run())
    assert jobs.view(gone, "") is None
    assert "absolute loss" not in words(page)


def ghosts(page):
    return {
        name.split("-")[1]: sum("-pinned-" in trace["uid"] for trace in figures_of(page)[name]["data"])
        for name in ("explore-sensitivity", "explore-curves")
    }


def test_pinned_runs_stay_behind_the_next_and_in_the_link(jobs, held):
    page = finished(held)
    page = shown(page.button(key="explore-pin").click().run())
    assert ghosts(page) == {"sensitivity": 0, "curves": 0}, "not behind itself"
    run_another(page, held, "absolute")
    page = shown(page.run())
    assert ghosts(page) == {"sensitivity": 3, "curves": 3}
    assert words(page).count("<i>squared loss</i></p>") == 3, "on each card"
    assert "Pale: squared loss (dotted); on another problem, in shares of its own gap" in words(page)
    page = shown(page.button(key="explore-pin").click().run())
    run_another(page, held, "huber")
    page = shown(page.run())
    assert ghosts(page) == {"sensitivity": 6, "curves": 6}
    both = [small().id, small({"loss": "absolute"}).id]
    assert page.query_params["explore_compare"] == both
    other = opened_small(explore_compare=both)
    assert ghosts(other) == {"sensitivity": 3, "curves": 3}, "somebody else, by the link; the first is the run itself"
    page = shown(page.button(key=f"explore-unpin-{both[0]}").click().run())
    assert ghosts(page) == {"sensitivity": 3, "curves": 3}
    page = shown(tab(page, "Your runs").button(key=f"explore-pin-{both[1]}").click().run())
    assert "explore_compare" not in page.query_params


def test_no_more_are_pinned_than_can_be_told_apart_and_no_nonsense_is(jobs, held):
    ids = [f"{k:016x}" for k in range(9)]
    page = finished(held, explore_compare=[*ids, "no id", "<b>"])
    assert page.session_state["explore_compare"] == ids[:4]
    assert "could not be read" in words(page)
    assert ghosts(page)["sensitivity"] == 0
    page = shown(page.button(key="explore-pin").click().run())
    assert page.session_state["explore_compare"] == [*ids[1:4], small().id]


def test_a_run_is_called_what_its_visitor_calls_it(jobs, held):
    page = tab(finished(held), "Your runs")
    page = shown(page.button(key=f"explore-name-{small().id}").click().run())
    page = shown(page.text_input(key=f"explore-called-{small().id}").set_value("  wide  [v](x)").run())
    (run,) = jobs.history(page.session_state["cvar-visitor"])
    assert run.name == "wide [v](x)"
    assert any(r"**wide \[v\]\(x\)**, squared" in each.value for each in page.markdown)
    page = shown(page.button(key="explore-pin").click().run())
    run_another(page, held, "absolute")
    page = shown(page.run())
    assert "<i>wide [v](x)</i>" in words(page)
    told = f"{small().id}~{run.name}"
    assert told in page.query_params["explore_compare"], "so that a pupil sees what the teacher calls it"
    other = opened_small(explore_compare=told, explore_loss="absolute")
    assert f"<i>{run.name}</i>" in words(other)


def test_a_deleted_run_leaves_the_others_in_sight(jobs, held):
    page = finished(held)
    gone = run_another(page, held, "absolute")
    page = tab(page, "Your runs")
    page = shown(page.button(key=f"explore-delete-{gone.id}").click().run())
    assert "This run was deleted" in words(page)
    assert "squared loss" in words(page)
    page = shown(page.button(key=f"explore-open-{small().id}").click().run())
    assert "Done in" in words(page)


@pytest.mark.parametrize("others", [False, True])
def test_a_deleted_run_stays_away_after_a_reload_until_it_is_asked_for(jobs, held, others):
    page = tab(finished(held), "Your runs")
    if others:
        jobs.open(small(), "somebody else")
    shown(page.button(key=f"explore-delete-{small().id}").click().run())
    again = AppTest.from_file(str(ROOT / "pages/explore.py"), default_timeout=120)
    for name, value in page.query_params.items():
        again.query_params[name] = value
    again.session_state["cvar-visitor"] = page.session_state["cvar-visitor"]
    again = shown(again.run())
    assert "This run was deleted" in words(again)
    assert not held.waiting
    again = shown(button(again, "Run").click().run())
    held.work()
    assert "Done in" in words(shown(again.run()))
    assert [run.id for run in jobs.history(again.session_state["cvar-visitor"])] == [small().id]


def test_every_preset_is_what_the_controls_then_say(jobs):
    page = opened_small()
    for name, spec in PRESETS.items():
        page = shown(page.selectbox(key="explore_preset").set_value(name).run())
        asked = page.session_state["explore-asked"]
        assert asked == spec, name
        assert page.selectbox(key="explore_preset").value == name
        started = page.session_state["explore-shown"].spec == spec
        assert started == (jobs.estimate(spec) < PATIENCE), "who picks one wants to see it, unless it takes long"
        assert started or "**Run** computes the new one: about" in words(page)


def test_run_means_what_the_controls_say_when_it_is_pressed(jobs, held):
    """A field may be changed just before Run, with no time for the page to be drawn in between."""
    page = finished(held)
    page = shown(page.selectbox(key="explore_loss").set_value("absolute").run())
    page.selectbox(key="explore_loss").set_value("logistic")
    shown(button(page, "Run").click().run())
    assert page.session_state["explore-shown"].spec == small({"loss": "logistic"})
    assert jobs.view(small({"loss": "logistic"}), "").live
    assert jobs.view(small({"loss": "absolute"}), "") is None
