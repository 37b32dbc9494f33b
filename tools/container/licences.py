"""python -m tools.container.licences [--table | --sbom FILE]: what the image has of others, and under which licences.

It fails if one of them is not among those that the project agrees to. A bill of materials is of CycloneDX's kind.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
REQUIREMENTS = ("requirements.txt", "requirements-cluster.txt")

# They ask for no more than to be named, and MPL for changes of its own files.
AGREED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "MIT", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip
_MEANT = {  # what packages write who do not use the names of SPDX
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",  # which of them only its text says
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.container.licences", description=__doc__)
    parser.add_argument("--table", action="store_true", help="print all of them")
    parser.add_argument("--sbom", metavar="FILE", type=Path, help="write a bill of materials")
    args = parser.parse_args(arguments)
    packages = shipped()
    licences = {f"{each.name} {each.version}": licence(each) for each in packages}
    if args.table:
        for name, words in licences.items():
            print(f"{name:36}{words}")
    if args.sbom is not None:
        args.sbom.write_text(json.dumps(bill(packages), indent=1))
    unknown = {name: words for name, words in licences.items() if not agreed(words)}
    for name, words in unknown.items():
        print(f"{name} has the licence {words or 'none that it names'}, which is not among those in {__file__}")
    if not unknown:
        most = ", ".join(f"{words} {count}" for words, count in Counter(licences.values()).most_common(3))
        print(f"The licences of {len(packages)} packages are all agreed to ({most}, …).")
    return 1 if unknown else 0


def shipped() -> list[Distribution]:
    """Return what the requirements bring along, by name, as it is installed here."""
    lines = [line.partition("#")[0].strip() for file in REQUIREMENTS for line in (ROOT / file).read_text().splitlines()]
    asked = [(Requirement(line), "") for line in lines if line and not line.startswith("-")]
    found: dict[tuple[str, str], Distribution] = {}
    while asked:
        wanted, extra = asked.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        for key in ((canonicalize_name(wanted.name), own) for own in ("", *wanted.extras)):
            if key not in found:
                found[key] = distribution(wanted.name)
                asked += [(Requirement(line), key[1]) for line in found[key].requires or ()]
    return [found[name, own] for name, own in sorted(found) if not own]


def licence(package: Distribution) -> str:
    """Return a package's licence as SPDX names it, if the package says it in one line."""
    metadata = package.metadata
    classifiers = (line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or () if line[:7] == "License")
    written = metadata.get("License-Expression") or metadata.get("License") or ""
    if not written or len(written.splitlines()) > 1:  # the whole text
        written = " AND ".join(classifiers)
    return " AND ".join(_MEANT.get(part, part) for part in written.split(" AND "))


def agreed(words: str) -> bool:
    """Tell whether each part of an SPDX expression is agreed to, or one of those that it lets choose.

    >>> agreed("MIT AND (GPL-3.0-only OR BSD-3-Clause)"), agreed("MIT AND GPL-3.0-only"), agreed("")
    (True, False, False)
    """
    parts = [re.sub(r"[()]", "", part).split(" OR ") for part in words.split(" AND ")]
    return all(AGREED & {choice.strip() for choice in part} for part in parts)


def bill(packages: list[Distribution]) -> dict[str, object]:
    """Return the bill of materials: CycloneDX 1.6, in its JSON form."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "cvar"}},
        "components": [
            {
                "type": "library",
                "name": each.name,
                "version": each.version,
                "purl": f"pkg:pypi/{canonicalize_name(each.name)}@{each.version}",
                "licenses": [{"license": {"name": licence(each)}}],
            }
            for each in packages
        ],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
