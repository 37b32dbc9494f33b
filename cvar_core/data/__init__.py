"""Data sets from files: LIBSVM, CSV and npz, checked, bounded, and kept sparse where they are sparse."""

from .bounds import DataError, Limits, shortened
from .dataset import Dataset
from .fetch import fetch, folder, missing
from .load import load, table_columns
from .prepare import SplitError, Standardiser
from .preview import Preview
from .recipe import Recipe
from .sets import NamedSet, sets

__all__ = [
    "DataError",
    "Dataset",
    "Limits",
    "NamedSet",
    "Preview",
    "Recipe",
    "SplitError",
    "Standardiser",
    "fetch",
    "folder",
    "load",
    "missing",
    "sets",
    "shortened",
    "table_columns",
]
