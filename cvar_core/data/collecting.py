"""What is read of a table, block by block, until it is a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened, size
from .growing import Growing
from .table import Form, Table
from .text_column import TextColumn

if TYPE_CHECKING:
    import pandas as pd


class Collected:
    """Columns of numbers in one matrix, and columns of texts beside it, as far as the limits allow."""

    def __init__(self, name: str, names: tuple[str, ...], limits: Limits, forced: Collection[str] = ()) -> None:
        self.rows = 0
        self._name, self._names, self._limits = name, names, limits
        self._texts = {k: TextColumn(0) for k, title in enumerate(names) if title in forced}
        self._slots: list[int] | None = None  # the columns of numbers, as the first block has them
        self._numbers: Growing
        self._infinite: dict[int, tuple[int, float]] = {}  # the first row, and what is there

    @property
    def texts(self) -> Collection[int]:
        """The columns that hold texts, so far as is known."""
        return self._texts.keys()

    @property
    def all_numbers(self) -> bool:
        return not self._texts

    def add_numbers(self, values: NDArray[np.float64]) -> None:
        """Add rows in which every column is a number, or missing."""
        self._begin(range(len(self._names)))
        self._append(values)

    def add(self, frame: pd.DataFrame) -> None:
        """Add rows; the columns are their places."""
        places: list[int] = list(frame.columns)  # type: ignore[arg-type]
        for place in places:
            if place not in self._texts and frame[place].dtype.kind not in "iuf":
                self._texts[place] = TextColumn(self.rows)
        for place, column in self._texts.items():
            column.add(frame[place])
        if sum(column.bytes for column in self._texts.values()) > 4 * self._limits.cells:
            most = size(4 * self._limits.cells)
            raise DataError(f"{self._name} has more than {most} of different texts, which is the limit")
        slots = self._begin(place for place in places if place not in self._texts)
        frame[[place for place in slots if place in self._texts]] = np.nan  # numbers above, and texts from here on
        self._append((frame if len(slots) == frame.shape[1] else frame[slots]).to_numpy(np.float64))

    def _begin(self, numeric: Iterable[int]) -> list[int]:
        if self._slots is None:
            self._slots = list(numeric)
            self._numbers = Growing(np.float64, len(self._slots))
        return self._slots

    def _append(self, values: NDArray[np.float64]) -> None:
        width, most, count = len(self._names), self._limits.cells, self.rows + len(values)
        if count * width > most:
            what = f"{self._name} has {count:,} rows × {width:,} columns or more"
            raise DataError(f"{what}, but the limit is {most:,} cells")
        infinite = np.isinf(values)
        if infinite.any():
            values = values.copy()
            for slot in np.flatnonzero(infinite.any(axis=0)):
                row = int(np.argmax(infinite[:, slot]))
                self._infinite.setdefault(self._begin(())[slot], (self.rows + row, float(values[row, slot])))
            values[infinite] = np.nan
        self._numbers.add(values)
        self.rows = count

    def table(
        self,
        form: Form,
        second: bool,
        notes: Iterable[str] = (),
        dates: Mapping[str, str] = MappingProxyType({}),
        faults: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[Table, frozenset[str]]:
        """Return the table, and the columns whose numbers should be read again as texts.

        Parameters
        ----------
        second
            Whether the form is another file's, by which this one is read.
        dates, faults
            Columns that came as dates, and what is known to be wrong, beside what is found here.
        """
        import pandas as pd

        matrix = self._numbers.done()
        slots = {place: slot for slot, place in enumerate(self._begin(()))}
        plain = not self._texts
        wrong = {self._names[place]: self._not_finite(place, *where) for place, where in self._infinite.items()}
        wrong |= faults
        found: dict[str, NDArray[Any]] = {}
        orders = dict(dates)
        again, said = [], [*notes]
        if not second:
            said += [f"column {shortened(name)} holds dates: they become days since 1970-01-01" for name in dates]
        for place, title in enumerate(self._names):
            numbers = matrix[:, slots[place]] if place in slots else np.empty(0)
            if place not in self._texts:
                found[title] = numbers
                continue
            texts = self._texts.pop(place)
            typed = texts.typed(title, self._name, numbers[: texts.begin], form, second)
            found[title] = typed.values
            again += [title] if typed.as_texts else []
            orders |= {title: typed.order} if typed.order else {}
            wrong |= {title: typed.fault} if typed.fault else {}
            said += [typed.note] if typed.note and not second else []
            if typed.values.dtype.kind == "f" and (infinite := np.isinf(typed.values)).any():
                row = int(np.argmax(infinite))
                wrong.setdefault(title, self._not_finite(place, row, float(typed.values[row])))
                typed.values[infinite] = np.nan
        frame: Any = pd.DataFrame(matrix, copy=False)
        if not plain:
            frame = pd.DataFrame(
                {name: pd.Series(values, dtype=values.dtype, copy=False) for name, values in found.items()}, copy=False
            )
        frame.columns = pd.Index(self._names, dtype=object)
        if not second:
            texts_of = frozenset(title for title, values in found.items() if values.dtype.kind == "O")
            form = Form(form.separator, form.header, form.decimal, texts_of, orders)
        return Table(self._name, frame, form, tuple(said), frozenset(orders), wrong), frozenset(again)

    def _not_finite(self, place: int, row: int, value: float) -> str:
        column = f"column {shortened(self._names[place])} of {self._name}"
        return f"{column} has {value} in row {row + 1:,}; every entry must be finite"
