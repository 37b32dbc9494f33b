"""What to run: frozen descriptions that check themselves and have one canonical JSON form.

The hash of that form and of the engine's version is a run's id. URL parameters, command-line flags, the
key of a stored run and test fixtures are all this one form.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Integral, Real
from typing import Any, Self

from .catalogue import UnknownName, full_name, losses, methods, noises, schedules
from .catalogue.registry import Registry
from .keeping import once
from .version import ENGINE_VERSION

MOST_LAMBDAS = 1_000
MOST_SEEDS = 1_000
LARGEST_SEED = 2**32 - 1


RANDOM, ZERO = STARTS = ("random", "zero")

PAPER_ITERATIONS, PAPER_EVAL_SIZE = 100_000, 1_000_000
USUAL_SEEDS = 5
USUAL_METHOD = "spl+"  # that one step size is checked for, unless another is named
RECOMMENDED_METHODS = (USUAL_METHOD, "spl-u")  # of which one is recommended, with its step size
_PAPER_METHODS = ("sgm", "spl", "spl+")
_OF_DATA = ("data", "dim", "sample_size", "nonzeros", "test")  # fields that only have a meaning together


class SpecError(ValueError):
    """A description that cannot be run. The message names the field, its value and what is allowed."""


class OutOfRange(SpecError):
    """A count that is too small or too large; who allows fewer says so with their own bound."""

    def __init__(self, field: str, count: int, least: int, most: int) -> None:
        super().__init__(f"{field} is {count:,}, but it must lie between {least:,} and {most:,}")
        self._field, self._count, self._least = field, count, least

    def within(self, most: int) -> OutOfRange:
        return OutOfRange(self._field, self._count, self._least, most)


def paper_grid() -> tuple[float, ...]:
    """Return the paper's 15 step sizes: 10^-6 … 10^4 by decades, and half decades around 1."""
    exponents = {float(k) for k in range(-6, 5)} | {-1.5, -0.5, 0.5, 1.5}
    return tuple(10.0**k for k in sorted(exponents))


def usual_methods(on_data: bool) -> tuple[str, ...]:
    """Return the methods that a person is offered first: the paper's, and on data ours, which is made for columns.

    >>> usual_methods(on_data=True)
    ('sgm', 'spl', 'spl+', 'spl-u')
    """
    return (*_PAPER_METHODS, "spl-u") if on_data else _PAPER_METHODS


