"""Browsers that have read the dashboard's code before, for visitors who have never been there.

To read plotly.js and Streamlit anew takes Chromium two seconds of a processor. A context that is kept has them in the
memory of its process, which lives as long as one of its pages does: so it keeps an empty one.
"""

from typing import Any

_HOME = "http://127.0.0.1/"  # the site of all servers of the tests, whatever their port


class Profiles:
    """Gives out contexts that share nothing, and takes them back to give them to somebody else."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: list[Any] = []

    def take(self) -> Any:
        """Return a context without cookies, without storage, and without a page but its own empty one."""
        return self._free.pop() if self._free else self._made()

    def give_back(self, context: Any) -> None:
        home, *visited = context.pages
        for page in visited:
            page.close()
        forgetting = context.new_cdp_session(home)
        forgetting.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        forgetting.detach()
        self._free.append(context)

    def _made(self) -> Any:
        context = self._browser.new_context()
        home = context.new_page()
        home.route(_HOME, lambda route: route.fulfill(body=""))
        home.goto(_HOME)
        return context
