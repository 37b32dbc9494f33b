"""Tables of text, CSV and its relatives: read block by block, within bounds."""

from __future__ import annotations

from collections.abc import Iterator

from . import text_rows
from .bounds import DataError, Limits, shortened
from .collecting import Collected
from .content import Content
from .csv_block import MOST_UNEVEN, Parser, Uneven
from .csv_form import Seen, see
from .table import Form, Table

_ROWS_OF_WIDE = 64  # of a block, at least: every column costs something in every block
_NAMED = 3  # rows that are named where many are wrong


def read(content: Content, limits: Limits, header: bool | None, like: Form | None = None) -> Table:
    """Return the table in a file; by ``like``, if that is given."""
    encoding = text_rows.encoding_of(content)
    forced: frozenset[str] = frozenset() if like is None else like.texts | frozenset(like.dates)
    while True:
        try:
            table, again = _Reading(content, limits, header, like, encoding, forced).run()
        except text_rows.NotUtf8:
            encoding = text_rows.WINDOWS
            continue
        if not again:
            return table
        forced |= again  # whose first rows look like numbers, but most others do not


class _Reading:
    """One pass over a file."""

    def __init__(
        self,
        content: Content,
        limits: Limits,
        header: bool | None,
        like: Form | None,
        encoding: str,
        forced: frozenset[str],
    ) -> None:
        self._content, self._limits, self._like = content, limits, like
        self._encoding = encoding
        first = next(text_rows.blocks(content, encoding), b"")
        self._seen: Seen = see(content.name, first, limits, header, like)
        if len(self._seen.names) < 2:
            raise DataError(f"{content.name} has one column, but it needs a target and at least one feature")
        row = len(first.partition(b"\n")[0])
        self._block = min(max(text_rows.BLOCK, _ROWS_OF_WIDE * row), text_rows.LONGEST_ROW)
        self._parser = Parser(content.name, self._seen.form, len(self._seen.names))
        self._found = Collected(content.name, self._seen.names, limits, forced)
        self._uneven: list[Uneven] = []  # with their rows counted from the file's first, the header included
        self._passed = int(self._seen.form.header)  # rows, whatever they were
        self._words: list[str] = []  # on words that are read as missing

    def run(self) -> tuple[Table, frozenset[str]]:
        """Return what was read, and the columns that should be read again as texts."""
        for block in self._blocks():
            if block.strip():
                self._take(block)
        if self._passed == int(self._seen.form.header):
            raise DataError(f"{self._content.name} has a header but no rows")
        table, again = self._found.table(self._seen.form, self._like is not None, self._notes())
        if self._uneven:
            raise DataError(f"{table.name} is not a table: {self._unevenness()}", *table.faults.values())
        return table, again

    def _blocks(self) -> Iterator[bytes]:
        begin = self._seen.skip
        for each in text_rows.blocks(self._content, self._encoding, self._block):
            yield each[begin:]
            begin = 0

    def _take(self, block: bytes) -> None:
        numbers = self._parser.numbers(block) if self._found.all_numbers else None
        if numbers is not None:
            self._found.add_numbers(numbers)
            self._passed += len(numbers)
            return
        frame, uneven = self._parser.frame(block, self._found.texts, self._passed)
        first = not self._found.rows
        self._uneven += [Uneven(self._passed + row + 1, cells) for row, cells in uneven]
        if len(self._uneven) >= MOST_UNEVEN:
            raise DataError(f"{self._content.name} is not a table: {self._unevenness()}")
        self._passed += len(frame)
        self._found.add(frame)
        if first and not uneven and self._like is None:
            gaps = [k for k in self._found.texts if frame[k].isna().any()]
            for column, words in (self._parser.missing_words(block, gaps) if gaps else {}).items():
                if words:
                    said = " and ".join(repr(word) for word in words[:_NAMED])
                    self._words.append(f"{said} in column {shortened(self._seen.names[column])} is read as missing")

    def _notes(self) -> list[str]:
        if self._like is not None:
            return []
        encoding = [f"the text is in {self._encoding}"] if self._encoding != text_rows.UTF_8 else []
        return [*encoding, *(["numbers have a decimal comma"] if self._seen.form.decimal == "," else []), *self._words]

    def _unevenness(self) -> str:
        width = len(self._seen.names)
        named = ", ".join(f"row {row:,} has {cells:,} fields" for row, cells in self._uneven[:_NAMED])
        more = len(self._uneven) - _NAMED
        at_least = "at least " if len(self._uneven) >= MOST_UNEVEN else ""
        others = f" (and {at_least}{more:,} more rows)" if more > 0 else ""
        return f"{named}{others}, but the first has {width:,}"
