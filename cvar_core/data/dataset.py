"""A data set: features and targets as a file has them, and the problem that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..catalogue import losses
from ..problem import Problem, Standardiser, with_intercept
from ..results import number
from ..specs import SpecError
from . import labels
from .bounds import DataError, shortened
from .encoding import Layout
from .holding_out import held_out, split_rows
from .naming import told_apart
from .scales import Scales
from .target_unit import TargetUnit

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

Features = Any  # NDArray[np.float64] | csr_array


@dataclass(frozen=True)
class Dataset:
    """Rows of features with their targets.

    Attributes
    ----------
    texts
        Where the target is a text: y holds places in this list.
    notes
        What was done to the file, in sentences to be shown.
    test
        Rows that no run is trained on, prepared with the training rows' statistics.
    places
        Which rows of the file these are; 1 is the first, and a header is none. By default all of them.
    scales
        By how much the columns differed before they were scaled, as ``load`` has seen them.
    target_unit
        What the target was before it was standardised; ``None`` if it is as the file has it.
    scaled
        What the columns were standardised by, so that they can be told in the file's own unit.
    """

    name: str
    x: NDArray[np.float64] | csr_array  # (rows, columns)
    y: NDArray[np.float64]  # (rows,)
    columns: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    layout: Layout | int | None = None  # a table's, or the first index of a LIBSVM file
    notes: tuple[str, ...] = ()
    test: Dataset | None = None
    places: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # (rows,)
    scales: Scales | None = None
    target_unit: TargetUnit | None = None
    scaled: tuple[Standardiser, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.places):
            object.__setattr__(self, "places", np.arange(1, len(self.y) + 1))

    def __repr__(self) -> str:
        return f"<Dataset {self.words()[0]}>"

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        target: str | int | None = None,
        *,
        test: pd.DataFrame | None = None,
        drop: Sequence[str | int] = (),
        keep: Sequence[str | int] = (),
        only: Sequence[str | int] = (),
        **options: Any,
    ) -> Dataset:
        """Make a data set of a DataFrame, as ``load`` does of a file, whose ``options`` it takes.

        Texts and categories become columns of zeros and ones, dates days, and columns from which nothing can be learnt
        are left out; ``notes`` say so. Columns are given by their labels, or by their places.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"town": ["Bonn", "Ulm", "Ulm", "Bonn"], "size": [1, 2, 3, 4], "sold": list("nyyn")})
        >>> data = Dataset.from_frame(frame, "sold", intercept=True)
        >>> data.columns, str(data.mapping())
        (('town=Bonn', 'town=Ulm', 'size', 'intercept'), 'n → −1, y → +1')
        """
        from .from_frame import named, table_of
        from .load import load

        table = table_of(frame)
        chosen = {name: named(frame, asked) for name, asked in (("drop", drop), ("keep", keep), ("only", only))}
        tested = None if test is None else table_of(test, table.form, "the test DataFrame")
        return load(table, named(frame, target), test=tested, **chosen, **options)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.x.shape
        return int(rows), int(columns)

    @property
    def sparse(self) -> bool:
        """Whether the features are a sparse matrix."""
        return hasattr(self.x, "indptr")

    @property
    def nonzeros(self) -> int:
        """How many entries of the features are not 0."""
        return int(self.x.nnz) if self.sparse else int(np.count_nonzero(self.x))  # type: ignore[union-attr]

    @property
    def bytes(self) -> int:
        """What features and targets take in memory, those of the test rows included."""
        x: Any = self.x
        parts = (x.data, x.indices, x.indptr) if self.sparse else (x,)
        return sum(int(part.nbytes) for part in (*parts, self.y)) + (0 if self.test is None else self.test.bytes)

    def column_name(self, k: int) -> str:
        """Return the name of column ``k``, counted from 0; its place where the file has none."""
        return f"column {k + 1}" if self.columns is None else self.columns[k]

    def rows(self, index: NDArray[np.int64]) -> Dataset:
        """Return some rows, by their places from 0 on, without those to test on."""
        return replace(self, x=self.x[index], y=self.y[index], places=self.places[index], test=None)

    @property
    def target_name(self) -> str:
        """What the target is called."""
        return self.layout.target if isinstance(self.layout, Layout) else "target"

    @property
    def dates(self) -> frozenset[str]:
        """The columns that are dates, as days since 1970-01-01."""
        return self.layout.dates if isinstance(self.layout, Layout) else frozenset()

    def original(self, x: Features) -> Features:
        """Return features of these columns, shape (any, columns), in the unit that the file has them in."""
        for by in reversed(self.scaled):
            x = by.undo(x)
        return x

    def noted(self, *words: str) -> Dataset:
        """Return the same with further notes."""
        return replace(self, notes=(*self.notes, *words))

    def label_counts(self, most: int = 20) -> dict[str, int] | None:
        """Return how many rows have each label, or ``None`` if there are more than ``most`` labels."""
        values, counts = np.unique(self.y, return_counts=True)
        if len(values) > most:
            return None
        values = self.in_own_unit(values)
        return {labels.written(v, self.texts): int(n) for v, n in zip(values, counts, strict=True)}

    def hold_out(self, fraction: float, seed: int = 0) -> Dataset:
        """Keep a share of the rows, drawn by ``seed``, for testing."""
        kept, held = split_rows(self.shape[0], fraction, seed)
        return replace(self.rows(kept), test=self.rows(held)).noted(held_out(len(held), self.shape[0], seed))

    def measured(self) -> Dataset:
        """Note by how much the columns differ in size."""
        return replace(self, scales=Scales.of(self.x, self.column_name))

    def standardise(self, ours: bool = False) -> Dataset:
        """Give every column mean 0 and standard deviation 1 over the training rows; sparse ones only the latter.

        Where the arrays are ``ours`` alone they are overwritten, which saves a copy.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            by = Standardiser.of(self.x)
        if not np.isfinite(by.deviation).all():
            name = self.column_name(int(np.argmin(np.isfinite(by.deviation))))
            raise DataError(f"column {shortened(name)} of {self.name} is too large to be standardised: leave it out")
        test = None if self.test is None else self.test._scaled(by, ours)
        words = "columns are divided by their standard deviation" + (
            ", not centred: zeros stay zeros" if self.sparse else " after subtracting their mean"
        )
        return replace(self._scaled(by, ours), test=test).noted(words)

    def _scaled(self, by: Standardiser, ours: bool) -> Dataset:
        return replace(self, x=by.apply(self.x, ours), scaled=(*self.scaled, by))

    def standardise_target(self) -> Dataset:
        """Give the target mean 0 and standard deviation 1 over the training rows; for regression."""
        if self.texts is not None:
            some = ", ".join(shortened(text, 20) for text in self.texts[:3])
            raise DataError(f"the target of {self.name} holds texts ({some}), which cannot be standardised")
        unit = TargetUnit.of(self.name, self.y)
        test = None if self.test is None else replace(self.test, y=unit.apply(self.test.y), target_unit=unit)
        words = f"the target is standardised: mean {number(unit.mean)}, standard deviation {number(unit.deviation)}"
        return replace(self, y=unit.apply(self.y), target_unit=unit, test=test).noted(words)

    def in_own_unit(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return targets, or predictions, as the file has them."""
        return targets if self.target_unit is None else self.target_unit.own(targets)

    def intercept(self) -> Dataset:
        """Add a column of ones."""
        test = None if self.test is None else self.test.intercept()
        names = None if self.columns is None else told_apart([*self.columns, "intercept"])
        return replace(self, x=with_intercept(self.x), columns=names, test=test).noted("a column of ones is added")

    def mapping(self, positive: str | float | None = None) -> labels.Mapping:
        """Return which labels become −1 and +1 in classification."""
        return labels.mapped(self.name, self.y, self.texts, positive)[2]

    def problem(
        self,
        loss: str = "squared",
        beta: float = 0.95,
        scale: float = 1.0,
        positive: str | float | None = None,
        start: str | None = None,
        loss_params: Mapping[str, float] | None = None,
        mix: float | None = None,
    ) -> Problem:
        """Make the problem whose P is the empirical distribution of the rows.

        Parameters
        ----------
        positive
            The label that becomes +1 in classification, with all others −1; needed for more than two labels.
        start
            "random" begins at θ_0 ~ N(0, I), the default; "zero" at θ_0 = 0.
        loss_params
            Those of the loss that are not to be its defaults, such as ``{"knee": 2.0}`` of huber loss.
        mix
            Minimises (1 − mix)·mean + mix·CVaR: 1, the default, is CVaR; 0 is the mean.
        """
        if loss not in losses:
            raise SpecError(f"loss is {loss!r}, but it must be one of {', '.join(losses.names())}")
        y, test = self.y, None if self.test is None else self.test.y
        if losses[loss].task == "classification":
            if self.target_unit is not None:
                raise DataError(f"the target of {self.name} is standardised, but {loss} loss needs its labels")
            plus, minus, _ = labels.mapped(self.name, self.y, self.texts, positive)
            y = labels.signs(self.name, y, self.texts, plus, minus)
            if self.test is not None:
                test = labels.signs(self.test.name, self.test.y, self.test.texts, plus, minus)
        elif self.texts is not None:
            some = ", ".join(shortened(text, 20) for text in self.texts[:3])
            raise DataError(f"the target of {self.name} holds texts ({some}), but {loss} loss needs numbers")
        elif positive is not None:
            raise DataError(f"a positive label was given, but {loss} loss is for regression: use logistic")
        held_out = None if self.test is None else (self.test.x, test)
        return Problem.from_arrays(
            self.x,
            y,
            loss,
            beta,
            scale,
            test=held_out,
            start=start,
            loss_params=loss_params,
            mix=mix,
            columns=self.columns,
        )

    def facts(self, loss: str | None = None, positive: str | float | None = None) -> dict[str, Any]:
        """Describe the data in JSON types, with the labels' mapping if a loss of classification is named."""
        rows, columns = self.shape
        maps = loss is not None and losses[loss].task == "classification"
        return {
            "name": self.name,
            "rows": rows,
            "columns": columns,
            "sparse": self.sparse,
            "nonzeros": self.nonzeros,
            "test_rows": 0 if self.test is None else self.test.shape[0],
            "labels": self.label_counts(),
            "mapping": str(self.mapping(positive)) if maps else None,
            "scales": None if self.scales is None else asdict(self.scales),
            "target_unit": None if self.target_unit is None else self.target_unit.to_dict(loss),
            "notes": list(self.notes),
        }

    def words(self, loss: str | None = None, positive: str | float | None = None) -> list[str]:
        """Describe the data in lines of text."""
        facts = self.facts(loss, positive)
        share = facts["nonzeros"] / (facts["rows"] * facts["columns"])
        kind = f"sparse, {facts['nonzeros']:,} non-zeros ({100 * share:.2g}%)" if self.sparse else "dense"
        test = f", {facts['test_rows']:,} test rows" if facts["test_rows"] else ""
        lines = [f"{self.name}: {facts['rows']:,} rows × {facts['columns']:,} columns{test}, {kind}"]
        if facts["mapping"]:
            lines.append(f"labels: {facts['mapping']}")
        return [*lines, *(f"note: {note}" for note in self.notes)]
