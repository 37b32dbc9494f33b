"""What is said of one step size for several methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .verdict import Verdict


class Verdicts(Mapping[str, Verdict]):
    """The verdicts on one λ by method, in the order in which they were asked for. It is true if λ is safe for all."""

    def __init__(self, each: Mapping[str, Verdict]) -> None:
        self._each = dict(each)

    def __getitem__(self, method: str) -> Verdict:
        return self._each[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    @property
    def safe(self) -> bool:
        """Whether λ is safe, or safe so far, for every method."""
        return all(each.safe for each in self.values())

    @property
    def sure(self) -> bool:
        """Whether it is so for every method without reserve."""
        return all(each.sure for each in self.values())

    def __bool__(self) -> bool:
        return self.safe

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))

    def __repr__(self) -> str:
        return f"<Verdicts: {', '.join(f'{name} {each.state}' for name, each in self.items())}>"
