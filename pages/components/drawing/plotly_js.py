"""plotly.js for the browser: copied out of the installed plotly package into the folder that Streamlit serves.

An image that will be read-only copies it while it is built: ``python -m pages.components.plotly_js``.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

STATIC = Path(__file__).parents[3] / "static"
NAME = f"plotly-{version('plotly')}.min.js"  # with the version: browsers may keep it for as long as they like
ADDRESS = f"app/static/{NAME}"  # relative to the page, which may lie under a base path

# Streamlit sends no Cache-Control with these files, and browsers then keep a file for a tenth of its age.
_LONG_AGO = 946_684_800  # the year 2000


@cache
def publish(folder: Path = STATIC) -> bool:
    """Put plotly.js into the served folder, unless it is there; return whether it is there now.

    Several processes may do so at once. A folder that cannot be written to is no reason to stop the dashboard,
    because everything but its charts works: the log says what to do, and each chart says that it is missing.
    """
    source, target = _installed(), folder / NAME
    try:
        if not _same(source, target):
            folder.mkdir(parents=True, exist_ok=True)
            _copy(source, target)
    except OSError as why:
        logging.getLogger(__name__).error(
            "There will be no charts: plotly.js could not be copied to %s (%s). "
            "Make that folder writable, or put %s there under this name.",
            target, why, source,
        )  # fmt: skip
        return False
    return True


def _installed() -> Path:
    """Return the file in the package without importing it, which takes a while."""
    package = find_spec("plotly")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "package_data" / "plotly.min.js"


def _same(source: Path, target: Path) -> bool:
    return target.exists() and target.stat().st_size == source.stat().st_size


def _copy(source: Path, target: Path) -> None:
    """Copy beside the target and rename, so that nobody is ever served half a file."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".plotly-", delete=False) as beside:
        part = Path(beside.name)
    try:
        shutil.copyfile(source, part)
        part.chmod(0o644)
        os.utime(part, (_LONG_AGO, _LONG_AGO))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    raise SystemExit(not publish())
