"""The page of the paper's figures: what a visitor reads, and what computing a panel again does to it."""

import dataclasses
import functools

import pytest

from cvar_core import ProblemSpec, SweepSpec
from cvar_core.jobs import Limits
from cvar_core.lessons import paper
from cvar_core.results import OBJECTIVE, RISK, Criterion, beginning, decades
from pages.components.lessons.ways import explore_link
from pages.components.run.main_area import SHARES
from tests.pages import opening
from tests.pages.driving import Visits
from tests.pages.opening import button, shown, words
from tests.pages.reading import charts_of, figures_of, heard
from tests.pages.serving import ROOT, served

SCRIPT = """
import streamlit as st
pages = [st.Page("{root}/pages/paper.py", default=True), st.Page("{root}/pages/explore.py")]
st.navigation(pages, position="top").run()
"""

APP = """
import streamlit as st
from pages.components.sending import beside, server, warm
warm.up = lambda: None
app = st.App("script.py", lifespan=server.lifespan, routes=beside.routes(), middleware=beside.middleware())
"""

SMALL_STUDY = """
from cvar_core.lessons import paper
if not hasattr(paper, "before"):  # the script runs again and again
    specs = paper.panels(iterations=100, seeds=2, eval_size=1_000)[::4]
    study = paper.Study(tuple(paper.compute(specs, 1)), (), {})
    paper.before, paper.shipped = paper.shipped, lambda: study
"""


PRINTED = Criterion(OBJECTIVE)  # what the paper judges by


@pytest.fixture(scope="module")
def study():
    """One panel of each loss, at a size at which it takes a blink."""
    specs = paper.panels(iterations=100, seeds=2, eval_size=1_000)[::4]
    return paper.Study(tuple(paper.compute(specs, 1)), tuple(spec.id for spec in specs), {"cvar_core": "a test"})


@pytest.fixture
def small(study, monkeypatch):
    monkeypatch.setattr(paper, "shipped", lambda: study)
    return study


@pytest.fixture
def opened(jobs, tmp_path):
    """Opens the page as the app does, with Explore beside it."""
    (tmp_path / "pages").symlink_to(ROOT / "pages")  # links between pages are relative to the script
    script = tmp_path / "main.py"
    script.write_text(SCRIPT.format(root=ROOT), "utf-8")

    return functools.partial(opening.opened, str(script))


def again(page, k):
    return shown(page.button(key=f"paper-again-{k}").click().run())


def everything(page):
    return button(page, "Compute all nine again")


def headline(page):
    return page.markdown[0].value.splitlines()[0]


def finding(results, by):
    return f"# {paper.headline(results, by, whole=False)}"


def panel_text(page, k):
    """Return what is said of the k-th panel."""
    name = paper.name(paper.shipped().results[k].spec).capitalize()
    (found,) = [each.value for each in page.markdown if each.value.startswith(f"**{name}**")]
    return found


def test_the_shipped_results_are_there_at_once(opened, jobs):
    page = opened()
    assert jobs.open_jobs == 0
    assert headline(page) == finding(paper.shipped().results, PRINTED)
    figures = figures_of(page)
    assert list(figures) == [f"paper-suboptimality-{k}" for k in range(9)]
    for k, result in enumerate(paper.shipped()):
        assert "Shipped with the project." in panel_text(page, k)
        line = next(one for one in figures[f"paper-suboptimality-{k}"]["data"] if one["uid"] == "spl+-median")
        assert line["x"] == list(result.spec.lambdas)
        assert all(
            y in (None, median) for y, median in zip(line["y"], result.at(measure=OBJECTIVE).median[2], strict=True)
        )
        assert sum(y is not None for y in line["y"]) > 10
        told = figures[f"paper-suboptimality-{k}"]["layout"]["annotations"][-1]["text"]
        assert all(f" {decades(found)}</b>" in told for found in result.judged(PRINTED).forgiven.values())
    assert all(sent["label"] for sent in charts_of(page).values())


