"""Claims about the chart of a feature's unit: bold and pale are one curve where the unit is not seen."""

import pytest
from plotly.graph_objects import Figure

from cvar_core import ProblemSpec
from cvar_core.figures import without_title
from cvar_core.figures.lessons.feature_unit_charts import feature_curves
from cvar_core.lessons.feature_unit import METHODS, in_unit
from cvar_core.lessons.units import half_decades
from cvar_core.results import width
from tests.figures.results import trace

SMALL = ProblemSpec(loss="absolute", noise="normal", eval_size=4_000)
LAMBDAS = half_decades(-3, 2)


@pytest.fixture(scope="module")
def found():
    return {c: in_unit(SMALL, c, LAMBDAS) for c in (1.0, 100.0)}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ours_is_one_curve_and_spl_plus_two(found, theme):
    figure = feature_curves(found[1.0], found[100.0], 0.3, theme=theme)
    Figure(figure)
    for name, same in (("spl-u", True), ("spl+", False)):
        here, there = (trace(figure, f"{name}{part}-median")["y"] for part in ("", "-second"))
        assert (here == pytest.approx(there, rel=1e-6)) == same
    expected = found[100.0].left.median[METHODS.index("spl+")]
    assert trace(figure, "spl+-median")["y"] == pytest.approx(expected.tolist())
    assert "SPL-U (ours)" in trace(figure, "spl-u-median")["name"]


def test_the_title_says_what_a_unit_costs(found):
    title = without_title(feature_curves(found[1.0], found[100.0], 0.3))[1]
    here, there = (width(found[c].range("spl+")) for c in (1.0, 100.0))
    assert here != there
    assert f"SPL₊ {there} instead of {here}" in title
    assert f"SPL-U (ours) {width(found[1.0].range('spl-u'))}, " in title
    assert "nothing to compare" in without_title(feature_curves(found[1.0], found[1.0], 0.3))[1]
