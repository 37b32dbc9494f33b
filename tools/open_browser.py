"""Opens the dashboard in the browser, once it is served: ``python -m tools.open_browser http://localhost:8501 1234``.

It ends with the server, whose process it is told. Where nobody would see a browser, it does nothing.
"""

from __future__ import annotations

import http.client  # not urllib, which would ask a proxy
import os
import sys
import time
import webbrowser
from urllib.parse import urlsplit

_LOOK = 0.2  # seconds between two looks


def main(url: str, server: int) -> None:
    """Open ``url`` when it answers, unless the process ``server`` has ended."""
    browser = graphical_browser()
    if browser is None or healthy(url):  # who answers already is another server
        return
    while alive(server):
        if healthy(url):
            browser.open(url)
            return
        time.sleep(_LOOK)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


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


def graphical_browser() -> webbrowser.BaseBrowser | None:
    """Return the default browser, if there is a screen for it; one for the terminal would get in the server's way."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return None
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return None
    in_terminal = isinstance(browser, (webbrowser.GenericBrowser, webbrowser.Elinks))
    return None if in_terminal and not isinstance(browser, webbrowser.BackgroundBrowser) else browser


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
