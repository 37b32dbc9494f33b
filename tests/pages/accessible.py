"""What keeps a visitor from a page who cannot see it, sees little, has no pointer, or holds a phone."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import TimeoutError

from tests.pages.driving import PATIENCE, idle

AXE = Path(axe_playwright_python.__path__[0], "axe.min.js").read_text("utf-8")
PHONE = {"width": 390, "height": 844}
PROJECTOR = {"width": 1280, "height": 720}
BACK_ROW = 20  # px: smaller letters are not read from there


def findings(page: Any, rules: list[str] | None = None) -> list[str]:
    """Return what axe calls serious, and headings that leave out a level, each in a line; by all rules or by some."""
    page.evaluate(f"() => {{ if (!window.axe) {{ {AXE} }} }}")
    return list(page.evaluate(_FOUND, rules))


def faint_words(page: Any) -> list[str]:
    """Return the words in charts with a contrast below 4.5 to the page: axe does not look into pictures."""
    return list(page.evaluate(_FAINT))


def turned(page: Any, scheme: str) -> None:
    """Turn a page light or dark, and wait until it and its charts are."""
    page.add_style_tag(content="*, ::before, ::after { transition: none !important }")  # no colours in between
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(_TURNED, arg=scheme)
    idle(page)


def wider_than_a_phone(page: Any) -> list[str]:
    """Return what a phone could only show by scrolling sideways."""
    page.set_viewport_size(PHONE)
    with suppress(TimeoutError):  # charts and tables follow in their own time
        page.wait_for_function(f"() => !({_TOO_WIDE})().length", timeout=PATIENCE / 6)
    return list(page.evaluate(_TOO_WIDE))


def below_a_projector(page: Any) -> list[str]:
    """Return what of a run's two charts, down to the names of their axes, a projector does not show at once."""
    page.set_viewport_size(PROJECTOR)
    with suppress(TimeoutError):  # they follow in their own time
        page.wait_for_function(f"() => !({_BELOW})().length", timeout=PATIENCE / 6)
    return list(page.evaluate(_BELOW))


def small_words(page: Any) -> list[str]:
    """Return what is written smaller than the back row of a room can read, but for what is raised or lowered."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => !({_SMALL})({BACK_ROW}).length", timeout=PATIENCE / 6)
    return list(page.evaluate(_SMALL, BACK_ROW))


_TURNED = """scheme => {
    const charts = [...document.querySelectorAll('.js-plotly-plot')].filter(chart => chart.offsetWidth);
    const dark = chart => parseInt(chart._fullLayout?.font.color.slice(1, 3), 16) > 128; // its words are light
    return getComputedStyle(document.querySelector('.stApp')).colorScheme === scheme
        && charts.every(chart => dark(chart) === (scheme === 'dark'));
}"""

_FOUND = """async rules => {
    const { violations } = await axe.run(document, { resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
    const grave = violations.filter(({ id, impact }) => /serious|critical/.test(impact) || id === 'heading-order');
    return grave.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}"""

_FAINT = """() => {
    const linear = part => part <= 0.04045 * 255 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    const numbers = colour => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const page = numbers(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
    const found = new Set();
    for (const text of document.querySelectorAll('.main-svg :is(text, tspan)')) {
        const { fill } = getComputedStyle(text);
        if (!text.textContent.trim() || !text.getClientRects().length || fill === 'none') continue;
        const [red, green, blue, alpha = 1] = numbers(fill);
        let opacity = alpha;
        for (let part = text; !part.matches('.main-svg'); part = part.parentElement)
            opacity *= getComputedStyle(part).opacity;
        const seen = [red, green, blue].map((part, k) => opacity * part + (1 - opacity) * page[k]);
        const [high, low] = [light(seen), light(page)].sort((one, other) => other - one);
        if ((high + 0.05) / (low + 0.05) < 4.5) found.add(`${text.textContent} in ${fill}`);
    }
    return [...found];
}"""

# Neither the page nor a part of it, unless it stands in a place that scrolls, or cuts, by itself.
_TOO_WIDE = """() => {
    const main = document.querySelector('.stMain');
    const kept = part => part !== main && (getComputedStyle(part).overflowX !== 'visible' || kept(part.parentElement));
    const parts = [...main.querySelectorAll('*:not(svg *, .cvar-spoken)')].filter(part => part.checkVisibility());
    const wide = parts.filter(part => part.getBoundingClientRect().right > innerWidth + 1 && !kept(part.parentElement));
    const scrolls = [document.documentElement, main].some(part => part.scrollWidth > part.clientWidth + 1);
    return [...(scrolls ? ['the page'] : []), ...wide.slice(0, 5).map(part => part.outerHTML.slice(0, 200))];
}"""

_BELOW = """() => [...document.querySelectorAll('.cvar-live[data-part=study] .cvar-chart')].flatMap(chart => {
    const { bottom } = chart.querySelector('.xtitle').getBoundingClientRect(), { height, _size } = chart._fullLayout;
    const high = Math.round(height) === chart.offsetHeight && _size.h > 80; // of the curves
    return bottom <= innerHeight && high ? [] : [`${bottom} of ${innerHeight}, ${_size.h} high, ${height}`];
})"""

_SMALL = """least => {
    const words = document.createTreeWalker(document.querySelector('.stApp'), NodeFilter.SHOW_TEXT), found = new Set();
    const aside = 'sup, sub, tspan[dy], style, .cvar-swatch, .modebar, .cvar-spoken, [data-testid=stSidebar]';
    while (words.nextNode()) {
        const { parentElement: part, textContent: text } = words.currentNode;
        if (!text.trim() || part.closest(aside) || !part.checkVisibility({ visibilityProperty: true })) continue;
        const size = parseFloat(getComputedStyle(part).fontSize);
        if (size < least - 0.05 && part.getClientRects().length) found.add(`${size} px: ${text.trim().slice(0, 60)}`);
    }
    return [...found];
}"""
