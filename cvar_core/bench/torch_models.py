"""Section 1c: what a step on a torch model costs, beside torch's own optimisers: forward, backward and update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ..optim import SGM, SPL, SPLU, SPLPlus
from .measure import side_by_side, torch_threads
from .sizes import Sizes
from .text_table import Cell, table

_BATCH = 64
_OURS = {"SGM": SGM, "SPL": SPL, "SPL₊": SPLPlus, "SPL-U (ours)": SPLU}


def measure(sizes: Sizes, out: Callable[[str], None]) -> dict[str, Any]:
    """Time steps on one batch, the optimisers taking turns, on one thread."""
    width = sizes.torch_width
    with torch_threads(1):
        works = {name: _steps(make, width, sizes.repeats) for name, make in _contenders().items()}
        for _, work in works.values():
            work()  # the first finds scales and makes states
        took = side_by_side({name: work for name, (_, work) in works.items()}, 2 * sizes.repeats + 1)
    results = {
        name: {
            "milliseconds": 1e3 * seconds / sizes.repeats,
            "times_sgd": seconds / took["torch SGD"],
            "numbers_of_state": _numbers_of_state(works[name][0]),
        }
        for name, seconds in took.items()
    }
    count = sum(p.numel() for p in _network(width).parameters())
    rows: list[list[Cell]] = [
        [name, each["milliseconds"], each["times_sgd"], int(each["numbers_of_state"])] for name, each in results.items()
    ]
    out(
        table(
            f"1c. A step on a torch model of {count:,} parameters, batches of {_BATCH}, one thread",
            ["optimiser", "ms a step", "× torch SGD", "numbers of state"],
            rows,
            ["Forward, backward and update. torch's own minimise the mean; SPL-U finds its scales once, before."],
        )
    )
    return results


def _contenders() -> dict[str, Callable[[Any], Any]]:
    def descent(kind: Any) -> Callable[[Any], Any]:
        return lambda params: kind(params, lr=1e-3)

    ours = {name: (lambda params, kind=kind: kind(params, 0.9, 1e-3)) for name, kind in _OURS.items()}
    averaged = {"SPL₊ with an average": lambda params: SPLPlus(params, 0.9, 1e-3, average=0.999)}
    return {"torch SGD": descent(torch.optim.SGD), "torch Adam": descent(torch.optim.Adam), **ours, **averaged}


def _network(width: int) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))


def _steps(make: Callable[[Any], Any], width: int, steps: int) -> tuple[Any, Callable[[], None]]:
    model = _network(width)
    optimiser = make(model.parameters())
    x, y = torch.randn(_BATCH, width), torch.randn(_BATCH)

    def losses() -> Tensor:
        found: Tensor = (model(x)[:, 0] - y).square()
        return found

    def ours() -> None:
        for _ in range(steps):
            optimiser.step(losses)

    def usual() -> None:
        for _ in range(steps):
            optimiser.zero_grad()
            losses().mean().backward()
            optimiser.step()

    return optimiser, ours if type(optimiser).__module__.startswith("cvar_core") else usual


def _numbers_of_state(optimiser: Any) -> int:
    kept = [value for of in optimiser.state.values() for value in of.values() if value is not None]
    return sum(value.numel() if isinstance(value, Tensor) else 1 for value in kept)
