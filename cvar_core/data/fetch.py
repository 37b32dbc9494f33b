"""Downloads, verified and kept in the data folder."""

from __future__ import annotations

import os
from pathlib import Path

from .bounds import DataError
from .sets import Download, NamedSet


class NotFetched(DataError):
    """A set that is not there. ``sentences`` are for anybody; the message says where it should be, too."""

    def __init__(self, why: str, whither: str) -> None:
        super().__init__(why)
        self.args = (f"{why}; {whither}",)


def folder() -> Path:
    """Return where fetched sets are kept."""
    import platformdirs

    return Path(os.environ.get("CVAR_DATA_DIR") or platformdirs.user_data_path("cvar_core")) / "sets"


def missing(chosen: NamedSet) -> list[Path]:
    """Return the files of a set that are not there yet."""
    return [folder() / each.name for each in chosen.downloads if not (folder() / each.name).exists()]


def fetch(chosen: NamedSet, progress: bool = False) -> list[Path]:
    """Return the set's files, downloading those that are not there; each is verified whenever it is asked for."""
    return [_fetch(each, progress) for each in chosen.downloads]


def _fetch(wanted: Download, progress: bool) -> Path:
    import pooch
    import requests

    place = folder() / wanted.name
    remembered = place.with_name(f"{place.name}.sha256")
    pooch.get_logger().setLevel("WARNING")
    try:
        known = wanted.checksum or (remembered.read_text().strip() if remembered.exists() else None)
        if place.exists() and known is None:
            found = str(place)  # put there by hand, and nobody has published what it should be
        else:
            loader = pooch.HTTPDownloader(progressbar=progress, timeout=30)
            found = pooch.retrieve(wanted.url, known, wanted.name, folder(), downloader=loader)
        if wanted.checksum is None and not remembered.exists():
            remembered.write_text(f"sha256:{pooch.file_hash(found)}\n")
    except requests.RequestException as problem:
        why = f"cannot download {wanted.url} ({_reason(problem)})"
        raise NotFetched(why, f"fetch it elsewhere and put it at {place}") from None
    except ValueError:  # pooch keeps nothing whose checksum is wrong
        raise DataError(
            f"got another file than {wanted.name} from {wanted.url}: its checksum differs, and nothing was kept"
        ) from None
    except OSError as problem:
        why = f"cannot keep or read {wanted.name} ({problem.strerror or type(problem).__name__})"
        raise NotFetched(why, f"its place is {place}") from None
    return Path(found)


def _reason(problem: Exception) -> str:
    import requests

    if isinstance(problem, requests.HTTPError) and problem.response is not None:
        return f"the server says {problem.response.status_code}"
    return "it took too long" if isinstance(problem, requests.Timeout) else "there is no connection to it"
