"""The named data sets: the paper's four, from LIBSVM's collection, small ones of scikit-learn, and some made here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..catalogue import Registry
from . import made_sets
from .dataset import Dataset

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"


@dataclass(frozen=True)
class Download:
    """A file on the web."""

    url: str
    checksum: str | None = None  # "sha256:…" or "md5:…" as published; without one, the first download is remembered

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class NamedSet:
    """A data set by name: files to fetch, or a function that makes it at once."""

    name: str
    about: str
    loss: str  # what the paper, or common sense, uses
    rows: int
    columns: int
    test_rows: int = 0
    train: Download | None = None
    test: Download | None = None
    make: Callable[[], Dataset] | None = None

    @property
    def downloads(self) -> tuple[Download, ...]:
        return tuple(each for each in (self.train, self.test) if each is not None)


sets: Registry[NamedSet] = Registry("data set")

for _entry in (
    NamedSet("mushrooms", "edible or poisonous", "logistic", 8_124, 112, train=Download(f"{_LIBSVM}/binary/mushrooms")),
    NamedSet(
        "covtype.libsvm.binary", "forest cover, class 2 against the rest", "logistic", 581_012, 54,
        train=Download(f"{_LIBSVM}/binary/covtype.libsvm.binary.bz2", "md5:0d3439b314ce13e2f8b903b12bb3ea20"),
    ),
    NamedSet(
        "YearPredictionMSD", "the year of a song from its sound", "squared", 463_715, 90, 51_630,
        train=Download(
            f"{_LIBSVM}/regression/YearPredictionMSD.bz2",
            "sha256:bd820472d9a6d87ae30d6208dcbfd0e80386e96e6e6832f78c498cd78df6da29",
        ),
        test=Download(f"{_LIBSVM}/regression/YearPredictionMSD.t.bz2"),
    ),
    NamedSet(
        "E2006-tfidf", "volatility from financial reports, sparse", "squared", 16_087, 150_360, 3_308,
        train=Download(
            f"{_LIBSVM}/regression/E2006.train.bz2",
            "sha256:944066984ed3b6c9c3b137a4968afead81dc80f6b77f16f1988b0ecb591c4683",
        ),
        test=Download(f"{_LIBSVM}/regression/E2006.test.bz2"),
    ),
):  # fmt: skip
    sets.add(_entry)


def _bundled(name: str, about: str, loss: str, rows: int, columns: int) -> None:
    def make() -> Dataset:
        from sklearn import datasets

        found: Any = getattr(datasets, f"load_{name.replace('-', '_')}")()
        texts = tuple(str(text) for text in found.target_names) if "target_names" in found else None
        columns = tuple(str(column) for column in found.feature_names)
        return Dataset(name, np.ascontiguousarray(found.data), found.target.astype(np.float64), columns, texts)

    sets.add(NamedSet(name, about, loss, rows, columns, make=make))


_bundled("diabetes", "a disease's progression in a year", "squared", 442, 10)
_bundled("breast-cancer", "malignant or benign", "logistic", 569, 30)
_bundled("wine", "three growers: choose one with --positive", "logistic", 178, 13)
_bundled("digits", "images of ten digits: choose one with --positive", "logistic", 1_797, 64)


def _made(
    make: Callable[[np.random.Generator], made_sets.Made], loss: str, rows: int = 5_000, columns: int = 20
) -> None:
    name, about = f"made-{make.__name__.replace('_', '-')}", str(make.__doc__).strip().rstrip(".")
    sparse = make is made_sets.sparse
    build = functools.partial(made_sets.dataset, name, make, sparse)
    sets.add(NamedSet(name, about[0].lower() + about[1:], loss, rows, columns, make=build))


for _make in (made_sets.correlated, made_sets.badly_scaled, made_sets.offset, made_sets.rare, made_sets.outliers):
    _made(_make, "squared")
_made(made_sets.tiny, "squared", 20, 3)
_made(made_sets.sparse, "squared", columns=200)
_made(made_sets.nearly_separable, "logistic")
_made(made_sets.deliveries, "absolute", made_sets.TOWN + made_sets.HILLS, 1)
