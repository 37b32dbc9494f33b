"""Plain-text tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Cell = str | float | int | None


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[Cell]], notes: Iterable[str] = ()) -> str:
    """Return a table: the first column to the left, the others to the right, notes below.

    >>> print(table("Title", ["what", "seconds"], [["a", 0.12345], ["longer", 1234.5]], ["a note"]))
    <BLANKLINE>
    Title
      what    seconds
      ------  -------
      a         0.123
      longer    1,234
      a note
    """
    cells = [[_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    lines = ["", title]
    for row in (list(header), ["-" * width for width in widths], *cells):
        first, *others = (
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(("  " + "  ".join((first, *others))).rstrip())
    lines += [f"  {note}" for note in notes]
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    """Three figures are as much as a clock on a shared machine can tell."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if cell == 0:
        return "0"
    if not 1e-3 <= abs(cell) < 1e7:
        return f"{cell:.1e}"
    size = abs(cell)
    return (
        f"{cell:,.0f}"
        if size >= 100
        else f"{cell:.1f}"
        if size >= 10
        else f"{cell:.2f}"
        if size >= 1
        else f"{cell:.3f}"
    )
