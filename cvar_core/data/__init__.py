"""Data sets from files of many formats, checked, bounded, and kept sparse where they are sparse."""

from .bounds import DataError, Limits, shortened
from .choosing import first_target
from .column_facts import DATE, Column
from .dataset import Dataset
from .encoding import Layout
from .fetch import fetch, folder, missing
from .gaps import WAYS
from .holding_out import SplitError
from .load import columns, load, read_table
from .preview import Preview
from .recipe import Recipe
from .scales import Scales
from .sets import NamedSet, sets
from .table import Table
from .target_unit import TargetUnit

__all__ = [
    "DATE",
    "WAYS",
    "Column",
    "DataError",
    "Dataset",
    "Layout",
    "Limits",
    "NamedSet",
    "Preview",
    "Recipe",
    "Scales",
    "SplitError",
    "Table",
    "TargetUnit",
    "columns",
    "fetch",
    "first_target",
    "folder",
    "load",
    "missing",
    "read_table",
    "sets",
    "shortened",
]