@dataclass(frozen=True)
class ProblemSpec:
    """A CVaR problem.

    With ``data`` set, P is the empirical distribution of arrays with that digest, and only loss, beta,
    scale, dim, ``sample_size`` (their number of rows), ``nonzeros`` (if they are sparse) and ``test`` (the digest of
    held-out rows, if there are any) have a meaning.

    ``start`` says where runs begin: "random", θ_0 ~ N(0, I) as in the paper, which is kept as ``None``; or "zero",
    θ_0 = 0. In both α_0 ~ U(0, 1).

    ``loss_params`` are those of the loss; its defaults are kept as ``None``.

    ``mix`` = μ makes it (1 − μ)·mean + μ·CVaR: 0 is the mean, and 1, the paper's, is kept as ``None``.
    """

    loss: str = "squared"
    noise: str | None = "lognormal"
    beta: float = 0.95
    dim: int = 10
    eval_size: int = 100_000
    seed: int = 0
    noise_params: Mapping[str, float] | None = None
    scale: float = 1.0
    sample_size: int | None = None
    data: str | None = None
    nonzeros: int | None = None
    test: str | None = None
    start: str | None = None
    loss_params: Mapping[str, float] | None = None
    mix: float | None = None

    def __post_init__(self) -> None:
        loss = losses[_as_name("loss", self.loss, losses)]
        chosen = _parameters("loss", loss.name, loss.parameters, loss.between, self.loss_params)
        self._set("loss_params", None if chosen == loss.parameters else chosen)
        self._set("beta", _number("beta", self.beta))
        if not 0 <= self.beta < 1:
            raise SpecError(
                f"beta is {self.beta:g}, but it must satisfy 0 ≤ beta < 1 (0.95 averages the worst 5% of the losses)"
            )
        self._set("scale", _number("scale", self.scale))
        if not 1e-12 <= self.scale <= 1e12:
            raise SpecError(f"scale is {self.scale:g}, but it must lie between 1e-12 and 1e12")
        self._set("dim", _count("dim", self.dim, 1, 10_000_000))
        if self.start is not None and _as_name("start", self.start, STARTS) == RANDOM:
            self._set("start", None)
        self._set("mix", _share_of_tail(self.mix))
        if self.data is not None:
            for name in ("noise", "noise_params"):
                self._set(name, None)
            self._set("seed", 0)
            self._set("sample_size", _count("sample_size", self.sample_size, 1, 10**9))
            self._set("eval_size", self.sample_size)
            if self.nonzeros is not None:
                self._set("nonzeros", _count("nonzeros", self.nonzeros, 0, 10**12))
            return
        for name in ("nonzeros", "test"):
            self._set(name, None)
        noise = noises[_as_name("noise", self.noise, noises)]
        between = dict.fromkeys(noise.positive, (0.0, math.inf))
        self._set("noise_params", _parameters("noise", noise.name, noise.parameters, between, self.noise_params))
        self._set("seed", _count("seed", self.seed, 0, LARGEST_SEED))
        if self.sample_size is not None:
            self._set("sample_size", _count("sample_size", self.sample_size, 1, 10_000_000))
            self._set("eval_size", self.sample_size)  # P is the sample, so that is what is evaluated
        self._set("eval_size", _count("eval_size", self.eval_size, 1, 10_000_000))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def tail_weight(self) -> float:
        """μ, what CVaR counts for in the risk; 1 − μ is what the mean does."""
        return 1.0 if self.mix is None else self.mix

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash(canonical(self))

    @once
    def full_loss(self) -> str:
        """What the catalogue has the loss by, with its parameters."""
        return full_name(self.loss, self.loss_params)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types; those that have no meaning here are left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make the spec of what ``to_dict`` returned; a field that is unknown or wrong gets a sentence."""
        return cls(**_known(cls, given))


@dataclass(frozen=True)
class SweepSpec:
    """A sweep: every method with every step size from every seed, on one problem."""

    problem: ProblemSpec
    methods: tuple[str, ...] = _PAPER_METHODS
    lambdas: tuple[float, ...] = paper_grid()
    iterations: int = 10_000
    seeds: tuple[int, ...] = tuple(range(USUAL_SEEDS))  # a number n stands for seeds 0 … n−1
    schedule: str = "decreasing"
    checkpoints: int = 26

    def __post_init__(self) -> None:
        if not isinstance(self.problem, ProblemSpec):
            raise SpecError(f"problem is {self.problem!r}, but it must be a ProblemSpec")
        names = _listed(self.methods)
        if not names:
            raise SpecError(f"methods is empty; choose from {', '.join(methods.names())}")
        for name in names:
            if name not in methods:
                raise SpecError(f"methods is {name!r}, but {_why(name)}")
        self._set("methods", tuple(dict.fromkeys(names)))
        self._set("lambdas", _step_sizes(self.lambdas))
        self._set("iterations", _count("iterations", self.iterations, 1, 10**9))
        self._set("seeds", _seeds(self.seeds))
        schedules[_as_name("schedule", self.schedule, schedules)]
        self._set("checkpoints", _count("checkpoints", self.checkpoints, 1, 1_000))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        return {**asdict(self), "problem": self.problem.to_dict()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make the spec of what ``to_dict`` returned; a field that is unknown or wrong gets a sentence."""
        values = _known(cls, given)
        values["problem"] = ProblemSpec.from_dict(values.get("problem", {}))
        return cls(**values)

    @once
    def id(self) -> str:
        """The id of the run: a hash of this spec, of the engine's version, and of the code of what is not built in."""
        return hashlib.sha256(":".join([str(ENGINE_VERSION), canonical(self), *self._stamps]).encode()).hexdigest()[:16]

    @property
    def _stamps(self) -> list[str]:
        """What tells losses, noises and methods of other packages from others of their names; none is built in."""
        noise = [] if self.problem.noise is None else [noises.stamp(self.problem.noise)]
        found = [losses.stamp(self.problem.loss), *noise, *(methods.stamp(name) for name in self.methods)]
        return [stamp for stamp in found if stamp is not None]

    @once
    def family(self) -> str:
        """What the records of one trajectory depend on beside its method, its seed and its step size, hashed.

        Sweeps of one family that have a method, a seed and a step size in common have the same bits there.
        """
        shared = [ENGINE_VERSION, self.problem.to_dict(), self.schedule, self.checkpoint_iterations, *self._stamps]
        return hashlib.sha256(json.dumps(shared, sort_keys=True, allow_nan=False).encode()).hexdigest()[:16]

    @once
    def checkpoint_iterations(self) -> tuple[int, ...]:
        """The iteration counts at which the objective is recorded: the start, then log-spaced ones."""
        if self.checkpoints == 1:
            return (0, self.iterations)
        top = math.log10(self.iterations)
        spaced = (round(10 ** (top * k / (self.checkpoints - 1))) for k in range(self.checkpoints))
        return (0, *sorted({*spaced, self.iterations}))


def faults(given: Mapping[str, Any], most: Mapping[str, int] | None = None) -> dict[str, str]:
    """Return every field of a sweep's description that cannot be run, with a sentence that says what is allowed.

    Each field is tried by itself, beside defaults: a form can then say all that is wrong, each thing in its place. Who
    allows less than a spec does gives the ``most`` of a field, which the sentence then has.

    >>> faults({"iterations": 0, "problem": {"beta": 0.9}}, {"iterations": 1_000})
    {'iterations': 'iterations is 0, but it must lie between 1 and 1,000'}
    """
    found: dict[str, str] = {}

    def attempt(field: str, make: Callable[[], object]) -> None:
        try:
            make()
        except OutOfRange as wrong:
            found[field] = str(wrong if most is None or field not in most else wrong.within(most[field]))
        except SpecError as wrong:
            found[field] = str(wrong)

    problem = dict(given.get("problem", {}))
    data = {} if problem.get("data") is None else {name: problem[name] for name in _OF_DATA if name in problem}
    for name, value in problem.items():
        alone = {**data, name: value}
        for whose, known in (("noise", noises.names()), ("loss", losses.names())):
            if name == f"{whose}_params" and problem.get(whose) in known:
                alone[whose] = problem[whose]
        attempt(name, functools.partial(ProblemSpec.from_dict, alone))
    for name, value in given.items():
        if name != "problem":
            attempt(name, functools.partial(SweepSpec.from_dict, {name: value}))
    return found


