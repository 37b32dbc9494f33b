"""A linear model as torch has it, beside the catalogue's linearisation of the same loss."""

import torch
from torch import nn

from cvar_core.catalogue import losses
from cvar_core.catalogue.methods import Linearisation
from cvar_core.optim import SGM, SPL, SPLU, SPLPlus

OPTIMISERS = {"sgm": SGM, "spl": SPL, "spl+": SPLPlus, "spl-u": SPLU}


class Linear(nn.Module):
    """⟨θ, x⟩, with θ as one parameter."""

    def __init__(self, theta):
        super().__init__()
        self.theta = nn.Parameter(theta.clone())

    def forward(self, x):
        return x @ self.theta


def loss_of(name, theta, x, y):
    """Return the loss through autograd."""
    return losses[name].value(x @ theta, y)


def linearised(name, theta, alpha, x, y, beta):
    """Return the catalogue's linearisation of one sample's loss."""
    p = x @ theta
    loss = losses[name]
    return Linearisation(theta, torch.tensor(alpha, dtype=theta.dtype), loss.value(p, y), loss.slope(p, y) * x, beta)


def network(seed=0, dtype=torch.float64):
    """Return a small network with data of its own."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)).to(dtype)
    x, y = torch.randn(40, 4).to(dtype), torch.randn(40).to(dtype)
    return model, lambda rows=slice(None): (model(x[rows])[:, 0] - y[rows]) ** 2
