"""Some rows of a table of text, parsed: numbers where a column has nothing else, and else texts."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bounds import DataError
from .csv_form import BLANKS, rows
from .numbers import MISSING
from .table import Form

if TYPE_CHECKING:
    import pandas as pd

MOST_UNEVEN = 1_000  # rows that are counted: a file of millions is no table, and to count them would take gigabytes
_WIDE = 1_000  # columns, from which on each is a cost


class Uneven(NamedTuple):
    """A row that has too many cells or too few."""

    row: int  # from 0, in its block
    cells: int


class Parser:
    """Parses the blocks of one file."""

    def __init__(self, name: str, form: Form, width: int) -> None:
        self._name, self._form, self._width = name, form, width
        self._wide = width > _WIDE and form.separator != BLANKS and form.decimal == "."

    def numbers(self, block: bytes) -> NDArray[np.float64] | None:
        """Return a wide block that has nothing but numbers, or ``None`` if it is not such a one.

        It is parsed as one long column, which is many times faster than thousands of short ones.
        """
        separator = self._form.separator.encode()
        if not self._wide or b'"' in block or not self._is_even(block):
            return None
        cells = self._read(block.replace(separator, b"\n"), 1, (), separator="\x1f", skip_blank_lines=False)[0]
        if cells.dtype.kind not in "iuf" or len(cells) % self._width:
            self._wide = False  # and there is no point in trying again
            return None
        return cells.to_numpy(np.float64).reshape(-1, self._width)

    def frame(self, block: bytes, texts: Collection[int], row: int) -> tuple[pd.DataFrame, list[Uneven]]:
        """Return the rows, and which of them are uneven, and so empty here; ``texts`` are columns to be read as such.

        ``row`` is the number of rows before this block, to be named in messages.
        """
        import pandas as pd

        found: pd.DataFrame | None = None
        uneven: list[Uneven] = []
        reason = ""
        try:
            found = self._read(block, self._width + 1, texts)
        except pd.errors.EmptyDataError:
            return pd.DataFrame(columns=range(self._width), dtype=np.float64), []
        except (ValueError, OverflowError) as problem:
            reason = str(problem)
        suspect = found is None or found[self._width].notna().any() or found[self._width - 1].isna().any()
        if suspect and not self._is_even(block):
            even, uneven = self._evened(block)
            if uneven:
                block, found = even, self._read(even, self._width + 1, texts)
        if found is None:
            raise DataError(f"{self._name} is not a table: {_reason(reason, row)}")
        odd = [k for k in range(self._width) if found[k].dtype.kind not in "iuf" and found[k].dtype != "str"]
        if odd:  # "true" and "false" are words here, and so are numbers of hundreds of digits
            found = self._read(block, self._width + 1, [*texts, *odd])
        return found.drop(columns=self._width), uneven

    def missing_words(self, block: bytes, columns: Collection[int]) -> dict[int, list[str]]:
        """Return the words in some columns that stand for a missing value, though they may be meant as words."""
        found = self._read(block, self._width + 1, columns, keep_default_na=False, na_values=[])
        words = {k: found[k].str.strip().unique() for k in columns}
        return {
            k: [str(word) for word in each if word in MISSING and word not in ("", "?")] for k, each in words.items()
        }

    def _read(
        self, block: bytes, width: int, texts: Collection[int], separator: str | None = None, **options: Any
    ) -> pd.DataFrame:
        """Parse with one column more than there should be: what is in it is too much."""
        import pandas as pd

        chosen = separator or self._form.separator
        keywords: dict[str, Any] = {
            "sep": r"\s+" if chosen == BLANKS else chosen, "header": None, "names": list(range(width)),
            "index_col": False, "skipinitialspace": True, "low_memory": False, "decimal": self._form.decimal,
            "dtype": dict.fromkeys(texts, "str"), "na_values": ["?"], "encoding": "utf-8",
        }  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # of a first row that is longer: that is seen here
            found: pd.DataFrame = pd.read_csv(io.BytesIO(block), **keywords | options)
        return found

    def _is_even(self, block: bytes) -> bool:
        """Tell whether all rows have as many cells as they should; ``False`` where a closer look is needed."""
        if b'"' in block or self._form.separator == BLANKS:
            return False
        letters = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
        ends = np.flatnonzero(letters == ord("\n"))
        marks = np.flatnonzero(letters == ord(self._form.separator))
        cells = np.diff(np.searchsorted(marks, ends), prepend=0)
        return bool((cells == self._width - 1).all())

    def _evened(self, block: bytes) -> tuple[bytes, list[Uneven]]:
        """Return the rows written anew, with nothing in those that are uneven, and these; too many end it."""
        kept, uneven = io.StringIO(), []
        writer = csv.writer(kept, delimiter=self._form.separator)
        try:
            for number, row in enumerate(rows(block.decode(), self._form.separator)):
                if len(row) == self._width or (len(row) == self._width + 1 and not row[-1]):
                    writer.writerow(row[: self._width])
                else:
                    uneven.append(Uneven(number, len(row)))
                    writer.writerow(["?"] * self._width)
                if len(uneven) == MOST_UNEVEN:
                    break
        except csv.Error:
            return block, []
        return kept.getvalue().encode(), uneven


def _reason(problem: str, row: int) -> str:
    """Say in our words what the parser says, which counts from its block's beginning."""
    open_quote = re.search(r"EOF inside string starting at row (\d+)", problem)
    if open_quote:
        return f"a quote opens in row {row + int(open_quote[1]) + 1:,} and is never closed"
    longer = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", problem)
    if longer:
        return f"row {row + int(longer[2]):,} has {int(longer[3]):,} fields, but the first has {int(longer[1]) - 1:,}"
    return problem.splitlines()[0].strip() if problem.strip() else "it cannot be parsed"
