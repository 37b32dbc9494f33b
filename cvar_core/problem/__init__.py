"""Problems: samples, the objective F̃_β and its optimum F*."""

from .measures import names as measure_names
from .objective import cvar, objective, tail_mass, var
from .optimum import Optimum
from .problem import Evaluation, Problem, Samples, Start
from .sketch import Sketch

__all__ = [
    "Evaluation",
    "Optimum",
    "Problem",
    "Samples",
    "Sketch",
    "Start",
    "cvar",
    "measure_names",
    "objective",
    "tail_mass",
    "var",
]
