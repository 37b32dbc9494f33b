"""Jobs: runs in the background, piece by piece, shared fairly among visitors and kept in the store."""

from ..scheduling import threads
from .limits import FRAME, Limits
from .manager import LONGEST_NAME, Manager
from .refused import Refused
from .settings import Settings
from .sharpener import Sharpener, SharpenView
from .shelf import Shelf
from .uploads import Upload, Uploads
from .view import Entry, View
from .whereabouts import Whereabouts

__all__ = [
    "FRAME",
    "LONGEST_NAME",
    "Entry",
    "Limits",
    "Manager",
    "Refused",
    "Settings",
    "SharpenView",
    "Sharpener",
    "Shelf",
    "Upload",
    "Uploads",
    "View",
    "Whereabouts",
    "threads",
]
