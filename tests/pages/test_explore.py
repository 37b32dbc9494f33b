"""The page in each state of a run: what a visitor reads there."""

import html
import re
from itertools import pairwise

import numpy as np

from cvar_core.jobs import Limits
from cvar_core.results import decades
from cvar_core.scheduling import performing
from cvar_core.store import Store
from pages.components.asking.presets import DEFAULT
from pages.components.drawing import run_picture
from pages.components.run import main_area
from tests.pages.exploring import curve, finished, halfway, opened, opened_small, result_of, small, words
from tests.pages.opening import button, shown
from tests.pages.reading import charts_of, figures_of, heard, live_data


def test_the_first_visit_starts_the_default_by_itself(jobs):
    page = opened()
    assert [job.spec for job in jobs._jobs.values()] == [DEFAULT]
    assert "Drawing the evaluation points" in words(page)
    assert "The runs are starting" in words(page)
    axes = figures_of(page)["explore-sensitivity"]["layout"]
    assert axes["xaxis"]["title"]["text"] == "step size λ"
    assert page.selectbox(key="explore_preset").value == "Quick look"
    assert next(iter(page.sidebar.selectbox)).key == "explore_preset", "before all else"
    assert "<h1>CVaR Step-Size Lab</h1>" in words(page)
    assert '<a href="tour"' in words(page)
    assert button(page, "Run").disabled
    assert not button(page, "Cancel").disabled


def test_present_makes_text_larger_until_it_is_left(jobs, held):
    larger = "--cvar-larger"
    page = finished(held)
    assert larger not in words(page)
    page = shown(button(page, "Present").click().run())
    assert larger in words(page)
    assert "1" in page.query_params["present"]
    page = shown(button(page, "Leave").click().run())
    assert larger not in words(page)
    assert "present" not in page.query_params
    linked = finished(held, present="1")
    assert larger in words(linked)
    assert "could not be read" not in words(linked)


def test_a_queued_run_says_its_place(jobs, held, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(memory=40 * 2**20))  # for one at a time
    for seed in (7, 8):
        jobs.submit(small({"seed": seed}), "somebody")
    page = opened_small()
    assert "Queued, number 2 in line" in words(page)


def test_a_running_run_shows_what_it_has(jobs, held):
    page = opened_small()
    halfway(jobs, held)
    page = shown(page.run())
    assert re.search(r"Running the methods · \d+%", words(page))
    assert "So far: " in words(page)


def test_a_running_run_gains_points(jobs, held):
    page = opened_small(explore_iterations="3000", explore_checkpoints="60")
    spec = small(iterations=3_000, checkpoints=60)
    lengths = []
    for least in (2, 20, 40):
        halfway(jobs, held, spec, least)
        found = curve(figures_of(shown(page.run())).get("explore-curves"))
        lengths.append(len(found["x"]) if found else 0)
    assert 0 < lengths[0] < lengths[1] < lengths[2]


def test_a_finished_run_says_what_was_found(jobs, held):
    page = finished(held)
    result = result_of(small())
    assert "Done in" in words(page)
    assert f"F* = {result.optimum.value:.6g}" in words(page)
    for name, found in result.judged().forgiven.items():
        assert f">{decades(found)} <small" in words(page), name
    assert "stochastic subgradient" in words(page), "SGM is spelled out"
    headline = html.unescape(words(page))
    assert re.search("<h2>(SPL₊? forgives|No λ of this grid) .* judged by the model's risk", headline)
    assert "λ = 1 is" in headline
    line = curve(figures_of(page)["explore-sensitivity"])
    drawn = np.array([np.nan if y is None else y for y in line["y"]])
    known = ~np.isnan(drawn)
    np.testing.assert_array_equal(drawn[known], result.at().median[2][known])
    assert "stored" in words(page)
    assert button(page, "Run").disabled


def test_a_cancelled_run_keeps_its_curves_and_resumes(jobs, held):
    page = opened_small()
    halfway(jobs, held)
    page = shown(page.run())
    page = shown(button(page, "Cancel").click().run())
    assert "Cancelled with" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    assert not button(page, "Resume").disabled
    assert button(page, "Cancel").disabled
    page = shown(button(page, "Resume").click().run())
    held.work()
    page = shown(page.run())
    assert "Done in" in words(page)
    np.testing.assert_array_equal(jobs.view(small(), "").result.objectives, result_of(small()).objectives)


def test_a_run_that_others_watch_goes_on(jobs, held):
    page = opened_small()
    halfway(jobs, held)
    jobs.submit(small(), "another")
    page = shown(page.run())
    assert "shared with 1 other" in words(page)
    page = shown(button(page, "Cancel").click().run())
    assert "goes on without you" in page.toast[0].value
    assert jobs.view(small(), "").live
    page = shown(button(page, "Join").click().run())
    assert button(page, "Run").disabled


def test_an_interrupted_run_can_be_resumed(jobs, held):
    jobs.submit(small(), "somebody")
    halfway(jobs, held)
    jobs._end(jobs._jobs[small().id], "interrupted")
    page = opened_small()
    assert "Interrupted with" in words(page)
    assert "because the server stopped" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    page = shown(button(page, "Resume").click().run())
    held.work()
    assert "Done in" in words(shown(page.run()))


