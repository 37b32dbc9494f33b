"""python -m tools.audit: ask pip-audit whether what the image has of others is known to be vulnerable.

It fails if something is. Where its database is out of reach, it says so and does not fail.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from .container.licences import shipped


class Answer(NamedTuple):
    known: int = 0  # packages that the database has
    unknown: int = 0
    vulnerable: tuple[str, ...] = ()  # each with what is known of it
    trouble: str = ""  # why there is no answer


def main() -> int:
    pins = [f"{each.name}=={each.version.partition('+')[0]}" for each in shipped()]  # without "+cpu"
    answer = asked(pins[:1])  # soon told where nobody answers
    if answer.known:
        answer = asked(pins)
    code, words = told(answer)
    print(words)
    return code


def asked(pins: list[str]) -> Answer:
    """Have pip-audit ask about packages."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "pins.txt")
        file.write_text("\n".join(pins))
        options = ["--disable-pip", "--no-deps", "--progress-spinner", "off", "--timeout", "5", "--format", "json"]
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(file), *options]
        ended = subprocess.run(command, capture_output=True, text=True)
    return understood(ended.stdout, ended.stderr)


def understood(out: str, err: str) -> Answer:
    """Read what pip-audit has said."""
    try:
        packages = json.loads(out)["dependencies"]
    except ValueError:
        return Answer(trouble=(err.strip().splitlines() or ["it said nothing"])[-1])
    unknown = sum("skip_reason" in each for each in packages)
    vulnerable = (
        f"{each['name']} {each['version']}: {found['id']}, mended in {', '.join(found['fix_versions']) or 'no version'}"
        for each in packages
        for found in each.get("vulns", ())
    )
    return Answer(len(packages) - unknown, unknown, tuple(vulnerable))


def told(answer: Answer) -> tuple[int, str]:
    """Return the exit code and the words for it."""
    if answer.vulnerable:
        return 1, "\n".join(["Known to be vulnerable:", *answer.vulnerable])
    if answer.trouble:
        return 0, f"The packages were not audited: pip-audit cannot ask its database ({answer.trouble})."
    if not answer.known:
        return 0, "The packages were not audited: the database that pip-audit asks is not whole here."
    rest = f"; {answer.unknown} are unknown to the database" if answer.unknown else ""
    return 0, f"None of {answer.known} packages is known to be vulnerable{rest}."


if __name__ == "__main__":
    sys.exit(main())
