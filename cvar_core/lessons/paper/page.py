"""Both figures of the paper as one HTML file that needs no network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape

from ... import figures
from ...catalogue import methods
from ...figures.lessons.paper_charts import HEIGHT, KINDS, panel, reading_words, triangle_words
from ...results import JUDGED_BY, OBJECTIVE, RISK, Criterion, Result
from .claims import claims, headline
from .nine_panels import name


def html(results: Sequence[Result]) -> str:
    """Return the file: the finding, the grids, and the paper's claims with what became of them, by both measures.

    The objective, which the paper prints, comes first.
    """
    from plotly.offline import get_plotlyjs

    names = results[0].spec.methods
    drawn = {theme: _charts(results, theme) for theme in ("light", "dark")}
    charts = {theme: {key: figure for key, (figure, _) in each.items()} for theme, each in drawn.items()}
    # In JSON a "<" only stands in strings, where it may be written \u003c: no text can end the script.
    embedded = json.dumps(charts, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    plotly = get_plotlyjs().replace("</script", "<\\/script")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The paper's figures</title>
<style>{_style(names)}</style>
</head>
<body>
<main>
<h1>{escape(headline(results, _CRITERIA[0]))}</h1>
<p>{escape(headline(results, _CRITERIA[1]))}.</p>
{"".join(_grid(results, kind, by, drawn["light"]) for by in _CRITERIA for kind in KINDS)}
{"".join(_said(results, by) for by in _CRITERIA)}
</main>
<script type="application/json" id="charts">{embedded}</script>
<script>{plotly}</script>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _charts(results: Sequence[Result], theme: str) -> dict[str, tuple[figures.Figure, str]]:
    return {
        f"{kind}-{by.measure}-{k}": panel(each, kind, by=by, theme=theme)
        for kind in KINDS
        for by in _CRITERIA
        for k, each in enumerate(results)
    }


def _said(results: Sequence[Result], by: Criterion) -> str:
    claimed = "".join(
        f"<li><b>{escape(each.says)}</b> {escape(each.verdict.capitalize())}. {escape(each.found)}</li>"
        for each in claims(results, by)
    )
    return f"<h2>What the paper says of them, judged by {escape(JUDGED_BY[by.measure])}</h2><ul>{claimed}</ul>"


def _grid(results: Sequence[Result], kind: str, by: Criterion, drawn: Mapping[str, tuple[figures.Figure, str]]) -> str:
    key = f"{kind}-{by.measure}"
    cells = "".join(
        f"<figure><figcaption>{escape(name(result.spec))}<br><small>{escape(drawn[f'{key}-{k}'][1])}</small>"
        f'</figcaption><div class="chart" id="{key}-{k}"></div></figure>'
        for k, result in enumerate(results)
    )
    legend = " ".join(
        f'<span class="method-{m}">{figures.glyph(each)}</span> {methods[each].label}'
        for m, each in enumerate(results[0].spec.methods)
    )
    reading = escape(
        f"{triangle_words(kind)}. {reading_words(kind, by.measure)} ε is a tenth of the gap at each start."
    )
    return (
        f"<h2>{_TITLES[kind]}, by {escape(JUDGED_BY[by.measure])}</h2>"
        f'<p class="quiet">{legend} △ {reading}</p><div class="grid">{cells}</div>'
    )


def _style(names: Sequence[str]) -> str:
    """Return the style sheet, with the charts' colours in both themes."""

    def variables(theme: figures.Theme) -> str:
        return f"--text:{theme.text};--quiet:{theme.quiet};--page:{theme.surface};" + "".join(
            f"--method-{m}:{figures.style(each, theme.name).colour};" for m, each in enumerate(names)
        )

    classes = "".join(f".method-{m}{{color:var(--method-{m})}}" for m in range(len(names)))
    dark = f"@media (prefers-color-scheme: dark){{:root{{{variables(figures.DARK)}}}}}"
    sheet = _SHEET.replace("FONT", figures.FONT).replace("HEIGHT", f"{HEIGHT}px")
    return f":root{{{variables(figures.LIGHT)}}}{dark}{sheet}{classes}"


_CRITERIA = (Criterion(OBJECTIVE), Criterion(RISK))
_TITLES = {"suboptimality": "Final gap against λ", "iterations": "Iterations to ε against λ"}

_SHEET = """
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:17px/1.5 FONT}
main{max-width:1500px;margin:0 auto;padding:32px 28px 64px}
h1{font-size:30px;line-height:1.2;text-wrap:balance}
h2{font-size:21px;margin:36px 0 4px}
small,.quiet{color:var(--quiet)}
small{font-size:15px}
.grid{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:20px;align-items:end}
@media (max-width:1000px){.grid{grid-template-columns:1fr}}
figure{margin:0;break-inside:avoid}
figcaption{font-weight:600;line-height:1.35}
figcaption small{font-weight:400}
.chart{height:HEIGHT}
li{margin:0 0 8px;max-width:60em}
"""

_SCRIPT = """
const charts = JSON.parse(document.getElementById("charts").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {
  for (const [name, chart] of Object.entries(charts[dark.matches ? "dark" : "light"]))
    Plotly.react(name, chart.data, chart.layout, {responsive: true, displaylogo: false, displayModeBar: false});
}
dark.addEventListener("change", draw);
draw();
"""
