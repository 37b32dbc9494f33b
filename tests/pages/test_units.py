"""The Units page: what it says in each unit, and that its numbers are those of the library."""

import json
import re

import pytest

from cvar_core.catalogue import losses, methods, noises
from cvar_core.lessons import feature_unit, units
from cvar_core.results import number, width
from pages.components.asking.presets import DEFAULT
from pages.components.asking.synthetic import Controls
from pages.components.lessons.ways import explore_link
from tests.pages.opening import opener, shown, smaller, words
from tests.pages.reading import charts_of, figures_of

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("units")


@pytest.fixture(scope="module", autouse=True)
def small():
    """A few points are enough here."""
    with smaller((units, "EVAL_SIZE", 4_000)):
        yield


def headline(page):
    return next(each.value for each in page.markdown if each.value.startswith("## "))


def move(page, name, value):
    return shown(page.select_slider(key=f"units_{name}").set_value(value).run())


def test_dollars_in_cents_tell_the_story():
    page = opened()
    assert headline(page) == "## At s = 100, SGM and SPL change path, SGM with the pair and SPL₊ do not"
    assert "SPL₊ the same ones in every unit" in words(page)
    assert "Units and model are two effects" in words(page)
    assert r"\text{needs }[\lambda]=1/\$" in words(page)
    assert r"\lambda_\alpha=\lambda\,\ell_0" in words(page)
    assert set(figures_of(page)) == {"units-paths", "units-ranges", "units-curves", "units-feature"}
    assert not page.info
    for sent in charts_of(page).values():
        assert sent["label"]


def test_the_numbers_are_the_librarys():
    page = opened(loss="squared", noise="lognormal", scale="0.03", **{"lambda": "0.1"})
    found = units.tolerance(units.problem_of("squared", "lognormal"))
    text = words(page)
    for variant in units.VARIANTS:
        assert f"{variant.label}: **{width(found.range(variant, 0.03))}**" in text
    assert rf"s=1/\ell_0={number(found.meeting)}$" in text
    path = units.walk(units.problem_of("squared", "lognormal"), 0.1, 0.03)[-1]
    assert f"differ by at most {number(path.share)} of their distance" in text
    assert "at\ns = 0.0312 the difference is 0." in text
    assert f"usable λ in {sum(lam is not None for lam in found.best_lambdas(units.SPL))} of 13 units" in text
    unit, left, way = found.without_theta(units.SPL)
    assert f"At s = {number(unit)}, SPL's best λ closes {1 - left:.1%} of the objective's gap" in text
    assert "the **threshold's part** of the gap" in text
    assert f"{way:.0%} of its distance" in text


@pytest.mark.parametrize("scale", ["0.001", "1000"])
@pytest.mark.parametrize(("lam", "loss", "noise"), [("0.0001", "absolute", "normal"), ("1000", "squared", "lognormal")])
def test_the_sliders_ends_are_drawn_and_told(scale, lam, loss, noise):
    page = move(opened(loss=loss, noise=noise, **{"lambda": lam}), "scale", scale)
    assert headline(page).startswith(f"## At s = {number(float(scale))}, SGM and SPL change path")
    ring = next(each for each in figures_of(page)["units-ranges"]["data"] if each["uid"] == "yours-spl")
    assert (ring["x"], ring["y"]) == ([float(scale)], [float(lam)])
    assert f"Thin: s = {number(float(scale))}" in words(page)
    assert f"λ = {number(float(lam))}, 2,000 updates" in words(page)


def test_the_first_unit_asks_for_another():
    page = opened(scale="1")
    assert headline(page) == "## At s = 1 there is nothing to compare: choose another unit"
    assert "the difference is 0." in words(page)


