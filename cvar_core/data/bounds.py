"""What a file may be, and the one sentence that says what is wrong with one that may not."""

from __future__ import annotations

from dataclasses import dataclass

from ..specs import SpecError

_MOST_SENTENCES = 5


class DataError(SpecError):
    """A data set that cannot be used. The message is one line that says all that is wrong, and where.

    >>> DataError("a is empty", "b is not a number").sentences
    ('a is empty', 'b is not a number')
    """

    def __init__(self, *sentences: str) -> None:
        told = tuple(" ".join(each.split()) for each in sentences)  # what is quoted from a file may hold line breaks
        more = len(told) - _MOST_SENTENCES
        self.sentences = told if more <= 0 else (*told[:_MOST_SENTENCES], f"… and {more:,} more")
        super().__init__("; ".join(self.sentences))


@dataclass(frozen=True)
class Limits:
    """The largest file that is read. A server sets its own, smaller ones."""

    file: int = 2 * 2**30  # bytes, as stored
    content: int = 4 * 2**30  # bytes, once decompressed
    ratio: int = 100  # content to file: text compresses about 10 to 1, what goes far beyond is a bomb
    columns: int = 10_000_000
    table_columns: int = 60_000  # of a table, where each costs something, however little is in it
    cells: int = 250_000_000  # of a dense table: 2 GB

    def content_of(self, stored: int) -> int:
        """Return how far a file of ``stored`` bytes may be decompressed; a small one is harmless at any ratio."""
        return min(self.content, max(self.ratio * stored, 64 * 2**20))


def check_width(name: str, columns: int, limits: Limits) -> None:
    """Refuse a table of too many columns."""
    most = min(limits.columns, limits.table_columns)
    if columns > most:
        raise DataError(f"{name} has {columns:,} columns, but the limit is {most:,} in a table")


def size(count: float) -> str:
    """Say a number of bytes in words.

    >>> size(2_500_000)
    '2.4 MB'
    """
    for unit in ("bytes", "kB", "MB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GB"


def shortened(text: object, length: int = 40) -> str:
    """Quote a piece of a file for a message: on one line, whatever is in it."""
    quoted = repr(text)
    return quoted if len(quoted) <= length else quoted[: length - 2] + "…" + quoted[0]
