"""The data sets of the atlas."""

from __future__ import annotations

from .held_out_sets import JUDGING
from .origins import CHOOSING, SEEN, TableSet

_REGRESSION, _CLASSIFICATION = "regression", "classification"


def _made(name: str, task: str = _REGRESSION) -> TableSet:
    return TableSet(f"made {name.replace('-', ' ')}", task, SEEN, f"made-{name}")


def _table(file: str, role: str, target: str, name: str = "", origin: str = "", keep: tuple[str, ...] = ()) -> TableSet:
    """A table of numbers with its target in the first column."""
    return TableSet(name or file, _REGRESSION, role, f"{file}.csv", target, origin=origin, keep=keep)


_MADE = (
    *(_made(name) for name in ("correlated", "badly-scaled", "offset", "rare", "outliers", "tiny", "sparse")),
    _made("nearly-separable", _CLASSIFICATION),
)

_CHOOSING = (
    _table("a1", CHOOSING, "a1", "algae", "water"),
    _table("acceleration", CHOOSING, "target", origin="cars"),
    _table("heat", CHOOSING, "heat", keep=("Attribute9",)),
    _table("mortgage", CHOOSING, "target"),
    _table("sensory", CHOOSING, "target"),
    _table("compactiv", CHOOSING, "target", "computer activity", "computer activity"),
    TableSet("diabetes", _REGRESSION, CHOOSING, "diabetes"),
    TableSet("breast cancer", _CLASSIFICATION, CHOOSING, "breast-cancer"),
    TableSet("adult", _CLASSIFICATION, CHOOSING, "a9a"),
)

_SEEN = (
    _table("available_power", SEEN, "target", "available power", "cars"),
    _table("fuel_consumption_country", SEEN, "fuel.consumption.country", "fuel consumption", "cars"),
    _table("analcatdata_apnea3", SEEN, "target", "apnea"),
    _table("cocomo_numeric", SEEN, "target", "cocomo"),
    _table("debutanizer", SEEN, "target"),
    _table("kdd_coil_1", SEEN, "target", "river algae", "water"),
    _table("wine_quality", SEEN, "target", "wine quality"),
    _table("cpu_small", SEEN, "usr", "computer activity, 12 columns", "computer activity"),
    TableSet("digits, 0 or another", _CLASSIFICATION, SEEN, "digits", positive="0"),
    TableSet("wine, the second grower", _CLASSIFICATION, SEEN, "wine", positive="class_1"),
    TableSet("mushrooms", _CLASSIFICATION, SEEN, "agaricus.txt.train"),
    TableSet("forest cover", _CLASSIFICATION, SEEN, "covtype.csv.xz", positive="2"),
    TableSet("farm ads", _CLASSIFICATION, SEEN, "farm-ads.libsvm.xz"),
)

SETS = {each.name: each for each in (*_CHOOSING, *_SEEN, *_MADE, *JUDGING)}
