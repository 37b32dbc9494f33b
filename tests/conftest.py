"""Shared by all tests: one thread for torch, so that tests running side by side do not fight."""

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("calm", deadline=None, max_examples=60)
settings.load_profile("calm")


@pytest.fixture
def rng() -> torch.Generator:
    return torch.Generator().manual_seed(20221)
