"""The methods, one file each."""

from ..registry import Registry
from .method import EVEN, Distances, Linearisation, Method, Point, StepSizes, sharp_bound
from .sgm import SGM
from .sgm_u import SGM_U
from .spl import SPL
from .spl_plus import SPL_PLUS
from .spl_u import SPL_U

methods: Registry[Method] = Registry("method")
for _method in (SGM, SPL, SPL_PLUS, SGM_U, SPL_U):
    methods.add(_method)

__all__ = ["EVEN", "Distances", "Linearisation", "Method", "Point", "StepSizes", "methods", "sharp_bound"]
