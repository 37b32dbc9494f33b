"""Managers on threads, and managers whose pieces are done only when the test says so."""

import pytest

from cvar_core.jobs import Limits, Manager, threads
from cvar_core.store import Store
from tests.pages.held import Held
from tests.solving import solved_once as solved_once


@pytest.fixture
def made():
    """Makes managers, and closes them."""
    managers = []

    def make(store=None, workers=2, executor=None, known=None, **limits):
        manager = Manager(store or Store.open(None), executor or threads(workers), workers, Limits(**limits), known)
        managers.append(manager)
        return manager

    yield make
    for manager in managers:
        manager.close()


@pytest.fixture
def manager(made):
    return made()


@pytest.fixture
def held():
    return Held()


@pytest.fixture
def still(made, held, solved_once):
    """A manager for two workers, both of whom the test holds."""
    return made(executor=held)