def canonical(spec: ProblemSpec | SweepSpec) -> str:
    """Return the one JSON text of ``spec``."""
    return json.dumps(spec.to_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _known(cls: type, given: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise SpecError(f"a {cls.__name__} is made from a JSON object, not from {type(given).__name__}")
    names = [field.name for field in fields(cls)]
    unknown = sorted(set(given) - set(names), key=str)
    if unknown:
        raise SpecError(f"unknown field {unknown[0]!r}; the fields are {', '.join(names)}")
    return dict(given)


def _as_name(field: str, value: object, allowed: tuple[str, ...] | Registry[Any]) -> str:
    if not isinstance(value, str) or value not in allowed:
        names = allowed.names() if isinstance(allowed, Registry) else allowed
        raise SpecError(f"{field} is {value!r}, but it must be one of {', '.join(names)}")
    return value


def _why(method: object) -> str:
    """Say what is wrong with a method's name: that it is none, or how it is composed of a model and a rule."""
    try:
        methods[str(method)]
    except UnknownName as unknown:
        if "@" in str(method):
            return str(unknown)
    return f"it must be one of {', '.join(methods.names())}"


def _number(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SpecError(f"{field} is {value!r}, but it must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise SpecError(f"{field} is {number}, but it must be a finite number")
    return number


def _share_of_tail(value: object) -> float | None:
    if value is None:
        return None
    mix = _number("mix", value)
    if not 0 <= mix <= 1:
        raise SpecError(
            f"mix is {mix:g}, but it must lie between 0 and 1 (0.3 weighs CVaR with 0.3 and the mean with 0.7)"
        )
    return None if mix == 1 else mix + 0.0  # of −0 and 0 one form


def _count(field: str, value: Any, least: int, most: int) -> int:
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise SpecError(f"{field} is {value!r}, but it must be a whole number")
    count = int(value)
    if not least <= count <= most:
        raise OutOfRange(field, count, least, most)
    return count


def _listed(values: Any) -> tuple[Any, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return (values,)
    try:
        return tuple(values)
    except TypeError:  # an array of no dimension calls itself iterable
        return (values,)


def step_size(field: str, value: object) -> float:
    """Return a step size that is called ``field`` where it comes from, or say what is wrong with it."""
    lam = _number(field, value)
    if not 1e-12 <= lam <= 1e12:
        raise SpecError(f"{field} is {lam:g}, but a step size must lie between 1e-12 and 1e12")
    return lam


def _step_sizes(values: Any) -> tuple[float, ...]:
    checked = set()
    for value in _listed(values):
        checked.add(step_size("one of lambdas", value))
        if len(checked) > MOST_LAMBDAS:
            raise SpecError(f"there are more than {MOST_LAMBDAS:,} lambdas; give at most {MOST_LAMBDAS:,}")
    if not checked:
        raise SpecError("lambdas is empty; give at least one step size")
    return tuple(sorted(checked))


def _seeds(values: Any) -> tuple[int, ...]:
    given = range(_count("seeds", values, 1, MOST_SEEDS)) if not isinstance(values, Iterable) else _listed(values)
    checked = tuple(dict.fromkeys(_count("one of seeds", value, 0, LARGEST_SEED) for value in given))
    if not 1 <= len(checked) <= MOST_SEEDS:
        raise SpecError(f"there are {len(checked):,} seeds; give between 1 and {MOST_SEEDS:,}")
    return checked


def _parameters(
    kind: str,
    name: str,
    usual: Mapping[str, float],
    between: Mapping[str, tuple[float, float]],
    given: Mapping[str, float] | None,
) -> dict[str, float]:
    """Return all parameters of a loss or a noise: those that are given, and the usual ones for the rest."""
    if given is not None and not isinstance(given, Mapping):
        raise SpecError(f"{kind}_params is {given!r}, but it must map names to numbers")
    values = dict(usual)
    for key, value in (given or {}).items():
        if key not in values:
            raise SpecError(f"{name} {kind} has no parameter {key!r}; it has {', '.join(values) or 'none'}")
        values[key] = _number(f"{name} {kind}'s {key}", value)
        low, high = between.get(key, (-math.inf, math.inf))
        if not low < values[key] < high:
            allowed = f"be above {low:g}" if high == math.inf else f"satisfy {low:g} < {key} < {high:g}"
            raise SpecError(f"{name} {kind}'s {key} is {values[key]:g}, but it must {allowed}")
        if abs(values[key]) > 1e6:
            raise SpecError(f"{name} {kind}'s {key} is {values[key]:g}, but it must be at most 1e6 in size")
    return values
