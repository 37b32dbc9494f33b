"""The dashboard under a visitor's hands: its controls by their labels, its charts by their keys, its words."""

import csv
import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import TimeoutError

from tests.pages.gated import Gate
from tests.pages.profiles import Profiles

PATIENCE = 90_000  # ms, for a machine with much else to do
LOOK = 50  # ms between two looks; to look at every picture, as Playwright does, has Chromium paint all the time
WIDE = {"width": 1400, "height": 1000}
SLOW = 0.15  # seconds a piece of a run that is looked at as it grows: half a minute in all, until a test holds it
LOST = "The connection to the server is lost"


class Visits:
    """Makes visitors that share nothing, and collects what goes wrong in their browsers.

    That a page asks another host for anything is wrong, too.
    """

    def __init__(self, profiles: Profiles, url: str) -> None:
        self._profiles, self._url = profiles, url
        self._contexts: list[Any] = []
        self.errors: list[str] = []

    def __call__(
        self,
        link: str = "",
        prepare: Callable[[Any], None] | None = None,
        viewport: dict[str, int] = WIDE,
        color_scheme: str = "light",
    ) -> Any:
        """Open a link, an address or what stands after the server's, as a new visitor, in a page prepared before."""
        context = self._profiles.take()
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        page.add_init_script(_WATCH)
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        page.on("console", self._hear)
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        if prepare is not None:
            prepare(page)
        page.goto(link if link.startswith("http") else f"{self._url}/{link}")
        return page

    def _asked(self, address: str) -> None:
        if not address.startswith(("data:", "blob:")) and urlsplit(address).netloc != urlsplit(self._url).netloc:
            self.errors.append(f"{address} is asked for, on another host")

    def _hear(self, message: Any) -> None:
        # Streamlit looks for its own addresses below the page's path first, where they are not.
        elsewhere = "404" in message.text and re.search(r"/\w+/_stcore/", message.location.get("url", ""))
        if message.type == "error" and not elsewhere:
            self.errors.append(message.text)

    def close(self) -> None:
        for context in self._contexts:
            for page in context.pages:
                self.errors += page.get_by_role("dialog").all_inner_texts()  # Streamlit's own, as "Connection error"
            self._profiles.give_back(context)


# Notes, from the first moment, what a test could only see by luck: each length of the curve, and each state of a run.
_WATCH = """
    window.lengths = []; window.ran = false;
    const watch = () => {
        const curves = document.querySelector('.st-key-explore-curves .cvar-chart');
        const curve = curves?.data?.find(trace => trace.uid === 'spl+-median');
        if (curve && curve.x.length && curve.x.length !== window.lengths.at(-1)) window.lengths.push(curve.x.length);
        window.ran ||= /(Solving|Running) .*%/.test(document.querySelector('.cvar-progress')?.textContent);
    };
    document.addEventListener('DOMContentLoaded', () => setInterval(watch, 50));

    window.exchanged = []; // what a test that fails tells of its messages
    const note = (what, said) => {
        const text = typeof said === 'string' ? said : new TextDecoder().decode(said);
        const plain = text.replace(/[^\\x20-\\x7e]+/g, ' ').slice(0, 300);
        window.exchanged.push(`${Math.round(performance.now())} ${what} ${plain}`);
        if (window.exchanged.length > 150) window.exchanged.shift();
    };
    window.WebSocket = class extends WebSocket {
        constructor(...given) {
            super(...given);
            this.addEventListener('close', ({ code }) => note('closed', `${this.url} ${code}`));
        }
        send(data) {
            if (this.url.includes('_stcore')) window.asked = (window.asked ?? 0) + 1; // for the script to run
            if (data !== '{"drawn": true}') note('sent', data);
            super.send(data);
        }
    };
    for (const event of ['click', 'change', 'keydown'])
        addEventListener(event, ({ target }) => note(event, target.textContent || target.type || ''), true);
"""


def link(**fields: Any) -> str:
    """Return what stands in the URL for these fields of a sweep."""
    return "?" + urlencode({f"explore_{name}": value for name, value in fields.items()}, doseq=True)


# Controls.


def idle(page: Any) -> None:
    """Wait until the page has nothing more to do: who acts on it then is not in the way of what it still does."""
    page.evaluate("window.idleSince = undefined")
    page.wait_for_function(_IDLE, polling=LOOK)


