"""What a study of a model says: measures of every training, and which step sizes each optimiser forgives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..keeping import once
from ..results.certainty import Interval, median_interval
from ..results.readable import decades, interval, number, sureness
from ..results.robustness import Forgiven, usable_range
from ..results.spread import Spread, spread
from ..specs import SpecError
from .trainers import trainers
from .training import MEASURES

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
_TEST_CVAR = MEASURES.index("test_cvar")


@dataclass(frozen=True)
class ModelStudy:
    """The result of ``check_model``.

    A network has no known F*. The gap of a training is the CVaR of its test losses above the *reference*, the least
    median test CVaR that any optimiser reached at any λ of the same grid: all are judged by one ruler, which was chosen
    on the test rows themselves. A λ is usable for a seed when the training stays finite and closes at least the share
    ``closed`` of the gap that the seed's model has before training.

    Attributes
    ----------
    optimisers, lambdas, seeds
        What was tried.
    records
        The measures of every training, shape (optimisers, seeds, lambdas, measures); NaN where it diverged.
    starts
        The measures of the models before training, shape (seeds, measures).
    beta, steps, batch, schedule, closed
        How it was trained and judged.
    seconds
        How long it took.
    """

    optimisers: tuple[str, ...]
    lambdas: tuple[float, ...]
    seeds: tuple[int, ...]
    records: Array
    starts: Array
    beta: float
    steps: int
    batch: int
    schedule: str
    closed: float = 0.9
    seconds: float = 0.0

    @once
    def cvars(self) -> Array:
        """Test CVaR, shape (optimisers, seeds, lambdas); NaN where the training diverged."""
        found: Array = self.records[..., _TEST_CVAR]
        return found

    def spread(self, measure: str = "test_cvar") -> Spread:
        """Return median, least and largest of a measure over the seeds, shape (optimisers, lambdas) each."""
        if measure not in MEASURES:
            raise SpecError(f"measure is {measure!r}; choose from {', '.join(MEASURES)}")
        return spread(self.records[..., MEASURES.index(measure)], axis=1)

    @once
    def reference(self) -> float:
        """The least median test CVaR that any optimiser reached; ∞ if all diverged."""
        return float(self.spread().median.min())

    @once
    def gaps(self) -> Array:
        """Test CVaR above the reference, shape (optimisers, seeds, lambdas)."""
        return self.cvars - self.reference

    @once
    def limits(self) -> Array:
        """How large a gap may remain, shape (seeds,); 0 where training cannot gain anything."""
        return np.maximum((1 - self.closed) * (self.starts[:, _TEST_CVAR] - self.reference), 0.0)

    @once
    def forgiven(self) -> dict[str, Forgiven]:
        """What each optimiser forgives, seed by seed."""
        return {
            name: Forgiven(
                tuple(
                    usable_range(self.lambdas, gaps, limit) if limit > 0 else None  # nothing to gain: nothing usable
                    for gaps, limit in zip(self.gaps[k], self.limits, strict=True)
                )
            )
            for k, name in enumerate(self.optimisers)
        }

    def best_lambda(self, optimiser: str) -> float | None:
        """Return the λ with the least median test CVaR; ``None`` if most seeds diverged at every λ."""
        medians = self.spread().median[self._place(optimiser)]
        return self.lambdas[int(medians.argmin())] if np.isfinite(medians).any() else None

    def at(self, optimiser: str, lam: float, measure: str = "test_cvar") -> Interval | None:
        """Return the interval of a measure's median over the seeds at a λ of the grid; ``None`` if one diverged."""
        if lam not in self.lambdas:
            raise SpecError(f"lambda is {lam:g}; this study tried {', '.join(f'{each:g}' for each in self.lambdas)}")
        values = self.records[self._place(optimiser), :, self.lambdas.index(lam), MEASURES.index(measure)]
        return median_interval(values.tolist()) if np.isfinite(values).all() else None

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each training: optimiser, lambda, seed, status and the measures."""
        import pandas as pd

        index = pd.MultiIndex.from_product(
            [self.optimisers, self.seeds, self.lambdas], names=["optimiser", "seed", "lambda"]
        )
        table = pd.DataFrame(self.records.reshape(-1, len(MEASURES)), index, list(MEASURES)).reset_index()
        table.insert(3, "status", np.where(table["test_cvar"].isna(), "diverged", "ok"))
        return table

    def robustness(self) -> pd.DataFrame:
        """One row for each optimiser: best λ, usable range, decades with interval, and the measures at the best λ."""
        import pandas as pd

        rows = []
        medians = {measure: self.spread(measure).median for measure in MEASURES}
        for k, name in enumerate(self.optimisers):
            found, best = self.forgiven[name], self.best_lambda(name)
            row: dict[str, Any] = {"optimiser": name, "best_lambda": best}
            usable = found.typical
            row |= {"low_lambda": None, "high_lambda": None} if usable is None else {
                "low_lambda": usable.low, "high_lambda": usable.high,
            }  # fmt: skip
            row |= {
                "decades": found.decades, "decades_low": found.decades_low, "decades_high": found.decades_high,
                "at_least": found.at_least,
            }  # fmt: skip
            for measure in MEASURES:
                row[measure] = np.nan if best is None else medians[measure][k, self.lambdas.index(best)]
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(self, theme: str = "light") -> Any:
        """Return the test CVaR above the reference against λ, as a plotly figure."""
        import plotly.graph_objects as go

        from .model_chart import model_chart

        return go.Figure(model_chart(self, theme))

    def report(self, path: str | Path) -> None:
        """Write the finding, the chart and the table as one HTML file that needs no network."""
        from .model_report import model_html

        Path(path).write_text(model_html(self), "utf-8")

    def finding(self) -> str:
        """Return one sentence: what each optimiser forgives, the most forgiving first."""
        if not np.isfinite(self.reference):
            return "Every training diverged, at every step size."
        if not (self.limits > 0).any():
            return "No training is better than the model before it, by the CVaR of the test losses."
        ordered = sorted(self.optimisers, key=lambda name: -(self.forgiven[name].decades or 0.0))
        words = [f"{trainers[name].label} {decades(self.forgiven[name])}" for name in ordered]
        words[0] = words[0].replace(trainers[ordered[0]].label, f"{trainers[ordered[0]].label} forgives")
        return ", ".join([words[0] + " decades of λ", *words[1:]]) + ", by the CVaR of the test losses."

    def __str__(self) -> str:
        head = ("optimiser", "best λ", "usable from", "to", "decades", "test CVaR", "test mean", "train CVaR")
        table: list[tuple[str, ...]] = [head]
        for row in self.robustness().to_dict("records"):
            found = self.forgiven[row["optimiser"]]
            width = decades(found) + (f" ({interval(found)})" if interval(found) else "")
            cells = (row["best_lambda"], row["low_lambda"], row["high_lambda"])
            ends = [number(row[measure]) for measure in ("test_cvar", "test_mean", "train_cvar")]
            table.append((trainers[row["optimiser"]].label, *map(number, cells[:3]), width, *ends))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in table]
        start = number(float(np.median(self.starts[:, _TEST_CVAR])))
        about = (
            f"Test CVaR at β = {self.beta:g}: {start} before training, {number(self.reference)} at the best. A λ is "
        )
        about += f"usable if it closes {100 * self.closed:g}% of that, seed by seed."
        sure = f" In brackets: the {sureness(len(self.seeds))}." if len(self.seeds) > 1 else ""
        return "\n".join([self.finding(), *lines, about + sure])

    def _place(self, optimiser: str) -> int:
        if optimiser not in self.optimisers:
            raise SpecError(f"optimiser is {optimiser!r}; this study tried {', '.join(self.optimisers)}")
        return self.optimisers.index(optimiser)
