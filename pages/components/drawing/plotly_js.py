"""plotly.js for the browser, as the installed plotly package has it."""

from __future__ import annotations

import gzip
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

NAME = f"plotly-{version('plotly')}.min.js"  # with the version: browsers may keep it for good
ADDRESS = NAME  # relative to the page, which may lie under a base path


def installed() -> Path:
    """Return the file in the package without importing that, which takes a while."""
    package = find_spec("plotly")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "package_data" / "plotly.min.js"


@cache
def compressed() -> bytes:
    """Return it as browsers ask for it: 1.5 MB instead of 4.8, compressed once and not for each visitor."""
    return gzip.compress(installed().read_bytes(), compresslevel=6, mtime=0)
