"""Losses, noises, methods and schedules: registries that every other part reads."""

from .losses import Loss, Smoothed, full_name, losses
from .methods import (
    EVEN,
    PAPERS,
    Distances,
    Linearisation,
    Look,
    Method,
    Model,
    Point,
    Rule,
    StepSizes,
    methods,
    sharp_bound,
)
from .noises import Noise, noises
from .registry import PlugInWarning, Registry, UnknownName
from .schedules import Schedule, schedules

for _registry in (losses, methods, noises):
    _registry.seal()

__all__ = [
    "EVEN",
    "PAPERS",
    "Distances",
    "Linearisation",
    "Look",
    "Loss",
    "Method",
    "Model",
    "Noise",
    "PlugInWarning",
    "Point",
    "Registry",
    "Rule",
    "Schedule",
    "Smoothed",
    "StepSizes",
    "UnknownName",
    "full_name",
    "losses",
    "methods",
    "noises",
    "schedules",
    "sharp_bound",
]