_IDLE = """() => {
    const { testScriptState, testConnectionState } = document.querySelector('[data-testid=stApp]')?.dataset ?? {};
    const now = performance.now();
    if (testScriptState === 'notRunning' && testConnectionState === 'CONNECTED') window.idleSince ??= now;
    else window.idleSince = undefined;
    return now - window.idleSince > 300;
}"""


def field(page: Any, label: str) -> Any:
    """Return the control whose label starts so, wherever it stands."""
    name = re.compile(f"^{label}")
    kinds = [page.get_by_role(role, name=name) for role in ("spinbutton", "textbox", "combobox")]
    return kinds[0].or_(kinds[1]).or_(kinds[2])


def enter(page: Any, label: str, value: object) -> None:
    field(page, label).wait_for()
    idle(page)
    field(page, label).fill(str(value))
    field(page, label).press("Enter")


def pick(page: Any, label: str, option: str) -> None:
    choice = page.get_by_role("option", name=option).first
    idle(page)
    for _ in range(10):  # an answer to the change before may close the list
        field(page, label).click()
        try:
            choice.click(timeout=5_000)
        except TimeoutError:
            field(page, label).press("Escape")
        else:
            return
    raise AssertionError(f"{label} does not offer {option}")


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def open_tab(page: Any, title: str) -> None:
    page.get_by_role("tab", name=title).wait_for()
    idle(page)
    page.get_by_role("tab", name=title).click()
    page.get_by_role("tabpanel", name=title).wait_for()
    idle(page)


def unfold(page: Any) -> None:
    """Open all that is folded."""
    for fold in page.locator(".stMain [data-testid=stExpander] > details > summary").all():  # and no table of numbers
        fold.click()


# Words.


def until_words(page: Any, words: str | re.Pattern[str]) -> str:
    """Wait until the words can be read, and return the sentence that they stand in."""
    found = page.get_by_text(words).filter(visible=True).first  # a select box repeats its value where nobody sees it
    found.wait_for()
    return str(found.inner_text())


def done(page: Any) -> str:
    """Wait until the run has ended and the page's script, which runs once then, has seen it."""
    page.get_by_text("Done in").first.wait_for(timeout=3 * PATIENCE)
    page.locator(".cvar-live[data-part=study][data-settled=done]").first.wait_for()
    idle(page)
    return until_words(page, "Done in")


def taken_up(page: Any) -> str:
    """Wait until Data shows what its controls ask for, which starts by itself, and until that has ended."""
    idle(page)
    page.locator(".st-key-cvar-older").wait_for(state="hidden")
    return done(page)


def found_again(page: Any) -> None:
    """Wait until a page that has lost its server has found it again."""
    page.get_by_text(LOST).first.wait_for(state="hidden")


def share(page: Any, words: str) -> int:
    """Wait until the words can be read with a percentage, and return that."""
    sentence = until_words(page, re.compile(rf"{words}.*?\d+%"))
    return int(re.search(rf"{words}.*?(\d+)%", sentence)[1])


# Charts.


def chart(page: Any, name: str) -> Any:
    return page.locator(_node(name))


def _node(name: str) -> str:
    """Return where a chart is: one of Explore's by its name, or any other page's by its key."""
    key = name if name.startswith("data-") else f"explore-{name}"
    return f".st-key-{key} .cvar-chart"


def look(page: Any, name: str, what: str, *given: Any) -> Any:
    """Evaluate a function of a chart's node in the browser."""
    return chart(page, name).evaluate(what, *given)


def until(page: Any, name: str, condition: str, timeout: float = PATIENCE) -> None:
    """Wait until a function of a chart's node, once it is drawn, is true."""
    node = f"document.querySelector('{_node(name)}')"
    drawn_and = f"() => {{ const chart = {node}; return chart?._fullData && ({condition})(chart); }}"
    page.wait_for_function(drawn_and, timeout=timeout, polling=LOOK)


def drawn(page: Any, name: str, least: int = 1) -> None:
    """Wait until SPL₊ has so many points on a chart."""
    until(page, name, f"chart => chart.data.find(trace => trace.uid === 'spl+-median')?.x.length >= {least}")


def hold_grown(page: Any, gate: Gate) -> None:
    """Hold a run as soon as all is drawn of it: both charts, measured from F*, which is not known at first."""
    for name, least in (("sensitivity", 15), ("curves", 1)):
        drawn(page, name, least)
        until(page, name, "chart => chart.layout.yaxis.title.text.includes('F*')")
    gate.hold()


