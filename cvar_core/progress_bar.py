"""The progress of work on a bar, in a terminal and in a notebook."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .scheduling import Progress
from .specs import SpecError

Report = Callable[[Progress], None]


class Shown:
    """Takes progress as it is reported: shows it, passes it on, and knows the updates that were taken."""

    def __init__(self, bar: Any = None, report: Report | None = None) -> None:
        self._bar, self._report = bar, report
        self.updates = 0

    def __call__(self, progress: Progress) -> None:
        self.updates = progress.updates
        if self._bar is not None:
            self._bar.set_description_str(progress.stage, refresh=False)
            self._bar.n = round(100 * progress.share, 1)
            self._bar.refresh()
        if self._report is not None:
            self._report(progress)


@contextmanager
def shown(progress: bool | None, report: Report | None = None) -> Iterator[Shown]:
    """Show a bar if ``progress`` is true, and with ``None`` only on a terminal; pass what is reported on to ``report``.

    >>> with shown(False, print) as told:
    ...     told(Progress("sweep", 0.5))
    Progress(stage='sweep', share=0.5, updates=0)
    """
    if progress not in (True, False, None):
        raise SpecError(f"progress is {progress!r}, but it must be True or False")
    if report is not None and not callable(report):
        raise SpecError(f"report is {report!r}, but it must be something that can be called with the progress")
    if progress is False:
        yield Shown(None, report)
        return
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # a notebook without widgets has a bar of text
        from tqdm.auto import tqdm
    disable = None if progress is None else False
    with tqdm(total=100, disable=disable, leave=False, bar_format="{desc} {bar} {n:3.0f}% {elapsed}") as bar:
        yield Shown(bar, report)
