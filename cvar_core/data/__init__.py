"""Data sets from files of many formats, checked, bounded, and kept sparse where they are sparse."""

from .bounds import DataError, Limits
from .dataset import Dataset
from .fetch import fetch, folder, missing
from .load import load, table_columns
from .prepare import SplitError
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
    "fetch",
    "folder",
    "load",
    "missing",
    "sets",
    "table_columns",
]
