"""Shared by all tests."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: its threads wait for each other on a busy machine

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)  # tests that run side by side do not fight for the processors
settings.register_profile("calm", deadline=None, max_examples=60)
settings.load_profile("calm")


@pytest.fixture
def rng() -> torch.Generator:
    return torch.Generator().manual_seed(20221)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium; where there is none, tests that need it are skipped, but never in CI."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        assert not os.environ.get("CI"), "the browser tests have to run in CI"
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]
        launched = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield launched
        launched.close()
