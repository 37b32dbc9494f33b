"""A bar for each method along the λ axis: its usable step sizes, in rows of their own below the curves."""

from __future__ import annotations

from typing import Any

from ..results import UsableRange
from .axes import Span
from .palette import TEXT_SIZE, Theme, ink, style
from .series import Trace

AXIS = "y3"
_ROW = 0.052  # of the height, for each method
_MOST = 0.25
_APART = 0.02  # of the height, between the curves and the rows


class RangeBars:
    """The rows, from the first method on top to the last."""

    def __init__(
        self,
        found: dict[str, UsableRange | None],
        best: dict[str, float | None],
        x_span: Span,
        *,
        going: bool = False,
    ) -> None:
        self._found, self._best, self._x_span = found, best, x_span
        self._none = " none yet" if going else " none"

    @property
    def height(self) -> float:
        """Of the chart's height, with what parts them from the curves."""
        return min(_ROW * (len(self._found) + 0.4), _MOST) + _APART

    @property
    def axis(self) -> dict[str, Any]:
        ends = [0.3 - len(self._found), 0.7]
        return {"domain": [0, self.height - _APART], "range": ends, "fixedrange": True, "visible": False}

    def traces(self, theme: Theme) -> list[Trace]:
        return [self._bar(method, -row, theme) for row, method in enumerate(self._found)]

    def _bar(self, method: str, row: float, theme: Theme) -> Trace:
        """Return a bar with the method's marker at its best λ, and an arrow where the grid ended before it did."""
        look, found = style(method, theme.name), self._found[method]
        trace: Trace = {
            "type": "scatter",
            "uid": f"{method}-range",
            "meta": method,
            "name": method,
            "legendgroup": method,
            "yaxis": AXIS,
            "hoverinfo": "skip",
            "showlegend": False,
            "cliponaxis": False,
        }
        outline = {"width": 1.5, "color": theme.surface}
        if found is None:
            font = {"size": TEXT_SIZE - 2, "color": ink(method, theme.name)}
            marker = {"symbol": f"{look.marker}-open", "size": 8, "color": look.colour}
            words = {"text": [self._none], "textposition": "middle right", "textfont": font}
            left = self._x_span.low * 10 ** (0.02 * self._x_span.decades)
            return {**trace, "mode": "markers+text", "x": [left], "y": [row], "marker": marker, **words}
        best = self._best[method]
        middle = best if best is not None and best in found else (found.low * found.high) ** 0.5
        ends = ["triangle-left" if found.open_low else "line-ns", "triangle-right" if found.open_high else "line-ns"]
        sizes = [11 if found.open_low else 0, 10, 11 if found.open_high else 0]
        return {
            **trace,
            "mode": "lines+markers",
            "x": [found.low, middle, found.high],
            "y": [row] * 3,
            "line": {"width": 6, "color": look.colour},
            "marker": {
                "symbol": [ends[0], look.marker, ends[1]],
                "size": sizes,
                "opacity": 1,
                "color": look.colour,
                "line": {**outline, "width": [0, 1.5, 0]},
            },
        }
