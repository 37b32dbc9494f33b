"""Data sets from files: LIBSVM, CSV and npz, checked, bounded, and kept sparse where they are sparse."""

from .bounds import DataError, Limits
from .dataset import Dataset
from .load import load

__all__ = ["DataError", "Dataset", "Limits", "load"]
