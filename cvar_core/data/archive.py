"""``.npz`` archives of plain arrays: X and y, or a sparse X as scipy's ``save_npz`` writes it, and y."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened, size
from .content import Content, ensure_deflated, open_zip

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SPARSE = ("data", "indices", "indptr", "shape")
_WANTED = ("X", "y", *_SPARSE, "format")
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read(content: Content, limits: Limits) -> tuple[csr_array | NDArray[np.float64], NDArray[np.float64]]:
    """Return features and targets."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that another version of Python has written
            names, arrays = _arrays(content, limits)
    except DataError:
        raise
    except Exception:  # a header is a Python text, and a hostile one makes its reader raise whatever there is
        raise DataError(f"{content.name} is an archive, but damaged: it cannot be read") from None
    target = arrays.get("y")
    if target is None or not ("X" in arrays or all(name in arrays for name in _SPARSE)):
        found = ", ".join(shortened(name) for name in names[:8]) or "nothing"
        raise DataError(
            f"{content.name} holds {found}, but needs X and y, or y beside scipy's {', '.join(_SPARSE)} of a CSR matrix"
        )
    features: Any = _plain(content, "X", arrays["X"]) if "X" in arrays else _sparse(content, arrays)
    target = _plain(content, "y", target, missing="X" in arrays)  # of sparse rows none is left out
    if features.ndim != 2 or 0 in features.shape:
        raise DataError(f"X in {content.name} has shape {features.shape}, but it must have rows and columns")
    if target.shape not in ((features.shape[0],), (features.shape[0], 1)):
        raise DataError(f"y in {content.name} has shape {target.shape}, but X has {features.shape[0]:,} rows")
    if features.shape[1] > limits.columns:
        raise DataError(f"{content.name} has {features.shape[1]:,} columns, but the limit is {limits.columns:,}")
    return features, target.reshape(-1)


def _arrays(content: Content, limits: Limits) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """Return the names of all arrays, and those that are wanted if their sizes are what their headers say."""
    most = limits.content_of(len(content.data))
    arrays, needed = {}, 0
    with open_zip(io.BytesIO(content.data)) as archive:
        found = {each.filename.removesuffix(".npy"): each for each in archive.infolist() if _is_array(each)}
        members = {name: found[name] for name in _WANTED if name in found}
        ensure_deflated(content.name, members.values())
        if sum(member.file_size for member in members.values()) > most:
            raise DataError(f"{content.name} holds {size(len(content.data))} but unpacks to more than {size(most)}")
        for name, member in members.items():
            with archive.open(member) as file:
                shape, _, dtype = _READERS[npy.read_magic(file)](file)
            if dtype.hasobject:
                raise DataError(f"{shortened(name)} in {content.name} holds pickled objects, which are never loaded")
            count = math.prod(shape)
            if any(length < 0 for length in shape) or count * dtype.itemsize > member.file_size:
                raise ValueError("the header claims more than there is")
            needed += count * (dtype.itemsize + (8 if dtype != np.float64 else 0))  # as it is, and as numbers
            if count > limits.cells or needed > 16 * limits.cells:
                what = f"{shortened(name)} in {content.name} has {count:,} entries"
                raise DataError(f"{what}, but the limit is {limits.cells:,} numbers")
            with archive.open(member) as file:
                arrays[name] = npy.read_array(file, allow_pickle=False)
    return list(found), arrays


def _is_array(member: zipfile.ZipInfo) -> bool:
    return member.filename.endswith(".npy")


def _plain(content: Content, name: str, array: NDArray[Any], missing: bool = True) -> NDArray[np.float64]:
    """Return an array of numbers, in which NaN may say that one is ``missing``."""
    if array.dtype.kind not in "biuf":
        kind = shortened(str(array.dtype))
        raise DataError(f"{name} in {content.name} holds {kind} values, but it must hold real numbers")
    numbers = np.ascontiguousarray(array, dtype=np.float64)
    odd = np.isinf(numbers) if missing else ~np.isfinite(numbers)
    if odd.any():
        what = "infinite values" if missing else "NaN or infinite values"
        raise DataError(f"{name} in {content.name} holds {what}; every entry must be finite")
    return numbers


def _sparse(content: Content, arrays: dict[str, NDArray[Any]]) -> csr_array:
    from scipy.sparse import csr_array

    kind = arrays.get("format", np.array(b"csr"))
    if kind.ndim or kind.tolist() not in ("csr", b"csr"):
        raise DataError(f"the matrix in {content.name} is not in CSR format; save it with save_npz(file, X.tocsr())")
    data = _plain(content, "data", arrays["data"], missing=False)
    whole = [arrays[name] for name in ("indices", "indptr", "shape")]
    try:
        if any(part.dtype.kind not in "iu" or part.ndim != 1 for part in whole) or len(whole[2]) != 2:
            raise ValueError("indices must be whole numbers")
        matrix = csr_array((data, whole[0], whole[1]), shape=tuple(int(n) for n in whole[2]))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError):
        raise DataError(f"the arrays in {content.name} do not make a CSR matrix") from None
    matrix.sum_duplicates()
    return matrix