def test_every_claim_is_there_with_its_verdict(opened):
    page = opened()
    for claim in paper.claims(paper.shipped().results, PRINTED):
        assert f"**{claim.says}** *{claim.verdict.capitalize()}.* {claim.found}" in words(page)
    assert "*Does not reproduce.*" in words(page)
    kept = sum(claim.verdict == "reproduces" for claim in paper.claims(paper.shipped().results, PRINTED))
    assert f"{kept} of 6 sentences reproduce" in page.expander[0].label
    assert all(slip in words(page) for slip in paper.SLIPS)
    assert page.code[0].value == "python -m cvar_core figures"
    assert "engine 1" in words(page)


def test_the_other_figure(opened):
    page = opened()
    page = shown(page.button_group(key="paper_figure").set_value("iterations").run())
    assert list(figures_of(page)) == [f"paper-iterations-{k}" for k in range(9)]
    assert "iterations at best" in panel_text(page, 0)
    assert "ε not reached by every seed" in words(page)
    assert page.query_params["paper_figure"] == "iterations"


def test_a_link_opens_the_other_figure_at_another_share(opened):
    page = opened(paper_figure="iterations", paper_closed="99%")
    assert list(figures_of(page)) == [f"paper-iterations-{k}" for k in range(9)]
    assert page.select_slider(key="paper_closed").value == "99%"
    assert headline(page) == finding(paper.shipped().results, Criterion(OBJECTIVE, 0.99))
    assert "could not be read" not in words(page)


@pytest.mark.parametrize("share", [SHARES[0], "99.9%", SHARES[-1]])
def test_the_slider_moves_everything(opened, share):
    page = opened()
    page = shown(page.select_slider(key="paper_closed").set_value(share).run())
    by = Criterion(OBJECTIVE, float(share.rstrip("%")) / 100)
    results = paper.shipped().results
    assert headline(page) == finding(results, by)
    for k, result in enumerate(results):
        found = result.judged(by).forgiven.values()
        assert all(decades(each) in panel_text(page, k) for each in found if each.decades is not None)
    for claim in paper.claims(results, by):
        assert claim.found in words(page)
    assert f"Usable: {share} of the gap is closed" in words(page)


def test_the_switch_judges_everything_by_the_model(opened):
    page = opened(paper_measure=RISK)
    by, results = Criterion(RISK), paper.shipped().results
    assert headline(page) == finding(results, by)
    figures = figures_of(page)
    for k, result in enumerate(results):
        told, above = beginning(result.judged(by)), figures[f"paper-suboptimality-{k}"]["layout"]["annotations"][-1]
        if told:
            assert told.partition(":")[0] in panel_text(page, k)
        else:
            assert f" {decades(result.judged(by).forgiven['spl+'])}</b>" in above["text"]
    for claim, printed in zip(paper.claims(results, by), paper.claims(results, PRINTED), strict=True):
        assert f"{claim.found} *By the objective: {printed.verdict}.*" in words(page)
    assert "excess risk R(θ̄) − F*" in words(page)


@pytest.mark.parametrize("link", [{"paper_figure": "pie"}, {"paper_closed": "123%"}, {"paper_nonsense": "1"}])
def test_a_mangled_link_gives_defaults_and_a_gentle_word(opened, link):
    page = opened(**link)
    assert "Some of this link could not be read" in words(page)
    assert next(iter(link)) in words(page).replace("\\", "")  # Markdown's signs are escaped
    assert "paper-suboptimality-0" in figures_of(page)


def test_each_panel_opens_in_explore(opened):
    links = [each.proto for each in opened().get("page_link")]
    panels = [each for each in links if each.label == "Open in Explore"]
    assert len(panels) == 9
    for each, spec in zip(panels, paper.panels(), strict=True):
        given = explore_link(spec)
        assert all(f"{name}=" in each.query_string for name in given)
        assert given["explore_eval_size"] == "1000000"
    assert any("heavier tails" in each.label for each in links)


