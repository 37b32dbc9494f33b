"""A table of any format that has columns."""

from __future__ import annotations

from . import csv_text
from .bounds import Limits
from .content import Content
from .table import Form, Table


def read(content: Content, limits: Limits, header: bool | None, like: Form | None = None) -> Table:
    """Return the table in a file; by ``like``, if that is given."""
    return csv_text.read(content, limits, header, like)


def columns(content: Content, limits: Limits) -> tuple[str, ...]:
    """Return the names of a table's columns, without reading all of it; raises as ``read`` does."""
    return csv_text.columns(content, limits)
