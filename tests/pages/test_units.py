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
from tests.pages.reading import charts_of, figures_of, frames_of, words_of_frames

pytestmark = pytest.mark.usefixtures("linked")

opened = opener("units")


@pytest.fixture(scope="module", autouse=True)
def small():
    """A few points are enough here."""
    with smaller((units, "EVAL_SIZE", 4_000)):
        yield


def effect(page):
    """Return what is said of the unit at which the slider stands."""
    return next(each for each in words_of_frames(page) if each.startswith("<p><b>"))[6:-8]


def move(page, name, value):
    if name == "scale":  # in the browser, which reports where the slider was let go
        page.session_state["units_scale"] = value
        return shown(page.run())
    return shown(page.select_slider(key=f"units_{name}").set_value(value).run())


def test_dollars_in_cents_tell_the_story():
    page = opened()
    found = units.tolerance(units.problem_of("absolute", "normal"))
    before, after = (found.best_lambdas(units.SPL)[units.SCALES.index(scale)] for scale in (1.0, 100.0))
    assert after is None
    plus, decades = found.best_lambdas(units.SPL_PLUS)[0], width(found.range(units.SPL_PLUS, 1.0))
    assert effect(page) == (
        f"Loss × 100: no λ is usable for SPL, in dollars its best λ was {number(before)}. SPL₊'s best λ stays "
        f"{number(plus)}, usable over {decades} decades."
    )
    assert words(page).count("\n# ") + words(page).startswith("# ") == 1, "a heading for the whole page"
    assert "At s = 100, SGM and SPL change path, SGM with the pair and SPL₊ do not" in words(page)
    assert f"its runs are longer ({DEFAULT.iterations:,} updates, 2,000 here)" in words(page)
    assert "SPL₊ the same ones in every unit" in [each.label for each in page.expander][2]
    assert r"\text{needs }[\lambda]=1/\$" in words(page)
    assert r"\lambda_\alpha=\lambda\,\ell_0" in words(page)
    charts = {"sensitivity", "usable", "paths", "ranges", "curves", "feature"}
    assert set(figures_of(page)) == {f"units-{name}" for name in charts}
    assert not page.info
    for sent in charts_of(page).values():
        assert sent.get("label") or sent["labels"][0]


def test_the_numbers_are_the_librarys():
    page = opened(loss="squared", noise="lognormal", scale="0.03", **{"lambda": "0.1"})
    found = units.tolerance(units.problem_of("squared", "lognormal"))
    text = words(page)
    for variant in units.VARIANTS:
        assert f"{variant.label}: **{width(found.range(variant, 0.03))}**" in text
    assert rf"s=1/\ell_0={number(found.meeting)}$" in text
    path = units.walk(units.problem_of("squared", "lognormal"), 0.1, 0.03)[-1]
    assert f"differ by at most {number(path.share)} of their distance" in text
    assert "at s = 0.0312 the difference is\n0." in text
    usable = sum(lam is not None for lam in found.best_lambdas(units.SPL))
    assert f"usable λ in {usable} of 13 units" in page.expander[2].label
    unit, left, way = found.without_theta(units.SPL)
    assert f"At s = {number(unit)}, SPL's best λ closes {1 - left:.1%} of the objective's gap" in text
    assert "the **threshold's part** of the gap" in text
    assert f"{way:.0%} of its distance" in text


@pytest.mark.parametrize("scale", ["0.001", "1000"])
@pytest.mark.parametrize(("lam", "loss", "noise"), [("0.0001", "absolute", "normal"), ("1000", "squared", "lognormal")])
def test_the_sliders_ends_are_drawn_and_told(scale, lam, loss, noise):
    page = move(opened(loss=loss, noise=noise, **{"lambda": lam}), "scale", scale)
    assert f"**At s = {number(float(scale))}, SGM and SPL change path" in words(page)
    assert effect(page).startswith(f"Loss × {number(float(scale))}: ")
    ring = next(each for each in figures_of(page)["units-ranges"]["data"] if each["uid"] == "yours-spl")
    assert (ring["x"], ring["y"]) == ([float(scale)], [float(lam)])
    assert f"Thin: s = {number(float(scale))}" in words(page)
    assert f"λ = {number(float(lam))}, 2,000 updates" in words(page)


def test_the_first_unit_asks_for_another():
    page = opened(scale="1")
    assert "At s = 1 there is nothing to compare: choose another unit" in words(page)
    assert effect(page).startswith("In dollars SPL's best λ is ")
    assert "the difference is\n0." in words(page)


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
    assert "SPL₊ the same ones in every unit" in page.expander[2].label
    assert re.search(r"SPL₊: \*\*\d\.\d\*\*", text)


def test_a_link_sets_the_controls():
    again = opened(scale="0.3", loss="huber", noise="gumbel", **{"lambda": "3"})
    assert effect(again).startswith("Loss × 0.3: ")
    assert "λ = 3, 2,000 updates" in words(again)
    assert again.selectbox(key="units_noise").value == "gumbel"


def test_what_a_link_gets_wrong_has_its_default_and_a_word():
    page = opened(scale="50", loss="cubic", noise="normal", **{"lambda": "<b>"})
    assert effect(page).startswith("Loss × 100: ")
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
    page = opened()
    for sent in charts_of(page).values():
        assert len(json.dumps(sent["figure"])) < 80_000
    assert len(json.dumps(frames_of(page))) < 120_000, "all units of the slider"
