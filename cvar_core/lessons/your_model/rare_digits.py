"""The task: scikit-learn's handwritten digits, of which 8 and 9 are rare in training and not in the test."""

from __future__ import annotations

import functools

import numpy as np
import torch
from torch import nn

from ...own_model.model_task import Task, read_task

PIXELS, CLASSES = 64, 10
RARE = (8, 9)
KEPT = 0.15  # of the rare digits, in training
_TRAINING = 1_200  # rows before the rare ones are thinned out


@functools.lru_cache(maxsize=1)
def rare_digits() -> Task:
    """Return the task; its groups are the digits. Nothing is downloaded."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(images))
    train, test = order[:_TRAINING], order[_TRAINING:]
    train = train[(labels[train] < min(RARE)) | (rng.random(len(train)) < KEPT)]
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
    return read_task((x[train], y[train]), (x[test], y[test]), None, labels[test])


def network(hidden: int) -> nn.Module:
    """Return two layers with fresh weights."""
    return nn.Sequential(nn.Linear(PIXELS, hidden), nn.ReLU(), nn.Linear(hidden, CLASSES))
