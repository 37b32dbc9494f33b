"""``.npz`` archives of plain arrays: X and y, or a sparse X as scipy's ``save_npz`` writes it, and y."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from .bounds import DataError, Limits, shortened, size
from .content import Content

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SPARSE = ("data", "indices", "indptr", "shape")
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read(content: Content, limits: Limits) -> tuple[csr_array | NDArray[np.float64], NDArray[np.float64]]:
    """Return features and targets."""
    try:
        arrays = _arrays(content, limits)
    except DataError:
        raise
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, KeyError):
        # KeyError too: a damaged directory can name members that are not there
        raise DataError(f"{content.name} is an archive, but damaged: it cannot be read") from None
    target = arrays.get("y")
    if target is None or not ("X" in arrays or all(name in arrays for name in _SPARSE)):
        found = ", ".join(shortened(name) for name in list(arrays)[:8]) or "nothing"
        raise DataError(
            f"{content.name} holds {found}, but needs X and y, or y beside scipy's {', '.join(_SPARSE)} of a CSR matrix"
        )
    features: Any = _plain(content, "X", arrays["X"]) if "X" in arrays else _sparse(content, arrays)
    target = _plain(content, "y", target)
    if features.ndim != 2 or 0 in features.shape:
        raise DataError(f"X in {content.name} has shape {features.shape}, but it must have rows and columns")
    if target.shape not in ((features.shape[0],), (features.shape[0], 1)):
        raise DataError(f"y in {content.name} has shape {target.shape}, but X has {features.shape[0]:,} rows")
    if features.shape[1] > limits.columns:
        raise DataError(f"{content.name} has {features.shape[1]:,} columns, but the limit is {limits.columns:,}")
    return features, target.reshape(-1)


def _arrays(content: Content, limits: Limits) -> dict[str, NDArray[Any]]:
    """Load every array whose size is what its header says: a header may claim anything."""
    most = limits.content_of(len(content.data))
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        if sum(member.file_size for member in members) > most:
            raise DataError(f"{content.name} holds {size(len(content.data))} but unpacks to more than {size(most)}")
        for member in members:
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as file:
                shape, _, dtype = _READERS[npy.read_magic(file)](file)
                if dtype.hasobject:
                    raise DataError(
                        f"{shortened(name)} in {content.name} holds pickled objects, which are never loaded"
                    )
                if math.prod(shape) * dtype.itemsize > member.file_size:
                    raise ValueError("the header claims more than there is")
            with archive.open(member) as file:
                arrays[name] = npy.read_array(file, allow_pickle=False)
    return arrays


def _plain(content: Content, name: str, array: NDArray[Any], missing: bool = True) -> NDArray[np.float64]:
    """Return an array of numbers, in which NaN may say that one is ``missing``."""
    if array.dtype.kind not in "biuf":
        raise DataError(f"{name} in {content.name} holds {array.dtype} values, but it must hold real numbers")
    numbers = np.ascontiguousarray(array, dtype=np.float64)
    odd = np.isinf(numbers) if missing else ~np.isfinite(numbers)
    if odd.any():
        what = "infinite values" if missing else "NaN or infinite values"
        raise DataError(f"{name} in {content.name} holds {what}; every entry must be finite")
    return numbers


def _sparse(content: Content, arrays: dict[str, NDArray[Any]]) -> csr_array:
    from scipy.sparse import csr_array

    kind = arrays.get("format", np.array(b"csr"))
    if kind.dtype.kind not in "SU" or kind.ndim or str(kind.astype(str)) != "csr":
        raise DataError(f"the matrix in {content.name} is not in CSR format; save it with save_npz(file, X.tocsr())")
    data = _plain(content, "data", arrays["data"], missing=False)
    whole = [arrays[name] for name in ("indices", "indptr", "shape")]
    try:
        if any(part.dtype.kind not in "iu" for part in whole):
            raise ValueError("indices must be whole numbers")
        matrix = csr_array((data, whole[0], whole[1]), shape=tuple(int(n) for n in whole[2]))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError):
        raise DataError(f"the arrays in {content.name} do not make a CSR matrix") from None
    matrix.sum_duplicates()
    return matrix
