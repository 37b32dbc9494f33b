"""The numbers that an engine version stands for: sample streams, steps and whole runs, kept in ``golden.json``.

A stored run goes on from its state with the samples of its seed. Where these are no longer what they were, it ends as a
run that no engine has ever computed, and nothing else would show it. ``golden_numbers`` says what is computed.

    python -m tests.engine.golden     # adds what is new, or writes all anew once ENGINE_VERSION is raised
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from cvar_core.version import ENGINE_VERSION
from tests.engine.golden_numbers import Entry, computed, recipe

FILE = Path(__file__).with_name("golden.json")


def read(file: Path = FILE) -> dict[str, Any]:
    """Return the file's engine version and entries."""
    return json.loads(file.read_text())


def name(entry: Entry) -> str:
    """Return a short name of an entry, which no other has."""

    def told(value: Any) -> str:
        return next(iter(value)) if isinstance(value, dict) else str(value)

    return "-".join([entry["kind"], *(told(value) for value in entry["of"].values() if value is not None)])


def difference(expected: Any, found: Any) -> str | None:
    """Say where ``found`` is not what was expected: to 10⁻⁷ in floating-point numbers, exactly in all else.

    Machines differ in the last bits of a sum, and no more than that.
    """
    if isinstance(expected, dict):
        pairs = ((each, difference(expected[each], found.get(each))) for each in expected)  # more may be told by now
        return next((f"{each}: {said}" for each, said in pairs if said), None)
    if found is None:
        return "there is no such number any more"
    array = np.asarray(expected)
    if array.dtype.kind != "f":
        return None if found == expected else f"{found} instead of {expected}"
    try:
        np.testing.assert_allclose(found, array, rtol=1e-7, atol=1e-9 * float(np.abs(array).max()))
    except AssertionError as apart:
        return str(apart).strip()
    return None


def change(entry: Entry) -> str | None:
    """Say how the code at hand departs from an entry of the file."""
    try:
        return difference(entry["is"], computed(entry))
    except ValueError as refused:  # what it names is no longer registered, or no longer allowed
        return f"it cannot be computed any more: {refused}"


def write(file: Path = FILE, wanted: Iterable[Entry] | None = None) -> str:
    """Write the file: with the same engine version only what is new, and nothing if a number has changed."""
    known = read(file) if file.exists() else {"engine_version": 0, "entries": []}
    if known["engine_version"] > ENGINE_VERSION:
        raise SystemExit(f"{file.name} is of engine {known['engine_version']}, and the code of {ENGINE_VERSION} only")
    same = known["engine_version"] == ENGINE_VERSION
    before = {name(entry): entry for entry in known["entries"]} if same else {}
    changed = [each for each, entry in before.items() if change(entry)]
    if changed:
        raise SystemExit(
            f"the numbers of engine {ENGINE_VERSION} have changed, and stored runs would not know: raise ENGINE_VERSION"
            f" (cvar_core/version.py) first, if that is meant. Changed: {', '.join(changed)}"
        )
    asked = {name(entry): entry for entry in (recipe() if wanted is None else wanted)}
    new = [{**entry, "is": computed(entry)} for each, entry in asked.items() if each not in before]
    entries = [*before.values(), *new]
    lines = ",\n".join(json.dumps(entry, separators=(",", ":"), allow_nan=False) for entry in entries)
    file.write_text(f'{{"engine_version": {ENGINE_VERSION}, "entries": [\n{lines}\n]}}\n')
    return f"{file.name}: {len(new)} new of {len(entries)} entries of engine {ENGINE_VERSION}"


if __name__ == "__main__":
    sys.stdout.write(write() + "\n")
