"""Claims about how charts look: one language for all, in both themes, that can be read on a projector."""

from __future__ import annotations

import dataclasses
import itertools
import re

import pytest

from cvar_core import figures
from cvar_core.catalogue import methods
from tests.figures.results import METHODS, THEMES, all_figures, gently, made, trace


@pytest.mark.parametrize("theme", THEMES)
def test_every_chart_speaks_the_same_visual_language(real, theme):
    for draw in (figures.sensitivity, figures.curves, figures.iterations_to):
        figure = draw(real, theme=theme)
        for name in METHODS:
            look, line = figures.style(name, theme), trace(figure, f"{name}-median")
            assert (line["line"]["color"], line["line"]["dash"], line["marker"]["symbol"]) == look
            assert trace(figure, f"{name}-band")["fillcolor"] == figures.translucent(look.colour)
        assert figure["layout"]["uirevision"] == draw(made(gently()))["layout"]["uirevision"]


def contrast(colour: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""

    def luminance(text: str) -> float:
        parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(colour), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
def test_lines_and_text_stand_out_from_the_page(theme):
    later = [f"later-{k}" for k in range(10)]
    for name in (*METHODS, *later):
        assert contrast(figures.style(name, theme.name).colour, theme.surface) >= 3
    assert contrast(theme.text, theme.surface) >= 7
    assert contrast(theme.quiet, theme.surface) >= 4.5


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
def test_words_about_a_method_can_be_read_and_have_the_colour_of_its_line_where_that_can(theme):
    for name in (*(each.name for each in methods), "sgd-mean", "adam-ru", *(f"later-{k}" for k in range(10))):
        ink, line = figures.ink(name, theme.name), figures.style(name, theme.name).colour
        assert contrast(ink, theme.surface) >= 4.5
        assert (ink == line) == (contrast(line, theme.surface) >= 4.5)


def test_every_word_in_a_chart_stands_out_from_the_page(real):
    def colours(value):
        if isinstance(value, dict):
            yield from (each["color"] for key, each in value.items() if key.endswith("font") and "color" in each)
            yield from (found for each in value.values() for found in colours(each))
        elif isinstance(value, list | tuple):
            yield from (found for each in value for found in colours(each))
        elif isinstance(value, str):
            yield from re.findall(r"color: ?(#\w{6})", value)

    drawn = all_figures(real)
    for figure, theme in zip(drawn, [each for each in THEMES for _ in range(len(drawn) // 2)], strict=True):
        found = set(colours(figure))
        assert found
        assert min(contrast(colour, figures.theme_named(theme).surface) for colour in found) >= 4.5


def test_the_fixed_looks_and_those_of_methods_added_later_differ():
    assert figures.style("sgm") == ("#D55E00", "dot", "square")
    assert figures.style("spl") == ("#0072B2", "dash", "circle")
    assert figures.style("spl+") == ("#009E73", "solid", "diamond")
    added = ["later-a", "later-b", "later-c"]
    for name in added:
        methods.add(dataclasses.replace(methods["spl"], name=name, look=None))
    try:
        for theme in THEMES:
            looks = [figures.style(name, theme) for name in (*METHODS, *added)]
            for one, other in itertools.combinations(looks, 2):
                assert one.colour != other.colour
                assert one.marker != other.marker
        assert len({figures.glyph(name) for name in (*METHODS, *added)}) == 6
    finally:
        for name in added:
            methods.remove(name)


def test_text_can_be_read_on_a_projector(real):
    def sizes(value, key=""):
        if isinstance(value, dict):
            for inner, item in value.items():
                # Plotly sets the powers of ten on a logarithmic axis 1.25 times as large as their font.
                scale = 1.25 if inner == "tickfont" else 1
                yield from (scale * size for size in sizes(item, inner))
            if "font" in key and "size" in value:
                yield value["size"]
        elif isinstance(value, list):
            for item in value:
                yield from sizes(item, key)

    for figure in all_figures(real):
        found = list(sizes(figure["layout"]))
        assert len(found) > 8
        assert min(found) >= 15


def test_an_unknown_theme_is_refused(real):
    with pytest.raises(ValueError, match="theme is 'sepia', but it must be one of light, dark"):
        figures.sensitivity(real, theme="sepia")