def test_only_the_curves_with_one_step_size_move_with_the_unit():
    page = opened(scale="1")
    before = figures_of(page)
    after = figures_of(move(page, "scale", "100"))

    def heights(figures, uid):
        drawn = next(each["y"] for each in figures["units-curves"]["data"] if each["uid"] == uid)
        return [0.0 if y is None else y for y in drawn]

    assert heights(before, "spl+-median") == pytest.approx(heights(after, "spl+-median"), rel=1e-6)
    assert heights(before, "sgm-median") == pytest.approx(heights(after, "sgm-median"), rel=1e-6)
    assert heights(before, "spl-second-median") != pytest.approx(heights(after, "spl-second-median"), rel=0.1)
    assert heights(before, "sgm-second-median") != pytest.approx(heights(after, "sgm-second-median"), rel=0.1)


def test_the_unit_of_a_feature_moves_spl_plus_and_not_ours():
    page = opened(feature="1000")
    first, other = (feature_unit.in_unit(units.problem_of("absolute", "normal"), c, units.LAMBDAS) for c in (1.0, 1e3))
    text = words(page)
    for name in feature_unit.METHODS:
        here, there = (width(each.range(name)) for each in (first, other))
        assert f"| {methods[name].label} | **{here}** | **{there}** |" in text
    assert "SPL-U is ours, not the paper's" in text
    before = figures_of(page)["units-feature"]["data"]
    after = figures_of(move(page, "feature", "1"))["units-feature"]["data"]

    def heights(data, uid):
        return [0.0 if y is None else y for y in next(each["y"] for each in data if each["uid"] == uid)]

    assert heights(before, "spl-u-median") == pytest.approx(heights(after, "spl-u-median"), rel=1e-6)
    assert heights(before, "spl+-median") != pytest.approx(heights(after, "spl+-median"), rel=0.1)
    assert "At c = 1 there is nothing to compare" in words(page)


@pytest.mark.parametrize(("loss", "noise"), list(zip(losses.names(), noises.names(), strict=False)))
def test_every_loss_and_every_noise_has_a_page(loss, noise):
    page = opened(loss=loss)
    page.selectbox(key="units_noise").set_value(noise)
    text = words(shown(page.run()))
    assert "SPL₊ the same ones in every unit" in text
    assert re.search(r"SPL₊: \*\*\d\.\d\*\*", text)


def test_a_link_sets_the_controls():
    again = opened(scale="0.3", loss="huber", noise="gumbel", **{"lambda": "3"})
    assert headline(again).startswith("## At s = 0.3")
    assert "λ = 3, 2,000 updates" in words(again)
    assert again.selectbox(key="units_noise").value == "gumbel"


def test_what_a_link_gets_wrong_has_its_default_and_a_word():
    page = opened(scale="50", loss="cubic", noise="normal", **{"lambda": "<b>"})
    assert headline(page).startswith("## At s = 100")
    (said,) = page.info
    text = said.value.replace("\\", "")
    assert "units_scale=50, units_loss=cubic, units_lambda=<b>" in text
    assert "units_noise" not in text
    assert page.selectbox(key="units_loss").value == "absolute"


def test_the_link_opens_explore_in_this_unit(linked):
    page = opened(scale="0.03", loss="squared", noise="student", **{"lambda": "3"})
    (link,) = linked
    where, label, query = link
    assert where == "pages/explore.py"
    assert "s = 0.03" in label
    assert query["explore_scale"] == "0.03"
    assert query["explore_noise"] == "student"
    assert query["explore_lambda"] == "3"
    assert query["explore_measure"] == "objective", "as the page itself judges"
    assert set(query) - {"explore_lambda", "explore_measure"} <= set(Controls("explore", None).keys)
    assert not page.exception
    assert explore_link(DEFAULT) == {}


def test_what_was_tried_is_kept(monkeypatch):
    opened(loss="huber")
    calls = []
    monkeypatch.setattr(units, "tolerance", lambda problem: calls.append(problem))
    page = opened(loss="huber")
    move(move(page, "scale", "3"), "lambda", "30")
    assert calls == []


def test_a_chart_is_small_enough_for_a_slider():
    for sent in charts_of(opened()).values():
        assert len(json.dumps(sent)) < 80_000
