"""Problems: samples, the objective F̃_β and its optimum F*."""

from .ground import Evaluation, Ground, Samples, Start
from .objective import cvar, objective, tail_mass, var
from .optimum import Optimum
from .own_ground import OwnGround
from .population import population_risk
from .problem import Problem
from .recorded import names as measure_names
from .recorded import recorded as recorded_names
from .scaling import Standardiser, with_intercept
from .sketch import Sketch

__all__ = [
    "Evaluation",
    "Ground",
    "Optimum",
    "OwnGround",
    "Problem",
    "Samples",
    "Sketch",
    "Standardiser",
    "Start",
    "cvar",
    "measure_names",
    "objective",
    "population_risk",
    "recorded_names",
    "tail_mass",
    "var",
    "with_intercept",
]
