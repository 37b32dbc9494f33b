"""The Atlas page: what it says is in the numbers, filters stand in the link, and a problem opens as it was computed."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cvar_core.data import Recipe
from cvar_core.jobs import Limits
from cvar_core.lessons import atlas
from cvar_core.lessons.atlas import atlas_sentences as says
from pages.components.asking.presets import DEFAULT
from pages.components.asking.synthetic import Controls
from pages.components.lessons.ways import data_link, explore_link
from pages.components.sending import server
from tests.lessons.atlas.toy import SHAPE, at, entry, toy
from tests.pages.opening import opened, opener, shown, words
from tests.pages.reading import charts_of, figures_of

open_atlas = opener("atlas")
BOTH, FIRST = at("spl-u", 1.0) | at("spl", 10.0), at("spl-u", 1.0)
ON_DATA = {"kind": "real", "drawn": None, "prepared": "raw", "loss": "squared"}
SMALL = toy(
    [
        entry("normal noise, absolute", "normal noise"), entry("gumbel noise, absolute", "gumbel noise"),
        entry("diabetes, raw, squared", "diabetes", "choosing", table="diabetes", **ON_DATA),
        entry("heat, raw, squared", "heat", "held out", table="heat", **ON_DATA),
        entry("elsewhere, raw, squared", "elsewhere", "held out", table="elsewhere", **ON_DATA),
        entry("at the best already", "normal noise", loss="logistic"),
    ],
    [BOTH, FIRST, BOTH, FIRST, np.zeros(SHAPE), FIRST], unjudged=(5,),
)  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(atlas, "shipped", lambda: SMALL)


@pytest.fixture(autouse=True)
def linked(monkeypatch):
    """Where the links lead: they need the app's navigation, which a page by itself has not."""
    links = []
    monkeypatch.setattr("pages.components.lessons.atlas_problem.link_to", lambda *link: links.append(link))
    return links


def view(**wanted):
    return atlas.View(SMALL, chosen=atlas.Filter(**wanted))


def table(page):
    return page.dataframe[0].value


def test_the_headline_is_made_of_the_numbers():
    page = open_atlas()
    assert page.markdown[0].value == f"# {says.headline(view())}"
    assert "SPL-U (ours) with λ = 1 is safe on 4 of 5 problems" in words(page)
    assert says.held_out(view()) in words(page)
    assert says.resampled(view()) in words(page)
    assert "held out: 50%" in words(page)
    assert "held out: " not in words(open_atlas(role="held out")), "where all are, the card says no more"
    assert "without a verdict" in words(page).lower()
    assert "(ours)" in words(page)
    keys = ["atlas-shares", "atlas-profiles-own", "atlas-profiles-single", "atlas-problem-curves"]
    assert list(figures_of(page)) == keys
    assert all(sent["label"] for sent in charts_of(page).values())


def test_the_table_has_failures_first_and_a_cell_for_each_method():
    rows = table(open_atlas())
    assert rows["problem"].tolist()[0] == "elsewhere, raw, squared"
    assert sorted(rows["problem"]) == sorted(each.name for each in view().entries)
    assert [name.partition(" · ")[0] for name in rows.columns[1:]][:2] == ["SPL-U (ours)", "SPL"]
    assert rows["SPL-U (ours) · λ 1"].tolist()[0] == "✗ not safe, 50%"
    assert rows["SPL-U (ours) · λ 1"].tolist()[1:] == ["✓ safe so far, 1%"] * 4


def test_a_filter_changes_everything_and_stands_in_the_link():
    page = open_atlas()
    page = shown(page.button_group(key="atlas_kind").set_value(["synthetic"]).run())
    assert page.markdown[0].value == f"# {says.headline(view(kind=('synthetic',)))}"
    assert sorted(table(page)["problem"]) == ["gumbel noise, absolute", "normal noise, absolute"]
    assert page.query_params["atlas_kind"] == "synthetic"
    page = shown(page.button_group(key="atlas_kind").set_value([]).run())
    assert "atlas_kind" not in page.query_params


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ({"role": "held out"}, {"role": ("held out",)}),
        ({"loss": ["squared", "absolute"]}, {"loss": ("squared", "absolute")}),
        ({"prepared": "raw", "origin": "heat"}, {"prepared": ("raw",), "origin": ("heat",)}),
        ({"beta": "0.95"}, {"beta": (0.95,)}),
    ],
)
def test_a_link_opens_the_page_with_its_filters(link, wanted):
    page = open_atlas(**link)
    assert page.markdown[0].value == f"# {says.headline(view(**wanted))}"
    assert "could not be read" not in words(page)


def test_the_measure_is_in_the_link():
    page = open_atlas(measure="objective")
    assert page.markdown[0].value == f"# {says.headline(atlas.View(SMALL, 'objective'))}"
    assert "of 6 problems" in page.markdown[0].value, "by the objective the last one has a verdict"
    assert "F̃ − F*" in figures_of(page)["atlas-problem-curves"]["layout"]["yaxis"]["title"]["text"]


