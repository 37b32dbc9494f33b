"""Problems: samples, the objective F̃_β and its optimum F*."""

from .objective import cvar, objective, tail_mass, var
from .optimum import Optimum
from .problem import Problem, Samples, Start

__all__ = ["Optimum", "Problem", "Samples", "Start", "cvar", "objective", "tail_mass", "var"]
