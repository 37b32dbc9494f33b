"""The methods, one file each."""

from ..registry import Registry
from .method import Distances, Linearisation, Method, Point, StepSizes, sharp_bound
from .sgm import SGM
from .spl import SPL
from .spl_plus import SPL_PLUS

methods: Registry[Method] = Registry("method")
for _method in (SGM, SPL, SPL_PLUS):
    methods.add(_method)

__all__ = ["Distances", "Linearisation", "Method", "Point", "StepSizes", "methods", "sharp_bound"]
