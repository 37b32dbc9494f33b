"""Tables without a file, for tests of what is done to one after it was read."""

import io

import numpy as np
import pandas as pd

from cvar_core.data import Table
from cvar_core.data.table import Form


def given(text: bytes | str) -> io.BytesIO:
    return io.BytesIO(text.encode() if isinstance(text, str) else text)


def table(**columns) -> Table:
    """Make a table of lists of numbers, or of texts; None is a missing value."""
    made = {
        name: pd.Series(values, dtype=object if any(isinstance(each, str) for each in values) else np.float64)
        for name, values in columns.items()
    }
    return Table("made.csv", pd.DataFrame(made), Form(",", True))
