"""Step-size sensitivity of SGM, SPL and SPL+ on the CVaR objective.

>>> from cvar_core import Problem, sweep
>>> problem = Problem.synthetic(loss="squared", noise="normal", eval_size=1_000)
>>> sweep(problem, iterations=100, seeds=1).best_lambda("spl+") is not None
True
"""

from .api import check, sweep
from .cancel import Cancelled
from .data import DataError, Dataset, load
from .problem import Optimum, Problem
from .recommending import Recommendation, recommend
from .results import Result, Verdict
from .specs import ProblemSpec, SpecError, SweepSpec, paper_grid
from .version import __version__

__all__ = [
    "Cancelled",
    "DataError",
    "Dataset",
    "Optimum",
    "Problem",
    "ProblemSpec",
    "Recommendation",
    "Result",
    "SpecError",
    "SweepSpec",
    "Verdict",
    "__version__",
    "check",
    "load",
    "paper_grid",
    "recommend",
    "sweep",
]
