"""Jobs: runs in the background, piece by piece, shared fairly among visitors and kept in the store."""

from .limits import Limits
from .manager import Manager, Refused, threads
from .settings import Settings
from .view import Entry, View

__all__ = ["Entry", "Limits", "Manager", "Refused", "Settings", "View", "threads"]
