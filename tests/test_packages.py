"""What is checked of the packages of others: their licences, and whether they are known to be vulnerable."""

import json
from email.message import Message

import pytest

from tools import audit
from tools.container import licences


class Package:
    name, version = "made", "1.0"

    def __init__(self, **fields: str) -> None:
        self.metadata = Message()
        for name, value in fields.items():
            self.metadata[name.replace("_", "-")] = value


def test_all_that_ships_has_a_licence_that_is_agreed_to(capsys):
    assert licences.main([]) == 0
    assert capsys.readouterr().out.startswith("The licences of ")
    shipped = {package.name for package in licences.shipped()}
    assert {"torch", "distributed", "sympy"} <= shipped, "what is asked for, and what that asks for"
    assert not {"pytest", "ruff", "pip-audit"} & shipped


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"License_Expression": "MIT"}, "MIT"),
        ({"License": "Apache License 2.0"}, "Apache-2.0"),
        ({"License": "a text\nof many lines", "Classifier": "License :: OSI Approved :: BSD License"}, "BSD"),
        ({"Classifier": "Topic :: Software Development"}, ""),
    ],
    ids=str,
)
def test_a_licence_is_found_where_packages_write_it(fields, words):
    assert licences.licence(Package(**fields)) == words


@pytest.mark.parametrize("words", ["GPL-3.0-only", "MIT AND AGPL-3.0-or-later", ""])
def test_another_licence_fails_and_is_named(monkeypatch, capsys, words):
    monkeypatch.setattr(licences, "shipped", lambda: [Package(License_Expression="MIT"), Package(License=words)])
    assert licences.main([]) == 1
    assert f"made 1.0 has the licence {words or 'none that it names'}, which is not" in capsys.readouterr().out


def test_the_bill_of_materials_has_every_package(tmp_path):
    assert licences.main(["--sbom", str(tmp_path / "bill")]) == 0
    bill = json.loads((tmp_path / "bill").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert [each["name"] for each in bill["components"]] == [package.name for package in licences.shipped()]
    assert all(each["licenses"][0]["license"]["name"] for each in bill["components"])


FINE = {"name": "torch", "version": "2.13.0", "vulns": []}
UNKNOWN = {"name": "made", "skip_reason": "Dependency not found on PyPI and could not be audited: made (1.0)"}
FAULTY = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": []}]}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([FINE, FINE], 0, "None of 2 packages is known to be vulnerable."),
        ([FINE, UNKNOWN], 0, "None of 1 packages is known to be vulnerable; 1 are unknown to the database."),
        ([UNKNOWN], 0, "The packages were not audited: the database that pip-audit asks is not whole here."),
        ([FINE, UNKNOWN, FAULTY], 1, "Known to be vulnerable:\nold 1.0: PYSEC-1, mended in 1.1"),
    ],
)
def test_only_a_package_that_is_known_to_be_vulnerable_fails(packages, code, words):
    assert audit.told(audit.understood(json.dumps({"dependencies": packages}), "")) == (code, words)


def test_where_nobody_can_be_asked_it_says_so():
    said = "Traceback\n  …\nConnectionError: no such host"
    code, words = audit.told(audit.understood("", said))
    assert (code, words) == (
        0, "The packages were not audited: pip-audit cannot ask its database (ConnectionError: no such host).",
    )  # fmt: skip


def test_all_are_asked_about_once_one_was_answered(monkeypatch, capsys):
    counts = []

    def asked(pins):
        counts.append(len(pins))
        return audit.Answer(known=len(pins))

    monkeypatch.setattr(audit, "asked", asked)
    assert audit.main() == 0
    assert counts == [1, len(licences.shipped())]
    monkeypatch.setattr(audit, "asked", lambda pins: audit.Answer(vulnerable=("old",), known=len(pins)))
    assert audit.main() == 1
    assert "old" in capsys.readouterr().out
