"""Losses, noises and methods of other packages: found by their entry points, told apart, and never fatal."""

import dataclasses
import hashlib
import subprocess
import sys

import numpy as np
import pytest

from cvar_core import Problem, SweepSpec, sweep
from cvar_core.catalogue import Method, Registry, losses, methods
from cvar_core.catalogue.registry import RUN_TIME
from cvar_core.specs import canonical
from cvar_core.version import ENGINE_VERSION

CODE = """
from dataclasses import replace
from cvar_core.catalogue import losses, methods, noises

HALF = {half}


def weight(loss, slope_term, alpha, lam_alpha, c, mix):
    return (HALF * c if loss > alpha else 0.0), 1.0


model = replace(methods["sgm"].model, name="{name}", label="{name}", weight=weight)
method = replace(methods["sgm"], name="{name}", label="{name}", summary="a {name} one", model=model, look=None)
both = [replace(losses["squared"], name="{name}-a"), replace(losses["squared"], name="{name}-b")]
noise = replace(noises["normal"], name="{name}-noise")
"""
POINTS = """[cvar_core.methods]
{name} = {module}:method
broken = {module}:nothing
clashing = {module}:taken
a-number = {module}:HALF

[cvar_core.losses]
{name} = {module}:both

[cvar_core.noises]
{name} = {module}:noise
"""


def package(folder, name, version="1.0", half=0.5):
    """Write a package with its metadata, as if it were installed in the folder."""
    module = f"plug_{name}"
    taken = '\ntaken = replace(methods["sgm"], name="spl")\n'
    (folder / f"{module}.py").write_text(CODE.format(name=name, half=half) + taken)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(POINTS.format(name=name, module=module))


def run(folder, *args):
    command = [sys.executable, *args]
    environment = {"PYTHONPATH": f"{folder}:.", "PATH": "", "HOME": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_a_package_in_a_folder_is_seen_by_the_command_line(tmp_path):
    package(tmp_path, "gentle")
    listed = run(tmp_path, "-m", "cvar_core", "problems")
    assert listed.returncode == 0, listed.stderr
    for line in ("gentle      a gentle one (plug_gentle 1.0)", "gentle-a", "gentle-b", "gentle-noise"):
        assert line in listed.stdout
    for name, why in (("broken", "has no attribute 'nothing'"), ("clashing", "already a method named 'spl'")):
        assert f"cvar_core: the method {name!r} of plug_gentle 1.0 is left out: " in listed.stderr
        assert why in listed.stderr
    assert "0.5 is no Method" in listed.stderr
    assert listed.stderr.count("\n") == 3, "a sentence each"


ID = """
import warnings; warnings.simplefilter("ignore")
from cvar_core import ProblemSpec, SweepSpec
spec = SweepSpec(ProblemSpec(eval_size=100), methods=("{name}",))
print(spec.id, spec.family)
"""


def test_the_same_name_of_another_version_or_with_other_code_is_another_run(tmp_path):
    found = []
    for k, fields in enumerate(({}, {}, {"version": "1.1"}, {"half": 0.25})):
        folder = tmp_path / str(k)
        folder.mkdir()
        package(folder, "gentle", **fields)
        found.append(run(folder, "-c", ID.format(name="gentle")).stdout.split())
        assert len(found[k]) == 2
    assert found[0] == found[1], "the same package has the same ids in every process"
    for place in (0, 1):
        assert len({each[place] for each in found}) == 3


def test_what_is_built_in_has_no_stamp_and_is_served_without_a_look_at_packages(monkeypatch):
    asked, built_in = [], tuple(methods)
    monkeypatch.setattr("cvar_core.catalogue.registry.metadata.entry_points", lambda group: asked.append(group) or ())
    fresh = Registry("method", Method, "cvar_core.methods")
    for method in built_in:
        fresh.add(dataclasses.replace(method))
    fresh.seal()
    assert fresh["spl"].name == "spl"
    assert "sgm" in fresh
    assert not asked
    assert "adam" not in fresh
    assert len(fresh.names()) == len(tuple(fresh))
    assert asked == ["cvar_core.methods"], "once"
    assert all(methods.origin(name) is None is methods.stamp(name) for name in ("sgm", "spl+", "sgm@pair"))
    plain = SweepSpec(Problem.synthetic().spec)
    assert plain.id == hashlib.sha256(f"{ENGINE_VERSION}:{canonical(plain)}".encode()).hexdigest()[:16], "as ever"


def test_what_is_added_at_run_time_is_told_apart_by_its_code():
    loss = losses.add(dataclasses.replace(losses["squared"], name="mine"))
    try:
        assert losses.origin("mine") == RUN_TIME
        problem = Problem.synthetic(loss="mine", eval_size=200, dim=3)
        assert np.isfinite(sweep(problem, ["spl"], [0.1], iterations=10, seeds=1).objectives).all()
        one = SweepSpec(problem.spec)
        before = one.id, one.family
        losses.remove("mine")
        losses.add(dataclasses.replace(loss, value=lambda p, y: (p - y) ** 2, slope=lambda p, y: 2 * (p - y)))
        other = SweepSpec(problem.spec)
        assert not {*before} & {other.id, other.family}
    finally:
        losses.remove("mine")


@pytest.mark.parametrize("name", ["", "a,b", "a@b", "two words", "-x"])
def test_a_name_that_could_not_be_asked_for_is_refused(name):
    with pytest.raises(ValueError, match="a name has letters, digits"):
        losses.add(dataclasses.replace(losses["squared"], name=name))


def test_a_loss_with_parameters_says_how_it_is_made_with_others():
    with pytest.raises(ValueError, match="'stuck' has parameters, but nothing that makes it with others"):
        losses.add(dataclasses.replace(losses["huber"], name="stuck", remade=None))
    assert "stuck" not in losses
