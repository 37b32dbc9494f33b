"""``python -m cvar_core``."""

import sys
import warnings

from .catalogue import PlugInWarning
from .cli import main

_usual = warnings.formatwarning


def _sentence(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Say what is wrong with somebody's plug-in, and not where in our code that was noticed."""
    if issubclass(category, PlugInWarning):
        return f"cvar_core: {message}\n"
    return _usual(message, category, filename, lineno, line)


warnings.formatwarning = _sentence
sys.exit(main())