@pytest.mark.parametrize("link", [{"loss": "beauty"}, {"measure": "taste"}, {"problem": "none"}, {"nonsense": "1"}])
def test_a_mangled_link_gives_defaults_and_a_gentle_word(link):
    page = open_atlas(**link)
    assert "Some of this link could not be read" in words(page)
    assert page.markdown[0].value == f"# {says.headline(view())}"


def test_nothing_like_it_is_a_sentence_and_no_empty_chart():
    page = open_atlas(kind="synthetic", role="held out")
    assert "No problem of the atlas is like this" in words(page)
    assert not charts_of(page)
    page = open_atlas(loss="logistic")
    assert "too little to close: 1 problem" in words(page)


def test_unless_one_is_chosen_the_first_problem_of_the_table_is_shown():
    page = open_atlas()
    assert page.selectbox(key="atlas_problem").value == "elsewhere, raw, squared"
    assert "atlas_problem" not in page.query_params
    page = shown(page.button_group(key="atlas_kind").set_value(["synthetic"]).run())
    assert page.selectbox(key="atlas_problem").value == table(page)["problem"].tolist()[0]


def test_a_chosen_problem_stands_in_the_link_whatever_is_filtered(linked):
    page = open_atlas(problem="normal noise, absolute")
    assert "**normal noise, absolute.**" in words(page)
    page = shown(page.button_group(key="atlas_kind").set_value(["real"]).run())
    assert page.selectbox(key="atlas_problem").value == "normal noise, absolute"
    page = shown(page.selectbox(key="atlas_problem").set_value("at the best already").run())
    assert page.query_params["atlas_problem"] == "at the best already"
    assert "F* = 1.5" in words(page)


def test_a_synthetic_problem_opens_in_explore_as_it_was_computed(linked, jobs):
    open_atlas(problem="normal noise, absolute")
    ((page, _, query),) = linked
    assert page == "pages/explore.py"
    spec = replace(SMALL.problems[0].spec, checkpoints=DEFAULT.checkpoints)
    assert query == explore_link(spec)
    assert asked_on("explore", query, jobs) == spec


def test_every_synthetic_problem_of_the_atlas_has_a_link_that_sets_every_control():
    drawn = [each for each in atlas.every_problem() if each.drawn is not None]
    controls = Controls("explore", Limits())
    usual = controls.values(DEFAULT)
    for each in drawn:
        spec = replace(atlas.sweep_of(each.drawn), checkpoints=DEFAULT.checkpoints)
        link = explore_link(spec)
        values = controls.values(spec)
        assert {name for name in values if values[name] != usual[name]} == set(link)
        for name, text in link.items():
            assert text == values[name] or type(values[name])(text) == values[name], name


def test_data_open_with_all_that_depends_on_them_said(linked):
    open_atlas(problem="heat, raw, squared")
    ((page, _, query),) = linked
    assert page == "pages/data.py"
    assert query["data_set"] == "heat.csv"
    assert query["data_target"] == "heat"
    assert (query["data_test"], query["data_loss"], query["data_standardise"]) == ("none", "squared", "false")
    assert "data_intercept" not in query, "which it is by default"
    assert "data_beta" not in query


def test_a_link_to_data_says_what_the_page_would_guess_from_the_file():
    """A file of seven classes would be taken for regression, and one of many rows for fewer passes."""
    spec = replace(SMALL.problems[2].spec, problem=replace(SMALL.problems[2].spec.problem, loss="logistic"))
    spec = replace(spec, iterations=20 * spec.problem.eval_size)
    query = data_link(spec, Recipe("classes.csv", standardise=True, intercept=True, positive="2"))
    said = {"data_loss": "logistic", "data_passes": "20.0", "data_test": "none", "data_positive": "2"}
    assert query.items() >= said.items()


def test_a_link_to_data_is_the_problem_itself(jobs):
    for name, positive in (("diabetes", None), ("wine", "class_1")):
        loss = "squared" if positive is None else "logistic"
        made = Recipe(name, standardise=positive is None, intercept=True, positive=positive)
        problem = made.load().problem(loss, 0.9, positive=positive)
        spec = replace(atlas.sweep_of(problem.spec), checkpoints=DEFAULT.checkpoints)
        assert asked_on("data", data_link(spec, made), jobs) == spec


def test_a_set_that_no_page_can_make_has_its_command(linked):
    page = open_atlas(problem="elsewhere, raw, squared")
    assert linked == []
    assert "python -m cvar_core atlas --only 'elsewhere, raw, squared'" in [each.value for each in page.code]


def test_a_problem_that_the_server_does_not_allow_has_its_command_only(linked, monkeypatch):
    monkeypatch.setattr(server, "manager", lambda: SimpleNamespace(limits=Limits(dim=5)))
    page = open_atlas(problem="normal noise, absolute")
    assert linked == []
    assert any("--only 'normal noise, absolute'" in each.value for each in page.code)


def test_where_the_best_method_fails_is_listed():
    assert "- **elsewhere**, 1 of 1: raw, squared" in words(open_atlas())
    assert "On none of these problems." in words(open_atlas(kind="synthetic"))


def asked_on(name, query, jobs):
    """Return the sweep that a page runs when it is opened by a link."""
    page = opened(f"pages/{name}.py", **query)
    assert "could not be read" not in words(page)
    return list(jobs._jobs.values())[-1].spec
