"""The image's health check: exits with 0 when the dashboard answers, or when this container runs something else.

A command, or a part of a cluster, is well as long as it runs. The image has no curl.
"""

import http.client  # not urllib, which would ask a proxy
import os
import re
import sys
from pathlib import Path

FIRST = Path("/proc/1/cmdline")
PATIENCE = 4.0  # seconds, less than Docker has


def trouble(first: Path = FIRST, patience: float = PATIENCE) -> str | None:
    """Return what is wrong with the dashboard, if it is what the container's ``first`` process runs."""
    line = first.read_text().replace("\0", " ")
    if "tools.container.start dashboard " not in line:  # also behind --init, which comes before it
        return None
    port = setting("server.port", line) or "8501"
    base = setting("server.baseUrlPath", line).strip("/")
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=patience)
    try:
        connection.request("GET", f"/{base}/_stcore/health".replace("//", "/"))
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException) as why:
        return f"port {port} does not answer: {why}"
    finally:
        connection.close()
    return None if answer.status == 200 else f"port {port} answers {answer.status}"


def setting(name: str, line: str) -> str:
    """Return a setting of Streamlit's: from the command line, or else from its variable."""
    given = re.findall(rf" --{re.escape(name)}[ =](\S+)", line)
    variable = "STREAMLIT_" + re.sub(r"([A-Z])|\.", r"_\1", name).upper()
    return given[-1] if given else os.environ.get(variable, "")


if __name__ == "__main__":
    sys.exit(trouble())
