"""A table of any format that has columns."""

from __future__ import annotations

from . import arrow_file, csv_text
from .bounds import Limits
from .content import Content
from .table import Form, Table


def read(content: Content, limits: Limits, header: bool | None, like: Form | None = None) -> Table:
    """Return the table in a file; by ``like``, if that is given."""
    if arrow_file.looks_like(content):
        return arrow_file.read(content, limits, like)
    return csv_text.read(content, limits, header, like)
