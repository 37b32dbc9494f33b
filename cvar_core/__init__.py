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
from .results import Result, Sharpened, Verdict
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
    "Recommendation",
    "Result",
    "Sharpened",
    "SpecError",
    "SweepSpec",
    "Tail",
    "Verdict",
    "__version__",
    "check",
    "decide",
    "load",
    "paper_grid",
    "recommend",
    "sharpen",
    "sweep",
    "tail",
]