def test_a_failed_run_says_so_and_can_be_tried_again(jobs, held, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a secret of the server")

    page = opened_small()
    with monkeypatch.context() as patch:
        patch.setattr(performing, "advance", broken)
        held.work()
    page = shown(page.run())
    assert "This run failed" in words(page)
    assert "ZeroDivisionError" in words(page)
    assert "secret" not in words(page)
    page = shown(button(page, "Try again").click().run())
    held.work()
    assert "Done in" in words(shown(page.run()))


def test_runs_that_all_diverged_are_triangles(jobs, held):
    link = {
        "explore_methods": "sgm",
        "explore_grid": "list",
        "explore_list": "1000, 10000",
        "explore_iterations": "2000",
    }
    page = finished(held, **link)
    result = jobs.view(small(methods=("sgm",), lambdas=(1e3, 1e4), iterations=2_000), "").result
    assert np.isnan(result.objectives[:, :, -1]).all()
    assert "No λ of this grid is usable for SGM" in words(page)
    assert "nothing usable" in words(page)
    assert "No λ of this grid stayed finite" in words(page)
    figure = figures_of(page)["explore-sensitivity"]
    triangles = next(trace for trace in figure["data"] if trace.get("uid") == "sgm-triangles")
    assert triangles["x"] == [1e3, 1e4]


def test_one_seed_has_no_range(jobs, held):
    page = finished(held, explore_seeds="1")
    assert "one seed" in words(page)
    assert "median and range" not in words(page)


def test_one_step_size(jobs, held):
    page = finished(held, explore_grid="list", explore_list="1")
    assert "λ = 1 is usable for" in words(page)
    assert "decades</small" not in words(page) or "0.0" in words(page)


def test_two_hundred_step_sizes(jobs, held):
    page = finished(held, explore_grid="range", explore_low="1e-6", explore_high="1e4", explore_count="200")
    assert len(curve(figures_of(page)["explore-sensitivity"])["x"]) == 200
    assert len(live_data(page, "study")["lambdas"]) == 201
    assert "decades</small" in words(page)


def test_a_visitor_who_looks_at_another_s_run_may_join_it(jobs, held):
    jobs.submit(small(), "somebody")
    page = opened_small()
    assert "Somebody else runs this" in words(page)
    assert button(page, "Cancel").disabled
    shown(button(page, "Join").click().run())
    assert not jobs.cancel(small().id, "somebody")


def test_a_refusal_is_shown(jobs, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(jobs=0))
    page = opened_small()
    assert "The server has 0 runs open" in words(page)


def test_trouble_with_the_store_is_told(jobs, tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(b"not a database" * 1_000)
    jobs.store.close()
    jobs.store = Store.open(tmp_path / "runs.sqlite")
    page = opened_small()
    assert "in memory" in words(page)
    assert jobs.open_jobs == 1


def test_charts_have_words_for_those_who_cannot_see_them(jobs, held):
    page = finished(held)
    assert all(sent["label"] for sent in charts_of(page).values())


def test_what_was_drawn_once_is_not_drawn_anew(jobs, held, monkeypatch):
    drawn = []
    draw = run_picture.sensitivity
    monkeypatch.setattr(run_picture, "sensitivity", lambda *given, **named: drawn.append(1) or draw(*given, **named))
    page = opened_small()
    halfway(jobs, held)
    before = charts_of(shown(page.run()))
    assert len(drawn) == 1
    assert charts_of(shown(page.run())) == before
    assert len(drawn) == 1
    halfway(jobs, held, records=jobs.view(small(), "").result.recorded.min() + 1)
    after = charts_of(shown(page.run()))
    assert len(drawn) == 2
    assert len(curve(after["explore-curves"]["figure"])["x"]) > len(curve(before["explore-curves"]["figure"])["x"])


def test_what_a_visitor_changes_is_drawn_anew(jobs, held, monkeypatch):
    page = finished(held)
    seen = [_drawn(page)]
    for change in (
        lambda: page.text_input(key="explore_lambda").set_value("0.3"),
        lambda: page.select_slider(key="explore_closed").set_value("50%"),
        lambda: page.segmented_control(key="explore_measure").set_value("objective"),
        lambda: page.session_state.__setitem__("explore_at", "10.0"),
        lambda: monkeypatch.setattr(main_area, "theme", lambda: "dark"),
    ):
        change()
        seen.append(_drawn(shown(page.run())))
    assert all(one != two for one, two in pairwise(seen))
    other = _drawn(finished(held, explore_lambda="0.3", explore_closed="50%", explore_at="10.0",
                            explore_measure="objective"))  # fmt: skip
    assert other == seen[-1]  # in dark, and with the same choices


def _drawn(page):
    """Return what depends on the run and the visitor's choices: the verdict and the charts."""
    return [each["above"] for each in heard(page) if each["part"] == "study"], charts_of(page)
