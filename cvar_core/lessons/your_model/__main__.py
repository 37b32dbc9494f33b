"""Compute the study that ships, and write it: ``python -m cvar_core.lessons.your_model`` (some minutes)."""

from __future__ import annotations

from tqdm import tqdm

from ...single_thread import one_thread
from .digit_study import SHIPPED_STUDY, begin
from .shipped_digits import SHIPPED_FILE, packed_study

if __name__ == "__main__":
    with one_thread():
        growing = begin(SHIPPED_STUDY)
        with tqdm(total=growing.count, unit="training", disable=None) as bar:
            while not growing.complete:
                bar.update(growing.advance(1.0))
    study = growing.so_far().plan
    SHIPPED_FILE.write_bytes(packed_study(study))
    print(study)
