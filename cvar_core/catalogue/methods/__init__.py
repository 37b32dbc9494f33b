"""The methods, one file each."""

from .composed import Methods
from .explanation import Explanation, latex
from .method import (
    ASI_AND_DUCHIS,
    EVEN,
    OURS,
    PAPERS,
    Distances,
    Linearisation,
    Look,
    Method,
    Model,
    Point,
    Rule,
    StepSizes,
    sharp_bound,
)
from .sgm import SGM
from .sgm_t import SGM_T
from .sgm_u import SGM_U
from .spl import SPL
from .spl_plus import SPL_PLUS
from .spl_u import SPL_U

methods = Methods()
for _method in (SGM, SPL, SPL_PLUS, SGM_U, SPL_U, SGM_T):
    methods.add(_method)

__all__ = [
    "ASI_AND_DUCHIS",
    "EVEN",
    "OURS",
    "PAPERS",
    "Distances",
    "Explanation",
    "Linearisation",
    "Look",
    "Method",
    "Model",
    "Point",
    "Rule",
    "StepSizes",
    "latex",
    "methods",
    "sharp_bound",
]
