"""Which step size is safe when you minimise CVaR? SGM, SPL and SPL₊ compared, exactly and fast.

A `Problem` is what is minimised, synthetic or made of data (`Problem.from_arrays`, `Dataset.from_frame`, `load`).
`sweep` runs methods on it with many step sizes from several starts, and returns a `Result`. `check` says whether one λ
is safe, `recommend` which to take, and `sharpen` how many decades of λ a method forgives. What cannot be run raises
`SpecError`, with a sentence that says what is allowed.

>>> from cvar_core import Problem, check, cvar, sweep
>>> problem = Problem.synthetic(loss="absolute", noise="normal", eval_size=1_000)
>>> result = sweep(problem, lambdas=[0.01, 0.1, 1, 10], iterations=500, seeds=2)
>>> theta = result.theta("spl+", lam=1, seed=0)
>>> cvar(problem.losses(theta), beta=0.95) >= problem.optimum().value
True
>>> bool(check(problem, lam=1e-6, method="spl+", iterations=500, seeds=2))
False
"""

from .api import check, sweep
from .cancel import Cancelled
from .catalogue import losses, methods, noises, schedules
from .data import DataError, Dataset, load
from .problem import Optimum, Problem
from .problem.of_losses import cvar, var
from .recommending import Recommendation, recommend
from .results import Result, Sharpened, Verdict, Verdicts
from .scheduling import Progress
from .sharper import Decided, decide, sharpen
from .specs import ProblemSpec, SpecError, SweepSpec, paper_grid
from .tails import Tail, tail
from .version import __version__

__all__ = [
    "Cancelled",
    "DataError",
    "Dataset",
    "Decided",
    "Optimum",
    "Problem",
    "ProblemSpec",
    "Progress",
    "Recommendation",
    "Result",
    "Sharpened",
    "SpecError",
    "SweepSpec",
    "Tail",
    "Verdict",
    "Verdicts",
    "__version__",
    "check",
    "cvar",
    "decide",
    "load",
    "losses",
    "methods",
    "noises",
    "paper_grid",
    "recommend",
    "schedules",
    "sharpen",
    "sweep",
    "tail",
    "var",
]
