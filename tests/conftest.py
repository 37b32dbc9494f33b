"""Shared by all tests."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: its threads wait for each other on a busy machine

import pytest
import torch
from hypothesis import settings

from tests.waiting_first import ordered

torch.set_num_threads(1)  # tests that run side by side do not fight for the processors
settings.register_profile("calm", deadline=None, max_examples=40, derandomize=True)  # red or green, and never by luck
settings.load_profile("calm")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 0)):
        items[:] = ordered(items, workers)


@pytest.fixture
def rng() -> torch.Generator:
    return torch.Generator().manual_seed(20221)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium; where there is none, tests that need it are skipped, but never in CI."""
    names = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"  # the first is quickest
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        assert not os.environ.get("CI"), "the browser tests have to run in CI"
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]
        arguments += ["--process-per-site"]  # for tests/pages/profiles.py
        launched = playwright.chromium.launch(executable_path=chromium, args=arguments)
        launched.new_context = _still(launched.new_context)
        yield launched
        launched.close()


def _still(new_context: Callable[..., Any]) -> Callable[..., Any]:
    """Have pages stand still where nothing moves but for show.

    Streamlit lets what it waits for pulse, spin and fade, and Chromium, which paints without a graphics card, spends
    more on these pictures than on all else that a test has it do.
    """

    def made(**options: Any) -> Any:
        context = new_context(**options)
        context.add_init_script(_STILL)
        return context

    return made


_STILL = """{
    const still = new CSSStyleSheet(); // what is ours keeps its delays: they are under test
    const all = '*:not([class*="cvar-"]), ::before, ::after';
    still.replaceSync(`${all} { animation: none !important; transition: none !important; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Say of a failed browser test what its pages show, and what its server has said."""
    report = yield
    used = getattr(item, "funcargs", {})
    if report.failed and "browser" in used:
        for page in (page for context in used["browser"].contexts for page in context.pages):
            report.sections.append((f"the page {page.url}", page.evaluate(_SHOWN)))
        if hasattr(used.get("server"), "said"):
            report.sections.append(("the server", used["server"].said()[-4000:]))
    return report


_SHOWN = """() => [
    JSON.stringify({ ...document.querySelector('[data-testid=stApp]')?.dataset }), document.body.innerText,
    ...(window.exchanged ?? []),
].join('\\n')"""
