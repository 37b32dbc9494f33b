"""Opens the dashboard in the browser: ``python -m tools.open_browser http://localhost:8501 & exec streamlit …``.

It waits until the server that was started beside it is healthy, and ends with it. Where nobody would see a browser, it
does nothing.
"""

from __future__ import annotations

import http.client  # not urllib, which would ask a proxy
import os
import sys
import time
import webbrowser
from urllib.parse import urlsplit

_LOOK = 0.2  # seconds between two looks


def main(url: str) -> None:
    """Open ``url`` once, when the process that started this one, or has taken its place, serves it."""
    server = os.getppid()
    if not graphical() or healthy(url):  # a server that is there already is another one
        return
    while os.getppid() == server:
        if healthy(url):
            webbrowser.open(url)
            return
        time.sleep(_LOOK)


def healthy(url: str) -> bool:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.netloc, timeout=1)
    try:
        connection.request("GET", f"{where.path.rstrip('/')}/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def graphical() -> bool:
    """Tell whether there is a screen, and a browser for it: one for the terminal would take the server's place there."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    in_terminal = (webbrowser.GenericBrowser, webbrowser.Elinks)
    return isinstance(browser, webbrowser.BackgroundBrowser) or not isinstance(browser, in_terminal)


if __name__ == "__main__":
    main(sys.argv[1])
