"""The lab's verdict on your own model: which step sizes each optimiser forgives, by the CVaR of its test losses."""

from .model_check import check_model
from .model_study import ModelStudy
from .trainers import trainers

__all__ = ["ModelStudy", "check_model", "trainers"]
