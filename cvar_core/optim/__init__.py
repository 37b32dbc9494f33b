"""The paper's methods as torch optimisers for any model: they own the threshold α, and take the losses one by one.

>>> import torch
>>> from cvar_core.optim import SPLPlus
>>> model, x, y = torch.nn.Linear(3, 1), torch.ones(8, 3), torch.zeros(8)
>>> opt = SPLPlus(model.parameters(), beta=0.95, lam=1.0)
>>> losses = opt.step(lambda: torch.nn.functional.mse_loss(model(x)[:, 0], y, reduction="none"))
"""

from .losses_of_a_batch import NotFinite
from .own_scales import SPLU
from .prox_linear import SPL, SPLPlus
from .subgradient import SGM

__all__ = ["SGM", "SPL", "SPLU", "NotFinite", "SPLPlus"]
