"""What a user can call says what it does, and the reference that is made of it builds without a warning."""

import inspect
import re
import warnings
from pathlib import Path

import pytest

import cvar_core
from cvar_core import optim, own_model

MODULES = (cvar_core, optim, own_model)
PUBLIC = [(module, name) for module in MODULES for name in module.__all__ if not name.startswith("_")]


def members(kind):
    """The methods and properties that a class adds."""
    for name, value in vars(kind).items():
        if not name.startswith("_") and (callable(value) or isinstance(value, property | classmethod | staticmethod)):
            yield name, value
        elif type(value).__name__ == "cached_property" and not name.startswith("_"):
            yield name, value.func


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_public_name_has_a_docstring(module, name):
    value = getattr(module, name)
    assert inspect.getdoc(value), f"{name} says nothing of itself"
    if inspect.isclass(value):
        silent = [member for member, found in members(value) if not inspect.getdoc(found)]
        assert not silent, f"{name} has members that say nothing of themselves"


def test_the_reference_builds_without_a_warning(tmp_path):
    import pdoc

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdoc.render.configure(docformat="numpy")
        pdoc.pdoc(
            *(each.__name__ for each in MODULES), "!cvar_core[.](?!(optim|own_model)$)", output_directory=tmp_path
        )
    page = (tmp_path / "cvar_core.html").read_text("utf-8")
    assert {name for module, name in PUBLIC if module is cvar_core} <= set(re.findall(r'id="(\w+)"', page))


def test_the_package_says_that_it_has_types():
    assert (Path(cvar_core.__file__).parent / "py.typed").exists()
    assert '"cvar_core" = ["py.typed"]' in (Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8")
