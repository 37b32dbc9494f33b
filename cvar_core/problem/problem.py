"""A CVaR problem: where samples come from, and what a point (θ, α) is worth."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from torch import Tensor, nn

from ..cancel import Stop
from ..catalogue import Loss, losses
from ..specs import ProblemSpec, SpecError
from .constant import best_constant
from .floor import floor
from .given import checked, column_names, digest, scaled, vector
from .ground import Arrays, Ground, Start
from .magnitudes import ensure_magnitudes
from .optimum import Optimum, minimise
from .population import population_risk


class Named(NamedTuple):
    """What a problem's data are called."""

    columns: tuple[str, ...] | None = None
    labels: tuple[Any, Any] | None = None


class Problem:
    """Minimise CVaR_β of ℓ(θ; x, y), or its mix with the mean, over θ. Made with ``synthetic`` or ``from_arrays``."""

    def __init__(
        self, spec: ProblemSpec, arrays: Arrays | None = None, test: Arrays | None = None, named: Named | None = None
    ) -> None:
        if (arrays is None) != (spec.data is None) or (test is None) != (spec.test is None):
            raise SpecError("a problem on data is made with Problem.from_arrays, which takes the arrays")
        self.spec = spec
        self._arrays = arrays
        self._test = test
        self._named = named or Named()
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.RLock()
        self._optimum: Optimum | None = None
        self._ground = Ground(self.spec, self._arrays, self._test)

    @property
    def ground(self) -> Ground:
        """For the engine: the points, the starts and the samples."""
        return self._ground

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the coordinates of θ, where the data have any."""
        return self._named.columns

    @property
    def labels(self) -> tuple[Any, Any] | None:
        """Of classification on data, the labels that became −1 and +1."""
        return self._named.labels

    def __getstate__(self) -> dict[str, Any]:
        return {
            "spec": self.spec,
            "_arrays": self._arrays,
            "_test": self._test,
            "_named": self._named,
        }  # everything else is made again from these

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def __repr__(self) -> str:
        return f"Problem({', '.join(f'{k}={v!r}' for k, v in self.spec.to_dict().items())})"

    @classmethod
    def synthetic(
        cls,
        loss: str = "squared",
        noise: str = "lognormal",
        beta: float = 0.95,
        dim: int = 10,
        eval_size: int = 100_000,
        seed: int = 0,
        noise_params: Mapping[str, float] | None = None,
        scale: float = 1.0,
        sample_size: int | None = None,
        start: str | None = None,
        loss_params: Mapping[str, float] | None = None,
        mix: float | None = None,
    ) -> Problem:
        """Make one of the paper's synthetic problems.

        Parameters
        ----------
        beta
            The confidence level: 0.95 averages the worst 5% of the losses.
        eval_size
            How many points the objective is evaluated on.
        seed
            Fixes the generating parameters and the evaluation set.
        scale
            Multiplies the loss: its unit of money.
        sample_size
            Makes P the empirical distribution of that many drawn points.
        start
            "random" begins at θ_0 ~ N(0, I), as the paper does and as is the default; "zero" at θ_0 = 0.
        loss_params
            Those of the loss that are not to be its defaults, such as ``{"knee": 2.0}`` of huber loss.
        mix
            Minimises (1 − mix)·mean + mix·CVaR: 1, the paper's and the default, is CVaR; 0 is the mean.

        >>> problem = Problem.synthetic(loss="absolute", noise="normal", eval_size=1_000)
        >>> problem.optimum().value < 6
        True
        """
        return cls(
            ProblemSpec(
                loss, noise, beta, dim, eval_size, seed, noise_params, scale, sample_size, start=start,
                loss_params=loss_params, mix=mix,
            )
        )  # fmt: skip

    @classmethod
    def from_arrays(
        cls,
        X: Any,  # noqa: N803
        y: Any,
        loss: str = "squared",
        beta: float = 0.95,
        scale: float = 1.0,
        *,
        test: tuple[Any, Any] | None = None,
        start: str | None = None,
        loss_params: Mapping[str, float] | None = None,
        mix: float | None = None,
        standardise: bool = False,
        intercept: bool = False,
        columns: Sequence[str] | None = None,
    ) -> Problem:
        """Make the problem whose P is the empirical distribution of the rows of X with targets y.

        Parameters
        ----------
        X
            Numbers: an array, a list of rows, a DataFrame, a torch tensor; or a sparse matrix of scipy or torch, which
            stays sparse.
        y
            Targets; for classification two labels, which may be texts, and of which the smaller becomes −1.
        test
            A pair like (X, y) that no run is trained on, and that every run is measured on.
        start, loss_params, mix
            Those of ``synthetic``. In columns of any size a random start is so bad that closing most of its gap means
            little.
        standardise, intercept
            Scale the columns by the training rows' means and deviations (sparse ones are not centred); add a column of
            ones.
        columns
            Names of the columns; a DataFrame has its own.

        >>> problem = Problem.from_arrays([[1.0], [2.0], [4.0]], ["no", "yes", "yes"], "logistic", intercept=True)
        >>> problem.spec.dim, problem.labels
        (2, ('no', 'yes'))
        """
        given = checked(X, y, loss)
        if columns is not None:
            given = given._replace(columns=column_names(columns, given.matrix.shape[1]))
        tested = None if test is None else checked(*test, loss, like=given)
        if tested is not None and tested.matrix.shape[1] != given.matrix.shape[1]:
            raise SpecError(
                f"the test rows have {tested.matrix.shape[1]:,} columns, but X has {given.matrix.shape[1]:,}"
            )
        if standardise or intercept:
            given, by = scaled(given, standardise, intercept, None)
            tested = None if tested is None else scaled(tested, standardise, intercept, by)[0]
        matrix, target, names, labels = given
        held_out = None if tested is None else tested[:2]
        ensure_magnitudes(matrix, target, names)
        rows, dim = matrix.shape
        spec = ProblemSpec(
            loss=loss,
            beta=beta,
            dim=dim,
            scale=scale,
            sample_size=rows,
            data=digest(matrix, target),
            nonzeros=None if isinstance(matrix, Tensor) else int(matrix.nnz),
            test=None if held_out is None else digest(*held_out),
            start=start,
            loss_params=loss_params,
            mix=mix,
        )
        return cls(spec, (matrix, target), held_out, Named(names, None if labels is None else tuple(labels)))

    @classmethod
    def from_torch(
        cls,
        loss_fn: Callable[..., Tensor],
        data: tuple[Any, Any],
        dim: int | None = None,
        module: nn.Module | None = None,
        beta: float = 0.95,
        scale: float = 1.0,
        *,
        start: str | None = None,
        mix: float | None = None,
        optimum: Any = None,
        convex: bool = False,
    ) -> Problem:
        """Make a problem of any loss that torch can differentiate; P is the empirical distribution of the data.

        Sweeps, measures, intervals and charts are those of any problem; runs are stepped in torch, all step sizes at
        once, at some thousand updates a second instead of millions. It lives in this process alone: a store does not
        find its runs again, and neither links, nor the command line, nor the tail's rows know of it.

        Parameters
        ----------
        loss_fn
            (θ, x, y) ↦ the loss of one sample, a number that is not negative; with a module (outputs, y) ↦ the same. It
            is given to ``torch.func``: no branches on values, no ``item()``.
        data
            (X, y), of any shapes with as many rows.
        dim, module
            The length of θ, which then starts as in ``from_arrays``; or a module whose parameters, in float64, are θ,
            and where they are is θ_0 for every seed, so that seeds differ by their samples alone.
        optimum
            θ*, if it is known. Otherwise F* is the best that L-BFGS finds, so that a gap may be negative where the loss
            is not convex.
        convex
            Whether the loss is convex in θ: then F* has a bound from below, ``optimum().gap``, for every θ within
            10 (1 + ‖θ*‖) of it.

        >>> data = [[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]
        >>> problem = Problem.from_torch(lambda theta, x, y: (x @ theta - y) ** 2, data, dim=2, beta=0.5)
        >>> problem.risk([0.0, 1.0])
        1.0
        """
        from .own_problem import own_problem

        return own_problem(
            loss_fn, data, dim, module, optimum=optimum, convex=convex, beta=beta, scale=scale, start=start, mix=mix
        )

    def under(
        self,
        loss: str,
        beta: float,
        scale: float = 1.0,
        start: str | None = None,
        loss_params: Mapping[str, float] | None = None,
        mix: float | None = None,
    ) -> Problem:
        """Return the problem of the same data, which are shared, with another loss of its task, β, unit, start, mix."""
        if loss not in losses or losses[loss].task != self.loss.task:
            allowed = ", ".join(each.name for each in losses if each.task == self.loss.task)
            raise SpecError(f"loss is {loss!r}, but on these targets it must be one of {allowed}")
        spec = replace(self.spec, loss=loss, beta=beta, scale=scale, start=start, loss_params=loss_params, mix=mix)
        return Problem(spec, self._arrays, self._test, self._named)

    def in_unit(self, scale: float) -> Problem:
        """Return the problem with its loss in another unit. Points and samples do not depend on it, and are shared."""
        other = Problem(replace(self.spec, scale=scale), self._arrays, self._test, self._named)
        other._ground = self.ground.in_unit(scale)
        return other

    @property
    def loss(self) -> Loss:
        """The loss, as the registry has it, with its parameters."""
        return losses[self.spec.full_loss]

    @property
    def theta_gen(self) -> Tensor:
        """The parameters that generated a synthetic problem's data, shape (dim,)."""
        return self.ground.theta_gen

    def start(self, seed: int) -> Start:
        """Return where the runs of a seed begin: θ_0, α_0 and ℓ_0, the mean loss at θ_0."""
        return self.ground.start(seed)

    def losses(self, theta: Any) -> Tensor:
        """Return the losses of all points at θ (a tensor, an array or a list), shape (count,)."""
        points = self.ground.points
        return self.spec.scale * self.loss.value(points.predict(vector("theta", theta, self.spec.dim)), points.target)

    def objective(self, theta: Any, alpha: float) -> float:
        """Return F̃(θ, α) = (1 − μ)·mean + μ·(α + Σ max(ℓ_i − α, 0)/((1 − β)N)) for the mix μ, which is 1 unless given.

        θ is a tensor, an array or a list.

        >>> problem = Problem.from_arrays([[1.0], [1.0]], [0.0, 4.0], loss="absolute", beta=0.5)
        >>> problem.objective([0.0], 1.0), problem.risk([0.0])
        (4.0, 4.0)
        """
        thetas = vector("theta", theta, self.spec.dim).unsqueeze(0)
        return float(self.ground.objectives(thetas, vector("alpha", [alpha], 1)))

    def risk(self, theta: Any) -> float:
        """Return R(θ), the least F̃(θ, α) over α: CVaR_β of the losses at θ, or its mix with their mean."""
        return float(self.ground.risks(vector("theta", theta, self.spec.dim).unsqueeze(0)))

    def optimum(self, stop: Stop | None = None) -> Optimum:
        """Return the minimum of F̃: ``.value``, ``.theta``, ``.alpha`` and a certified ``.gap``."""
        with self._lock:
            if self._optimum is not None:
                return self._optimum
        points = self.ground.points
        scale, beta, mix, real_data = self.spec.scale, self.spec.beta, self.spec.tail_weight, self.spec.data is not None
        found = minimise(points, self.loss, beta, stop, real_data, mix)
        gap = None if found.gap is None else scale * found.gap
        decides = self.loss.task == "regression" or bool(found.theta.any())
        measured = tuple(self.ground.measures(found.theta.unsqueeze(0), stop)[0].tolist()) if decides else ()
        best = Optimum(scale * found.value, found.theta, scale * found.alpha, gap, found.attained, measured)
        constant = best_constant(points.target, self.loss, beta, mix) if real_data else None
        best = replace(best, floor=floor(self, best, stop), constant=None if constant is None else scale * constant)
        population_risk(self.spec)  # asked for with F*: a table that nobody should wait for later
        self._optimum = best
        return best