def test_a_panel_is_computed_again_and_compared(opened, jobs, held, small):
    page = again(opened(), 1)
    assert [job.spec for job in jobs._jobs.values()] == [small.results[1].spec]
    assert "Absolute loss, gumbel noise" in [each.value for each in page.markdown]
    assert "Drawing the evaluation points · 0%" in words(page)
    assert "Is being computed; this is still the shipped result." in panel_text(page, 1)
    assert page.button(key="paper-again-1").disabled
    assert not page.button(key="paper-again-2").disabled
    held.work()
    page = shown(page.run())
    assert "Computed here in" in panel_text(page, 1)
    assert "the same bits as shipped" in panel_text(page, 1)
    assert "Shipped with the project." in panel_text(page, 2)
    assert not heard(page)


def test_what_was_computed_replaces_what_was_shipped(opened, jobs, held, small, monkeypatch):
    known = small.results[0]
    wrong = dataclasses.replace(known, objectives=known.objectives * 2)
    monkeypatch.setattr(paper, "shipped", lambda: dataclasses.replace(small, results=(wrong, *small.results[1:])))
    before = opened()
    page = again(before, 0)
    held.work()
    page = shown(page.run())
    assert "within 0.5 (relative) of what is shipped" in panel_text(page, 0)
    line = next(one for one in figures_of(page)["paper-suboptimality-0"]["data"] if one["uid"] == "spl+-median")
    finals = [y for y in line["y"] if y is not None]
    assert finals == known.at(measure=OBJECTIVE).median[2][: len(finals)].tolist()


def test_all_are_computed_one_after_another(opened, jobs, held, small):
    page = opened()
    page = shown(everything(page).click().run())
    assert everything(page).disabled
    for k in range(3):
        assert jobs.open_jobs == 1
        rest = 2 - k
        assert (f"{rest} more to come" in words(page)) == (rest > 0)
        held.work()
        page = shown(page.run())
    assert jobs.open_jobs == 0
    assert all("the same bits as shipped" in panel_text(page, k) for k in range(3))
    assert not everything(page).disabled


def test_stop_ends_it(opened, jobs, held, small):
    page = opened()
    page = shown(everything(page).click().run())
    page = shown(button(page, "Stop").click().run())
    assert jobs.open_jobs == 0
    assert not heard(page)
    assert "Stopped at 0%" in panel_text(page, 0)
    assert not everything(page).disabled


def test_a_refusal_is_shown_as_a_sentence_and_waited_out(opened, jobs, held, small):
    page = opened()
    visitor = page.session_state["cvar-visitor"]
    for seed in (1, 2, 3):
        jobs.submit(
            SweepSpec(ProblemSpec("absolute", eval_size=100, seed=seed), lambdas=(1,), iterations=9, seeds=1), visitor
        )
    page = again(page, 0)
    assert "You have 3 runs open, which is the most at a time." in words(page)
    assert "What waits goes on by itself." in words(page)
    held.work()
    page = shown(page.run())
    assert "You have 3 runs open" not in words(page)
    held.work()
    assert "the same bits as shipped" in panel_text(shown(page.run()), 0)


def test_a_server_that_is_too_small_says_so(opened, jobs, monkeypatch):
    monkeypatch.setattr(jobs, "limits", Limits(iterations=1_000))
    page = again(opened(), 0)
    assert "this server allows at most 1,000" in words(page)
    assert not heard(page)
    assert "Shipped with the project." in panel_text(page, 0)


@pytest.mark.browser
def test_the_next_begins_by_itself(profiles, tmp_path):
    """Only a browser asks again by itself."""
    (tmp_path / "pages").symlink_to(ROOT / "pages")
    (tmp_path / "script.py").write_text(SMALL_STUDY + SCRIPT.format(root=ROOT), "utf-8")
    app = tmp_path / "main.py"
    app.write_text(APP, "utf-8")
    with served(app, env={"CVAR_DATA_DIR": str(tmp_path / "data")}) as server:
        visits = Visits(profiles, server.url)
        page = visits()
        page.get_by_text("compute it again").click()
        page.get_by_role("button", name="Compute all nine again").click()
        page.get_by_text("the same bits as shipped").nth(2).wait_for()
        page.locator(".cvar-progress").wait_for(state="detached")
        assert page.get_by_text("Shipped with the project.").count() == 0
        visits.close()
        assert not visits.errors
