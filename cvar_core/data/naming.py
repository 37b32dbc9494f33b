"""Names of columns, told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def told_apart(names: Sequence[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """Return names of which no two are the same, nor one of those that are taken: a number tells them apart.

    >>> told_apart(["size", "loss", "size", "loss.1"], taken=["loss"])
    ('size', 'loss.2', 'size.1', 'loss.1')
    """
    given, reserved = set(taken), {*taken, *names}
    found = []
    counts: dict[str, int] = {}
    for name in names:
        fresh = name
        while fresh in given:
            counts[name] = counts.get(name, 0) + 1
            fresh = f"{name}.{counts[name]}"
            if fresh in reserved:
                fresh = name
        given.add(fresh)
        found.append(fresh)
    return tuple(found)