def heights(page: Any, name: str) -> dict[str, list[float | None]]:
    """Return the numbers that a chart shows, by curve."""
    return look(page, name, "chart => Object.fromEntries(chart.data.map(trace => [trace.uid, trace.y]))")


def points(page: Any) -> int:
    """Return how many points SPL₊ has on the chart of the curves."""
    return look(page, "curves", "chart => chart.data.find(trace => trace.uid === 'spl+-median')?.x.length ?? 0")


def after_updates(page: Any, gate: Gate, name: str, count: int = 2) -> None:
    """Let a run that is held go on until the chart has got new numbers so many times."""
    shown = "JSON.stringify(chart.data.map(trace => trace.y))"
    gate.pace(SLOW)
    for _ in range(count):
        look(page, name, f"chart => {{ window.before = {shown} }}")
        until(page, name, f"chart => {shown} !== window.before")
    gate.hold()


def place(page: Any, name: str, x: float, y: float) -> tuple[float, float]:
    """Return where a part of a chart's axes is on the screen, both from 0 to 1 and upwards."""
    chart(page, name).scroll_into_view_if_needed()
    pixels = """(chart, [x, y]) => {
        const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
        return [box.x + xaxis._offset + x * xaxis._length, box.y + yaxis._offset + (1 - y) * yaxis._length];
    }"""
    across, down = look(page, name, pixels, [x, y])
    return across, down


def zoom(page: Any, name: str) -> list[list[float]]:
    """Drag a box over the middle of a chart, and return the ranges of its axes."""
    zoomed = f"chart => chart._fullLayout.xaxis.range[0] > {ranges(page, name)[0][0]} + 0.1"
    for _ in range(3):  # what loads above may move the chart away under the pointer
        page.mouse.move(*place(page, name, 0.3, 0.3))
        page.mouse.down()
        page.mouse.move(*place(page, name, 0.7, 0.75), steps=5)
        page.mouse.up()
        with suppress(TimeoutError):
            until(page, name, zoomed, PATIENCE / 9)
            return ranges(page, name)
    raise AssertionError(f"a drag does not zoom {name}")


def ranges(page: Any, name: str) -> list[list[float]]:
    return look(page, name, "chart => [chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range]")


def hidden(page: Any, name: str) -> set[str]:
    found = look(page, name, "chart => chart._fullData.filter(t => t.visible === 'legendonly').map(t => t.uid)")
    return set(found)


def hide(page: Any, method: str) -> None:
    """Click a method's card, which hides it in all charts."""
    page.locator(f'.cvar-card[data-method="{method}"]').click()
    until(page, "curves", "chart => chart._fullData.some(trace => trace.visible === 'legendonly')")


def click_point(page: Any, name: str, uid: str, x: float) -> None:
    """Click a point of a chart, where it is by the time that the pointer arrives."""
    pixels = """(chart, [uid, x]) => {
        const { x: all, y } = chart.data.find(trace => trace.uid === uid), at = all.indexOf(x);
        const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
        return [box.x + xaxis._offset + xaxis.d2p(x), box.y + yaxis._offset + yaxis.d2p(y[at])];
    }"""
    chart(page, name).scroll_into_view_if_needed()
    for _ in range(10):
        page.mouse.move(5, 5)
        page.mouse.move(*look(page, name, pixels, [uid, x]), steps=3)
        page.wait_for_timeout(300)
        if look(page, name, "(chart, x) => chart._hoverdata?.[0].x === x", x):
            page.mouse.down()
            page.mouse.up()
            return
    raise AssertionError(f"nothing answers the pointer at {uid}, {x}")


# Files.


def downloaded(page: Any, press: Callable[[], None]) -> tuple[str, str]:
    """Return the name and the text of the file that comes when a button is pressed."""
    with page.expect_download() as download:
        press()
    return download.value.suggested_filename, Path(download.value.path()).read_text("utf-8")


def saved(page: Any, label: str) -> str:
    """Press a button of the downloads, and return the file's text."""
    return downloaded(page, page.get_by_role("button", name=label).click)[1]


def curves_file(page: Any) -> list[dict[str, str]]:
    open_tab(page, "Table and downloads")
    return list(csv.DictReader(saved(page, "Curves (CSV)").splitlines()))


def objectives(rows: list[dict[str, str]]) -> Iterator[tuple[str, float, int, int, float]]:
    for row in rows:
        where = row["method"], float(row["lambda"]), int(row["seed"]), int(row["iteration"])
        yield *where, float(row["objective"]) if row["objective"] else math.nan
