"""``load`` a file of any of the formats, with its test file or a share held out, ready to be a problem."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import any_table, archive, content, svmlight
from .bounds import DataError, Limits
from .content import Source
from .dataset import Dataset
from .encoding import Layout, encode
from .fetch import fetch
from .one_at_a_time import in_turn
from .sets import sets

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@in_turn
def load(
    path: Source,
    target: str | int | None = None,
    *,
    test: Source | None = None,
    holdout: float | None = None,
    seed: int = 0,
    standardise: bool = False,
    intercept: bool = False,
    header: bool | None = None,
    limits: Limits | None = None,
    progress: bool = False,
) -> Dataset:
    """Load a data set from a LIBSVM, npz, Parquet, Feather or text file, plain or compressed.

    Parameters
    ----------
    path
        A path, a file that is open for reading bytes, or the name of one of the ``sets``, which is downloaded unless it
        is there; ``progress`` then shows a bar.
    target
        A CSV file's target column, by name or by place (1 is the first, −1 the last, which is the default).
    test, holdout, seed
        A file of rows to test on, or the share of rows to hold out for that, drawn by the seed.
    standardise, intercept
        Scale the columns by the training rows' statistics; add a column of ones.
    header
        Whether a CSV file's first row names its columns; by default that is told from the row.

    >>> import io
    >>> data = load(io.BytesIO(b"colour,size,sold\\nred,1,no\\nblue,2,yes\\n"))
    >>> data.columns, str(data.mapping())
    (('colour=blue', 'colour=red', 'size'), 'no → −1, yes → +1')
    """
    if test is not None and holdout is not None:
        raise DataError("give a test file or a share to hold out, not both")
    bounds = limits or Limits()
    named = sets[path] if isinstance(path, str) and path in sets and not Path(path).exists() else None
    if named is not None and named.make is not None:
        data = named.make()
    else:
        if named is not None:
            path, *others = fetch(named, progress)
            test = others[0] if others and test is None and holdout is None else test
        data = _read(path, target, header, bounds, None)
    if test is not None:
        data = _with_test(data, _read(test, target, header, bounds, data))
    if holdout is not None:
        data = data.hold_out(holdout, seed)
    if standardise:
        data = data.standardise()
    return data.intercept() if intercept else data


@in_turn
def table_columns(source: Source, limits: Limits | None = None) -> tuple[str, ...] | None:
    """Return the names of a CSV file's columns, one of which is the target; ``None`` for any other file."""
    try:
        stored = content.read(source, limits or Limits())
        return None if stored.archive or svmlight.looks_like(stored) else any_table.columns(stored, limits or Limits())
    except DataError:
        return None  # whoever loads it is told why


def _read(
    source: Source, target: str | int | None, header: bool | None, limits: Limits, like: Dataset | None
) -> Dataset:
    """Read one file; by the layout of the training data, if there are any."""
    stored = content.read(source, limits)
    if stored.archive:
        features, labels = archive.read(stored, limits)
        return Dataset(stored.name, features, labels)
    if svmlight.looks_like(stored):
        matrix, labels = svmlight.read(stored, limits)
        first = like.layout if like is not None and isinstance(like.layout, int) else int(matrix.indices.min() > 0)
        if matrix.indices.min() < first:
            raise DataError(f"{stored.name} has index 0, but the training data begin at 1")
        return Dataset(stored.name, _from(first, matrix), labels, layout=first)
    if like is not None and not isinstance(like.layout, Layout):
        raise DataError(f"{stored.name} is not in the format of the training data")
    known = like.layout if like is not None and isinstance(like.layout, Layout) else None
    table = any_table.read(stored, limits, header, None if known is None else known.form)
    x, y, layout = encode(table, limits, target, known)
    texts = layout.categories.get(layout.target)
    return Dataset(stored.name, x, y, layout.columns, texts, layout, layout.notes if known is None else ())


def _from(first: int, matrix: csr_array) -> csr_array:
    from scipy.sparse import csr_array

    rows, columns = matrix.shape
    return csr_array((matrix.data, matrix.indices - first, matrix.indptr), shape=(rows, columns - first))


def _with_test(data: Dataset, test: Dataset) -> Dataset:
    """Give the test rows the training rows' columns."""
    if data.sparse != test.sparse or type(data.layout) is not type(test.layout):
        raise DataError(f"{test.name} is not in the format of the training data")
    wanted, got = data.shape[1], test.shape[1]
    if wanted == got:
        return replace(data, test=test)
    if not data.sparse:
        raise DataError(f"{test.name} has {got:,} columns, but the training data have {wanted:,}")
    x: Any = test.x.copy()
    if got > wanted:
        x = x[:, :wanted]
        data = data.noted(f"the last {got - wanted:,} columns of {test.name} do not occur in training and are left out")
    else:
        x.resize((test.shape[0], wanted))
    return replace(data, test=replace(test, x=x))
