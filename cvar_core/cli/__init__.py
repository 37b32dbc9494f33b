"""The command line: ``python -m cvar_core sweep | check | problems | bench``."""

from .main import main

__all__ = ["main"]
