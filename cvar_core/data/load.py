"""``load`` a file of any of the formats, with its test file or a share held out, ready to be a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import any_table, archive, content, svmlight
from .bounds import DataError, Limits
from .choosing import Wanted
from .column_facts import Column, described
from .content import Source
from .dataset import Dataset
from .encoding import Layout, encode
from .fetch import fetch
from .gaps import FILL, settled
from .holding_out import held_out, split_rows
from .one_at_a_time import in_turn
from .sets import sets
from .table import Table
from .table_part import Part

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@in_turn
def load(
    path: Source | Table,
    target: str | int | None = None,
    *,
    drop: Sequence[str | int] = (),
    keep: Sequence[str | int] = (),
    only: Sequence[str | int] = (),
    missing: str = FILL,
    test: Source | Table | None = None,
    holdout: float | None = None,
    seed: int = 0,
    standardise: bool = False,
    standardise_target: bool = False,
    intercept: bool = False,
    header: bool | None = None,
    limits: Limits | None = None,
    progress: bool = False,
) -> Dataset:
    """Load a data set from a LIBSVM, npz, Parquet, Feather or text file, plain or compressed.

    Parameters
    ----------
    path
        A path, a file that is open for reading bytes, a table that was read already, or the name of one of the
        ``sets``, which is downloaded unless it is there; ``progress`` then shows a bar.
    target
        A table's target column, by name or by place (1 is the first, −1 the last). By default the one that is called
        target, y, label or class, or else the last.
    drop, keep, only
        A table's columns, by name or place: those to leave out, those to use although they look like ids, names or
        free text, which are left out by themselves, and the only ones to use.
    missing
        What is done about missing values: "fill" takes the median of the training rows and adds a column that says
        where, "drop" leaves those rows out, "refuse" raises. Rows without a target are left out by the first two.
    test, holdout, seed
        A file of rows to test on, or the share of rows to hold out for that, drawn by the seed.
    standardise, standardise_target, intercept
        Scale the columns, or the target of a regression, by the training rows' statistics; add a column of ones.
    header
        Whether a CSV file's first row names its columns; by default that is told from the row.

    >>> import io
    >>> data = load(io.BytesIO(b"colour,size,sold\\nred,1,no\\nblue,2,yes\\n"))
    >>> data.columns, str(data.mapping())
    (('colour=blue', 'colour=red', 'size'), 'no → −1, yes → +1')
    """
    if test is not None and holdout is not None:
        raise DataError("give a test file or a share to hold out, not both")
    wanted = Wanted(target, *(_several(asked) for asked in (drop, keep, only)))
    data = settled(
        _split(path, wanted, test, holdout, seed, header, limits or Limits(), progress), missing, limits or Limits()
    )
    data = data.measured()
    if standardise:
        data = data.standardise(ours=True)
    elif data.scales is not None and data.scales.wide:
        data = data.noted(f"{data.scales}; standardise (--standardise) gives them one size")
    if standardise_target:
        data = data.standardise_target()
    return data.intercept() if intercept else data


def columns(source: Source | Table, limits: Limits | None = None, header: bool | None = None) -> tuple[Column, ...]:
    """Return what is known of every column of a table; nothing of LIBSVM and npz files, whose columns have no names."""
    table = read_table(source, limits, header)
    return () if table is None else described(table)


@in_turn
def read_table(source: Source | Table, limits: Limits | None = None, header: bool | None = None) -> Table | None:
    """Read a table, which ``load`` and ``columns`` take in the place of its file; ``None`` if the file is none."""
    if isinstance(source, Table):
        return source
    bounds = limits or Limits()
    stored = content.read(source, bounds)
    return None if stored.archive or svmlight.looks_like(stored) else any_table.read(stored, bounds, header)


def _several(asked: Sequence[str | int]) -> Sequence[str | int]:
    return (asked,) if isinstance(asked, str) else asked  # one name is a sequence, of its letters


def _split(
    path: Source | Table,
    wanted: Wanted,
    test: Source | Table | None,
    holdout: float | None,
    seed: int,
    header: bool | None,
    limits: Limits,
    progress: bool,
) -> Dataset:
    """Read the rows to train and to test on, encoded by what the former have, with NaN where a value is missing."""
    named = sets[path] if isinstance(path, str) and path in sets and not Path(path).exists() else None
    if named is not None and named.make is not None:
        found: Table | Dataset = named.make()
    else:
        if named is not None:
            path, *others = fetch(named, progress)
            test = others[0] if others and test is None and holdout is None else test
        found = _read(path, header, limits, None)
    other = None if test is None else _read(test, header, limits, found)
    if isinstance(found, Table):
        assert not isinstance(other, Dataset)  # it was read in the form of the training data
        return _encoded(found, wanted, other, holdout, seed, limits)
    if wanted.drop or wanted.keep or wanted.only:
        raise DataError(f"{found.name} is no table: it has no columns to drop, to keep or to choose by name")
    if isinstance(other, Dataset):
        found = _with_test(found, other)
    return found if holdout is None else found.hold_out(holdout, seed)


def _read(source: Source | Table, header: bool | None, limits: Limits, like: Table | Dataset | None) -> Table | Dataset:
    """Read one file; in the form of the training data, if there are any."""
    if isinstance(source, Table):
        return source
    stored = content.read(source, limits)
    if stored.archive:
        found, first = archive.read(stored, limits), None
    elif svmlight.looks_like(stored):
        found = svmlight.read(stored, limits)
        first = (
            like.layout
            if isinstance(like, Dataset) and isinstance(like.layout, int)
            else int(found[0].indices.min() > 0)
        )
        if found[0].indices.min() < first:
            raise DataError(f"{stored.name} has index 0, but the training data begin at 1")
    else:
        if isinstance(like, Dataset):
            raise _other_format(stored.name)
        return any_table.read(stored, limits, header, None if like is None else like.form)
    if isinstance(like, Table):
        raise _other_format(stored.name)
    features, labels = found
    return Dataset(stored.name, features if first is None else _from(first, features), labels, layout=first)


def _other_format(name: str) -> DataError:
    return DataError(f"{name} is not in the format of the training data")


def _encoded(
    table: Table, wanted: Wanted, other: Table | None, holdout: float | None, seed: int, limits: Limits
) -> Dataset:
    """Encode a table's rows by what those to train on have: rows to test on are parted from them first."""
    train, test = Part.whole(table), None if other is None else Part.whole(other)
    said: tuple[str, ...] = ()
    if holdout is not None:
        kept, held = split_rows(train.rows, holdout, seed)
        said = (held_out(len(held), train.rows, seed),)
        train, test = Part(table, kept), Part(table, held)
    layout = Layout.of(train, wanted)
    data, *tested = (_dataset(part, layout, limits) for part in (train, test) if part is not None)
    return replace(data, notes=(*layout.notes, *said), test=tested[0] if tested else None)


def _dataset(part: Part, layout: Layout, limits: Limits) -> Dataset:
    x, y, texts = encode(part, layout, limits)
    return Dataset(part.table.name, x, y, layout.columns, texts, layout, places=part.places)


def _from(first: int, matrix: csr_array) -> csr_array:
    from scipy.sparse import csr_array

    rows, columns = matrix.shape
    return csr_array((matrix.data, matrix.indices - first, matrix.indptr), shape=(rows, columns - first))


def _with_test(data: Dataset, test: Dataset) -> Dataset:
    """Give the test rows the training rows' columns."""
    if data.sparse != test.sparse or type(data.layout) is not type(test.layout):
        raise _other_format(test.name)
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
