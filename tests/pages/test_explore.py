"""The page in each of its states: what a visitor reads there."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from cvar_core import Problem, ProblemSpec, SweepSpec, sweep
from cvar_core.jobs import Limits, Manager
from cvar_core.jobs import job as job_module
from cvar_core.results import decades
from cvar_core.store import Store
from pages.components import service
from pages.components.controls import Controls
from pages.components.presets import DEFAULT, PRESETS
from tests.pages.held import Held
from tests.pages.reading import charts_of, figures_of

PAGE = Path(__file__).parent.parent.parent / "pages" / "explore.py"
SMALL = {"explore_eval_size": "2000", "explore_iterations": "300", "explore_seeds": "2"}


def small(problem=None, **fields):
    return SweepSpec(
        ProblemSpec(**{"eval_size": 2_000, **(problem or {})}), **{"iterations": 300, "seeds": 2, **fields}
    )


@pytest.fixture
def held():
    return Held()


@pytest.fixture
def jobs(held, monkeypatch):
    manager = Manager(Store.open(None), held, 2, Limits())
    monkeypatch.setattr(service, "manager", lambda: manager)
    monkeypatch.setattr(job_module, "_SHORTEST", 0.0)  # many pieces, so that there is a middle to look at
    yield manager
    manager.close()


def opened(**link):
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in link.items():
        page.query_params[name] = value
    return shown(page.run())


def shown(page):
    assert not page.exception, page.exception[0].message
    return page


def words(page):
    """Return all that can be read on the page."""
    kinds = ("markdown", "caption", "info", "warning", "error", "subheader")
    texts = [element.value for kind in kinds for element in getattr(page, kind)]
    texts += [element.proto.body for element in page.get("html")]
    texts += [element.proto.text for element in page.get("progress")]
    texts += [sent[part] for sent in charts_of(page).values() for part in ("title", "caption")]
    return "\n".join(texts).replace("\\", "")  # without the escapes of what visitors typed


def button(page, label):
    return next(each for each in page.button if each.label == label)


def tab(page, name):
    page.session_state["explore_panel"] = name
    return shown(page.run())


def halfway(jobs, held, spec=None, records=5):
    """Work until every curve has so many records."""
    while (view := jobs.view(spec or small(), "")).result is None or view.result.recorded.min() < records:
        held.work(1)
    assert view.status == "running"


def result_of(spec):
    return sweep(
        Problem(spec.problem), spec.methods, spec.lambdas, spec.iterations, spec.seeds, spec.schedule,
        checkpoints=spec.checkpoints,
    )  # fmt: skip


# The states of a run.


def test_the_first_visit_starts_the_default_by_itself(jobs):
    page = opened()
    assert [job.spec for job in jobs._jobs.values()] == [DEFAULT]
    assert "Drawing the evaluation points" in words(page)
    assert "curves appear as soon as the optimum F* is known" in words(page)
    assert page.selectbox(key="explore_preset").value == "Quick look"
    assert button(page, "Run").disabled
    assert not button(page, "Cancel").disabled


def test_a_queued_run_says_its_place(jobs, held, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(memory=40 * 2**20))  # for one at a time
    for seed in (7, 8):
        jobs.submit(small({"seed": seed}), "somebody")
    page = opened(**SMALL)
    assert "Queued, number 2 in line" in words(page)


def _job_of(jobs):
    return next(iter(jobs._jobs.values()))


def test_a_running_run_shows_what_it_has(jobs, held):
    page = opened(**SMALL)
    halfway(jobs, held)
    page = shown(page.run())
    assert re.search(r"Running the methods · \d+%", words(page))
    assert "So far: " in words(page)


def test_a_running_run_gains_points(jobs, held):
    page = opened(**{**SMALL, "explore_iterations": "3000", "explore_checkpoints": "60"})
    spec = small(iterations=3_000, checkpoints=60)
    lengths = []
    for least in (2, 10, 40):
        halfway(jobs, held, spec, least)
        curve = _curve(figures_of(shown(page.run())).get("explore-curves"))
        lengths.append(len(curve["x"]) if curve else 0)
    assert 0 < lengths[0] < lengths[1] < lengths[2]


def _curve(figure):
    return next((trace for trace in (figure or {"data": []})["data"] if trace.get("uid") == "spl+-median"), None)


def test_a_finished_run_says_what_was_found(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    result = result_of(small())
    assert "Done in" in words(page)
    assert f"F* = {result.optimum.value:.6g}" in words(page)
    for name, found in result.ranges().items():
        assert decades(found) in words(page), name
    headline = next(each.proto.body for each in page.get("html") if "<h2>" in each.proto.body)
    assert "<h2>SPL₊ forgives" in headline
    assert "λ = 1 is" in headline
    figure = figures_of(page)["explore-sensitivity"]
    line = next(trace for trace in figure["data"] if trace.get("uid") == "spl+-median")
    drawn = np.array([np.nan if y is None else y for y in line["y"]])
    known = ~np.isnan(drawn)
    np.testing.assert_array_equal(drawn[known], result.at().median[2][known])
    assert "stored" in words(page)
    assert button(page, "Run").disabled


def test_a_cancelled_run_keeps_its_curves_and_resumes(jobs, held):
    page = opened(**SMALL)
    halfway(jobs, held)
    page = shown(page.run())
    page = shown(button(page, "Cancel").click().run())
    assert "Cancelled at" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    assert not button(page, "Resume").disabled
    assert button(page, "Cancel").disabled
    page = shown(button(page, "Resume").click().run())
    held.work()
    page = shown(page.run())
    assert "Done in" in words(page)
    np.testing.assert_array_equal(jobs.view(small(), "").result.objectives, result_of(small()).objectives)


def test_a_run_that_others_watch_goes_on(jobs, held):
    page = opened(**SMALL)
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
    jobs._end(_job_of(jobs), "interrupted")
    page = opened(**SMALL)
    assert "Interrupted at" in words(page)
    assert "because the server stopped" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    page = shown(button(page, "Resume").click().run())
    held.work()
    assert "Done in" in words(shown(page.run()))


def test_a_failed_run_says_so_and_can_be_tried_again(jobs, held, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a secret of the server")

    page = opened(**SMALL)
    with monkeypatch.context() as patch:
        patch.setattr(job_module, "advance", broken)
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
    page = opened(**{**SMALL, **link})
    held.work()
    page = shown(page.run())
    result = jobs.view(small(methods=("sgm",), lambdas=(1e3, 1e4), iterations=2_000), "").result
    assert np.isnan(result.objectives[:, :, -1]).all()
    assert "No λ of this grid is usable for any method" in words(page)
    assert "nothing usable" in words(page)
    assert "No λ of this grid stayed finite" in words(page)
    figure = figures_of(page)["explore-sensitivity"]
    triangles = next(trace for trace in figure["data"] if trace.get("uid") == "sgm-triangles")
    assert triangles["x"] == [1e3, 1e4]


def test_one_seed_has_no_range(jobs, held):
    page = opened(**{**SMALL, "explore_seeds": "1"})
    held.work()
    page = shown(page.run())
    assert "one seed" in words(page)
    assert "median and range" not in words(page)


def test_one_step_size(jobs, held):
    page = opened(**SMALL, explore_grid="list", explore_list="1")
    held.work()
    page = shown(page.run())
    assert "λ = 1 is usable for" in words(page)
    assert "decades of λ forgiven" not in words(page) or "0.0" in words(page)


def test_two_hundred_step_sizes(jobs, held):
    page = opened(**SMALL, explore_grid="range", explore_low="1e-6", explore_high="1e4", explore_count="200")
    held.work()
    page = shown(page.run())
    line = next(t for t in figures_of(page)["explore-sensitivity"]["data"] if t.get("uid") == "spl+-median")
    assert len(line["x"]) == 200
    assert len(page.selectbox(key="explore_at-0").options) == 201
    assert "SPL₊ forgives" in words(page)


# What the visitor can do.


def test_a_changed_control_leaves_the_run_and_says_so(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    page = shown(page.selectbox(key="explore_loss").set_value("absolute").run())
    assert "The controls have changed. Below is still the run before: squared loss" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    assert re.search(r"90 runs, (less than a second|about \d+ s) on this server", words(page))
    page = shown(button(page, "Run").click().run())
    held.work()
    page = shown(page.run())
    assert "have changed" not in words(page)
    assert jobs.view(small({"loss": "absolute"}), "").status == "done"


def test_your_step_size_is_judged_without_a_new_run(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    page = shown(page.text_input(key="explore_lambda").set_value("0.5").run())
    assert "read between 0.316 and 1" in words(page)
    assert "your λ = 0.5" in json.dumps(figures_of(page)["explore-sensitivity"], ensure_ascii=False)
    page = shown(page.text_input(key="explore_lambda").set_value("1e6").run())
    assert "is outside the grid" in words(page)
    page = shown(page.text_input(key="explore_lambda").set_value("abc").run())
    assert "Your λ is 'abc', but it must be a number" in words(page)
    assert "SPL₊ forgives" in words(page)


def test_the_share_of_the_gap_moves_every_chart(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    result = jobs.view(small(), "").result
    page = shown(page.select_slider(key="explore_closed").set_value("50%").run())
    for name, found in result.ranges(result.epsilon(0.5)).items():
        assert decades(found) in words(page), name


def test_a_chosen_step_size_moves_the_curves(jobs, held):
    page = opened(**SMALL, explore_at="10.0")
    held.work()
    page = shown(page.run())
    assert "At λ = 10" in words(page)
    np.testing.assert_allclose(
        _curve(figures_of(page)["explore-curves"])["y"][-1],
        np.median(jobs.view(small(), "").result.suboptimality[2, :, -1, small().lambdas.index(10.0)]),
    )
    assert any(trace.get("uid") == "chosen" for trace in figures_of(page)["explore-sensitivity"]["data"])


def test_the_table_has_a_row_for_each_method_and_step_size(jobs, held):
    page = opened(**SMALL)
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
    page = opened(**SMALL, explore_beta="0.9")
    held.work()
    page = tab(page, "Reproduce")
    codes = [each.value for each in page.code]
    assert codes[0] == "python -m cvar_core sweep --beta 0.9 --eval-size 2000 --iterations 300 --seeds 2"
    assert "Problem.synthetic(beta=0.9, eval_size=2000)" in codes[1]
    assert "explore_beta=0.9" in codes[2]


def test_history_reopens_compares_and_deletes(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    page = shown(page.selectbox(key="explore_loss").set_value("absolute").run())
    page = shown(button(page, "Run").click().run())
    held.work()
    page = tab(page, "Your runs")
    assert "squared loss, lognormal noise, β = 0.95, T = 300, 15 λ × 2 seeds" in words(page)
    assert "absolute loss" in words(page)
    page = shown(page.selectbox(key="explore_compare").set_value(small().id).run())
    figure = figures_of(page)["explore-compare-chart"]
    assert (
        sum(trace.get("uid", "").endswith("median") or "median" in trace.get("uid", "") for trace in figure["data"])
        == 6
    )
    page = shown(page.button(key=f"explore-open-{small().id}").click().run())
    assert page.selectbox(key="explore_loss").value == "squared"
    gone = small({"loss": "absolute"})
    page = shown(page.button(key=f"explore-delete-{gone.id}").click().run())
    assert jobs.view(gone, "") is None
    assert "absolute loss" not in words(page)


def test_every_preset_is_what_the_controls_then_say(jobs):
    page = opened(**SMALL)
    for name, spec in PRESETS.items():
        page = shown(page.selectbox(key="explore_preset").set_value(name).run())
        asked = page.session_state["explore-asked"]
        assert asked == spec, name
        assert page.selectbox(key="explore_preset").value == name


@pytest.mark.parametrize(
    "spec", [*PRESETS.values(), small(lambdas=(1 / 3, 7.0)), small(schedule="constant", methods=("spl",))]
)
def test_a_spec_survives_the_way_through_the_url(jobs, spec):
    values = Controls("explore", Limits()).values(spec)
    link = {
        name: str(value) if not isinstance(value, list) else value
        for name, value in values.items()
        if value is not None
    }
    page = opened(**link)
    assert page.session_state["explore-asked"] == spec
    assert "could not be read" not in words(page)


# Bad input.


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"explore_beta": "2"}, "The level β is 2, but it must satisfy 0 ≤ beta < 1"),
        ({"explore_beta": "-0.1"}, "The level β is -0.1, but it must satisfy"),
        ({"explore_dim": "0"}, "The dimension d is 0, but it must lie between 1 and"),
        ({"explore_dim": "100000"}, "The dimension d is 100,000, but this server allows at most 200"),
        ({"explore_grid": "list", "explore_list": "abc"}, "The list of λ is 'abc', but it must be a number"),
        ({"explore_grid": "list", "explore_list": ""}, "The list of λ is empty"),
        ({"explore_grid": "list", "explore_list": "0,1"}, "a step size must lie between 1e-12 and 1e12"),
        ({"explore_grid": "range", "explore_low": "10", "explore_high": "1"}, "a range needs 0 < low < high"),
        ({"explore_grid": "range", "explore_count": "5000"}, "asks for 5,000 step sizes"),
        ({"explore_grid": "range", "explore_count": "500"}, "There are 500 step sizes, but this server allows"),
        ({"explore_iterations": "1000000000000"}, "but this server allows at most 1,000,000"),
        ({"explore_iterations": "0"}, "The number of iterations is 0"),
        ({"explore_seeds": "1000000"}, "The number of seeds is 1,000,000, but this server allows at most 100"),
        ({"explore_seeds": "-1"}, "The number of seeds is -1"),
        ({"explore_eval_size": "1000000000"}, "but this server allows at most 1,000,000"),
        ({"explore_lognormal_sigma": "-1"}, "Lognormal noise's sigma is -1, but it must be above 0"),
        ({"explore_lognormal_mean": "1e9"}, "at most 1e6 in size"),
        ({"explore_sample_size": "0"}, "The fixed sample's size is 0"),
        ({"explore_scale": "0"}, "The unit is 0"),
        ({"explore_seed": "-5"}, "The problem seed is -5"),
        ({"explore_checkpoints": "0"}, "The number of points on a curve is 0"),
        ({"explore_methods": ""}, "The list of methods is empty; choose from"),
    ],
)
def test_bad_input_gets_a_sentence_and_no_run(jobs, link, sentence):
    page = opened(**{**SMALL, **link})
    assert sentence in words(page)
    assert button(page, "Run").disabled
    assert jobs.open_jobs == 0
    assert "Mend what is marked in red" in words(page)


def test_several_faults_are_all_named(jobs):
    page = opened(**{**SMALL, "explore_beta": "2", "explore_dim": "-1", "explore_iterations": "0"})
    assert all(
        sentence in words(page)
        for sentence in ("The level β is 2", "The dimension d is -1", "The number of iterations is 0")
    )


def test_bad_input_by_a_widget_keeps_what_is_shown(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    page = shown(page.number_input(key="explore_beta").set_value(2.0).run())
    assert "The level β is 2" in words(page)
    assert "explore-sensitivity" in figures_of(page)
    assert button(page, "Run").disabled
    page = shown(page.number_input(key="explore_beta").set_value(0.95).run())
    assert "The level β is 2" not in words(page)
    assert "Done in" in words(page)


@pytest.mark.parametrize(
    "link",
    [
        {"explore_beta": "abc"},
        {"explore_loss": "cubic"},
        {"explore_iterations": "10**9"},
        {"explore_nonsense": "1"},
        {"beta": "0.9"},
        {"explore_closed": "123%"},
        {"explore_panel": "Nowhere"},
        {"explore_dim": "9" * 40},
        {"explore_methods": ["sgm", "adam"]},
    ],
)
def test_a_mangled_link_gives_defaults_and_a_gentle_word(jobs, link):
    page = opened(**{**SMALL, **link})
    assert "Some of this link could not be read" in words(page)
    assert next(iter(link)) in words(page)
    assert jobs.open_jobs == 1


def test_what_a_visitor_typed_has_no_power_over_the_page(jobs):
    page = opened(
        **{"explore_grid": "list", "explore_list": "![x](https://evil.example/p.png)", "[log in](//evil)": "1"}
    )
    markdown = "\n".join(element.value for element in (*page.markdown, *page.info))
    assert "evil" in markdown  # it is quoted,
    assert not re.search(r"(?<!\\)\]\(", markdown)  # but as a text, not as a link


def test_the_shown_run_can_be_cancelled_after_a_control_has_moved(jobs, held):
    page = opened(**SMALL)
    halfway(jobs, held)
    page = shown(page.run())
    page = shown(page.number_input(key="explore_beta").set_value(0.9).run())
    page = shown(button(page, "Cancel").click().run())
    assert jobs.view(small(), "").status == "cancelled"


def test_a_deleted_run_leaves_the_others_in_sight(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    page = shown(page.selectbox(key="explore_loss").set_value("absolute").run())
    page = shown(button(page, "Run").click().run())
    held.work()
    page = tab(page, "Your runs")
    gone = small({"loss": "absolute"})
    page = shown(page.button(key=f"explore-delete-{gone.id}").click().run())
    assert "This run was deleted" in words(page)
    assert "squared loss" in words(page)
    page = shown(page.button(key=f"explore-open-{small().id}").click().run())
    assert "Done in" in words(page)


def test_a_visitor_who_looks_at_another_s_run_may_join_it(jobs, held):
    jobs.submit(small(), "somebody")
    page = opened(**SMALL)
    assert "Somebody else runs this" in words(page)
    assert button(page, "Cancel").disabled
    shown(button(page, "Join").click().run())
    assert not jobs.cancel(small().id, "somebody")


def test_a_refusal_is_shown(jobs, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(jobs=0))
    page = opened(**SMALL)
    assert "The server has 0 runs open" in words(page)


def test_trouble_with_the_store_is_told(jobs, tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(b"not a database" * 1_000)
    jobs.store.close()
    jobs.store = Store.open(tmp_path / "runs.sqlite")
    page = opened(**SMALL)
    assert "in memory" in words(page)
    assert jobs.open_jobs == 1


def test_charts_have_words_for_those_who_cannot_see_them(jobs, held):
    page = opened(**SMALL)
    held.work()
    page = shown(page.run())
    assert all(sent["label"] for sent in charts_of(page).values())
