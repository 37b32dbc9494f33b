"""Who is in the tail: the rows with the largest losses at a run's model, at the optimum and at the ordinary fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..cancel import Stop
from ..catalogue import methods
from ..data import Dataset, dates, labels
from ..data.naming import told_apart
from ..keeping import once
from ..problem import Problem
from ..results import Chosen, Result, number
from ..specs import SpecError
from .columns_at_a_glance import Columns
from .contrast import Contrast, contrast
from .fits import MEAN, OPTIMUM, RUN, finite, mean_fit
from .loss_histogram import LossHistogram, loss_histogram
from .worst import Worst

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

_NOTHING = 1e-9  # of the mean loss at θ = 0
_MOST_CELLS = 2_000_000  # of a table: features that differ least are left out of one that would be larger


def tail(
    data: Dataset,
    problem: Problem,
    result: Result,
    method: str | None = None,
    lam: float | None = None,
    seed: int | None = None,
    stop: Stop | None = None,
) -> Tail:
    """Look at the rows that CVaR averages, at a run's model θ̄, at the optimum θ* and at the ordinary fit.

    Parameters
    ----------
    data, problem, result
        The rows, the problem that ``Dataset.problem`` made of them, and a sweep on it.
    method, lam, seed
        Which run; by default what is recommended, from the start that ends with the median risk. Its iterates are
        taken again, and the ordinary fit, the minimum of the mean loss, is solved for.

    >>> from cvar_core import load, sweep
    >>> data = load("diabetes", standardise=True, intercept=True)
    >>> problem = data.problem("absolute", beta=0.9)
    >>> found = tail(data, problem, sweep(problem, ["spl+"], [1.0], iterations=500, seeds=1))
    >>> len(found.rows()), found.worst["mean"].cvar > found.worst["optimum"].cvar
    (45, True)
    """
    ensure_same(data, problem, result)
    chosen = Chosen.of(result, method, lam, seed)
    thetas = {RUN: chosen.end(problem, stop).theta, OPTIMUM: result.optimum.theta, MEAN: mean_fit(problem, stop).theta}
    return Tail(data, problem, chosen, thetas, Columns.of(data.x))


def ensure_same(data: Dataset, problem: Problem, result: Result) -> None:
    if problem.spec != result.spec.problem:
        raise SpecError("the result is of another problem: its sweep has to be on this one")
    if data.shape != (problem.spec.eval_size, problem.spec.dim):
        size = f"{problem.spec.eval_size:,} rows × {problem.spec.dim:,} columns"
        raise SpecError(f"the data have {data.shape[0]:,} rows × {data.shape[1]:,} columns, but the problem has {size}")


class Weighed(NamedTuple):
    """What a column counts for in predictions, by the name of the fit."""

    column: str
    effects: dict[str, float]


@dataclass(frozen=True)
class Tail:
    """The losses of all rows at several models, and the worst of them. A run that diverged has no model.

    What is asked for by the name of a fit is of "run", "optimum" or "mean"; by default of the first that there is.
    """

    data: Dataset
    problem: Problem
    chosen: Chosen
    thetas: Mapping[str, Tensor]
    columns: Columns

    @once
    def fits(self) -> tuple[str, ...]:
        """The names of the models that there are."""
        return tuple(name for name, theta in self.thetas.items() if finite(theta))

    @once
    def labels(self) -> dict[str, str]:
        """What the fits are called in sentences."""
        run = f"{methods[self.chosen.method].label} at λ = {number(self.chosen.lam)}"
        return {RUN: run, OPTIMUM: "θ*", MEAN: "the ordinary fit"}

    @once
    def predictions(self) -> dict[str, Array]:
        """What each fit predicts, row by row."""
        points = self.problem.ground.points
        return {name: points.predict(self.thetas[name]).numpy() for name in self.fits}

    @once
    def losses(self) -> dict[str, Array]:
        """The losses of all rows by the name of the fit, each of shape (rows,), in the target's own unit."""
        problem, target = self.problem, self.problem.ground.points.target
        values = {name: problem.loss.value(torch.from_numpy(p), target) for name, p in self.predictions.items()}
        return {name: (problem.spec.scale * self.factor * each).numpy() for name, each in values.items()}

    @once
    def factor(self) -> float:
        """What losses of a standardised target are multiplied by; 1 where no factor gives them the target's unit."""
        unit = self.data.target_unit
        return 1.0 if unit is None else unit.factor(self.problem.spec.loss) or 1.0

    @once
    def worst(self) -> dict[str, Worst]:
        """The rows in each fit's tail."""
        return {name: Worst.of(losses, self.problem.spec.beta) for name, losses in self.losses.items()}

    @once
    def means(self) -> dict[str, float]:
        """The mean loss of all rows, by the name of the fit."""
        return {name: float(losses.mean()) for name, losses in self.losses.items()}

    @once
    def lossless(self) -> tuple[str, ...]:
        """The fits at which no row loses anything: on separable data, where they go on growing for ever."""
        nothing = torch.zeros(self.problem.spec.dim, dtype=torch.float64)
        unit = self.factor * float(self.problem.losses(nothing).mean())
        return tuple(name for name, worst in self.worst.items() if worst.losses[0] <= _NOTHING * unit)

    @once
    def flat(self) -> tuple[str, ...]:
        """The fits at which no row is worse than another: all lose the same, or nothing."""
        return tuple(name for name in self.fits if name in self.lossless or self.worst[name].level)

    @once
    def histogram(self) -> LossHistogram:
        """How the losses of the fits are spread, in bins that they share."""
        return loss_histogram(self.losses, max(each.losses[-1] for each in self.worst.values()))

    @once
    def _contrasts(self) -> dict[str, Contrast]:
        return {}

    def contrast(self, fit: str | None = None) -> Contrast:
        """Return how the worst rows of a fit differ from the rest."""
        name, known = self._known(fit), self._contrasts
        if name not in known:
            known[name] = contrast(self.data, self.columns, *self._compared_target, self.worst[name])
        return known[name]

    def rows(self, fit: str | None = None, most: int | None = None, features: int | None = None) -> pd.DataFrame:
        """Return the worst rows of a fit, the worst first, by their numbers in the file.

        Each has its target, what is predicted, its losses, how much of it is in the tail where the last one is so in
        part, and its features in the file's unit: those first in which the worst rows differ most from the rest.
        """
        import pandas as pd

        fit = self._known(fit)
        worst = self.worst[fit]
        index = worst.rows[:most]
        places = self.contrast(fit).order[: min(features or _MOST_CELLS, max(1, _MOST_CELLS // worst.count))]
        facts = {
            "row": self.data.places[index],
            "prediction": self.data.in_own_unit(self.predictions[fit][index]),
            "loss": self.losses[fit][index],
            **{f"loss, {self.labels[other]}": self.losses[other][index] for other in self.fits if other != fit},
            **({} if worst.whole else {"share in the tail": worst.shares[:most]}),
        }
        columns = [self.data.column_name(place) for place in places.tolist()]
        target, *names = told_apart([self.data.target_name, *columns], taken=facts)
        own = pd.DataFrame(facts)
        own.insert(1, target, self.targets(index))
        x: Any = self.data.original(self.data.x[index])[:, places]
        values = pd.DataFrame(x.toarray() if self.data.sparse else x, columns=names)
        for name, column in zip(names, columns, strict=True):
            if column in self.data.dates:
                values[name] = dates.written(values[name].to_numpy())
        return pd.concat([own, values], axis=1)

    def csv(self, fit: str | None = None) -> str:
        """Return the worst rows of a fit as a file."""
        return self.rows(fit).to_csv(index=False, float_format="%.12g")

    def coefficients(self) -> pd.DataFrame:
        """Return the coefficients of the fits side by side, one row for each column, those that count most first.

        They are those of the columns as they were run on: standardised ones are for a step of one deviation.
        """
        import pandas as pd

        columns = self.data.shape[1]
        fitted = {self.labels[name]: self.thetas[name].numpy() for name in self.fits}
        named = {"column": [self.data.column_name(place) for place in range(columns)], **fitted}
        order = np.argsort(-np.abs(self._effects).max(axis=0), kind="stable")
        return pd.DataFrame(named).iloc[order].reset_index(drop=True)

    def heaviest(self, most: int) -> list[Weighed]:
        """Return the columns that count most, each with its coefficients times its standard deviation.

        A fit that loses nothing goes on growing for ever: what it weighs has no meaning.
        """
        kept = [k for k, name in enumerate(self.fits) if name not in self.lossless]
        largest = np.abs(self._effects[kept]).max(axis=0, initial=0.0)
        places = [place for place in np.argsort(-largest, kind="stable")[:most].tolist() if largest[place] > 0]
        return [
            Weighed(self.data.column_name(place), {self.fits[k]: float(self._effects[k, place]) for k in kept})
            for place in places
        ]

    def targets(self, index: NDArray[np.int64]) -> list[Any]:
        """Return the targets of rows as the file has them."""
        values = self.data.y[index]
        if self.classes:
            return [labels.written(value, self.data.texts) for value in values]
        return self.data.in_own_unit(values).tolist()  # type: ignore[no-any-return]

    def __str__(self) -> str:
        from .tail_sentences import sentences

        return " ".join(f"{words}." for words in sentences(self))

    @property
    def classes(self) -> bool:
        """Whether the targets are labels."""
        return self.problem.loss.task == "classification"

    @once
    def _compared_target(self) -> tuple[Array, str]:
        """The target to be held against the rest, with its name: of two classes, whether it is the positive one."""
        if not self.classes:
            return self.data.in_own_unit(self.data.y), self.data.target_name
        positive = self.problem.ground.points.target.numpy() > 0
        return positive.astype(np.float64), f"{self.data.target_name}={self.positive}"

    @once
    def positive(self) -> str:
        """The label that is +1."""
        first = int(np.argmax(self.problem.ground.points.target.numpy()))
        return labels.written(float(self.data.y[first]), self.data.texts)

    @once
    def _effects(self) -> Array:
        """What a step of one deviation of each column does to a prediction, shape (fits, columns)."""
        return np.stack([self.thetas[name].numpy() for name in self.fits]) * self.columns.deviation

    def _known(self, fit: str | None) -> str:
        if fit is not None and fit not in self.fits:
            raise SpecError(f"fit is {fit!r}, but it must be one of {', '.join(self.fits)}")
        return self.fits[0] if fit is None else fit
