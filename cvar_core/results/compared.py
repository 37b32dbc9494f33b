"""Two methods compared, start by start: they share starts and samples, so that luck cancels."""

from __future__ import annotations

from dataclasses import dataclass

from .certainty import mean_interval


@dataclass(frozen=True)
class Comparison:
    """How many more decades of λ one method forgives than another.

    Attributes
    ----------
    differences
        The decades that ``first`` forgives less those that ``second`` does, of each start.
    measure
        By which runs are judged.
    first_cut, second_cut
        Whether the grid cut a start of that method short, so that it may forgive more than is known.
    """

    first: str
    second: str
    measure: str
    differences: tuple[float, ...]
    first_cut: bool = False
    second_cut: bool = False

    @property
    def difference(self) -> float:
        """The mean over the starts."""
        return sum(self.differences) / len(self.differences)

    @property
    def low(self) -> float:
        """The lower end of Student's 90% interval for that mean."""
        return mean_interval(self.differences).low

    @property
    def high(self) -> float:
        return mean_interval(self.differences).high

    @property
    def agree(self) -> int:
        """For how many starts the difference has the sign of the mean."""
        return sum(each * self.difference > 0 for each in self.differences)

    @property
    def told_apart(self) -> bool:
        """Whether the interval excludes 0, and the lesser of the two is known to its end: only then is it claimed."""
        return (self.low > 0 and not self.second_cut) or (self.high < 0 and not self.first_cut)
