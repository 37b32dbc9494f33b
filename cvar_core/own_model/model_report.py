"""A study of a model as one HTML file that needs no network."""

from __future__ import annotations

import json
from html import escape

from ..figures.frame import without_title
from ..version import __version__
from .model_study import ModelStudy

_SHEET = """
body{margin:0 auto;max-width:1080px;padding:40px 28px 64px}
body{font:17px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff}
h1{font-size:28px;line-height:1.25;text-wrap:balance}
pre{overflow-x:auto;font-size:14px;line-height:1.5}
#chart{width:100%;height:560px}
"""


def model_html(study: ModelStudy) -> str:
    """Return the report of a study: the finding, the chart and the table."""
    from plotly.offline import get_plotlyjs

    from .model_chart import model_chart

    figure, _, _ = without_title(model_chart(study))
    # In JSON a "<" only stands in strings, where it may be written \\u003c: no text can end the script.
    embedded = json.dumps(figure, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    finding, *table, about = str(study).splitlines()
    plotly = get_plotlyjs().replace("</script", "<\\/script")
    how = f"{study.steps:,} steps on batches of {study.batch}, {study.schedule} schedule of λ, {len(study.seeds)} seeds"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Step sizes for a model</title>
<style>{_SHEET}</style>
</head>
<body>
<h1>{escape(finding)}</h1>
<p>{escape(how)}. cvar_core {escape(__version__)}.</p>
<div id="chart"></div>
<pre>{escape(chr(10).join(table))}</pre>
<p>{escape(about)}</p>
<script>{plotly}</script>
<script>const figure = {embedded}; Plotly.newPlot("chart", figure.data, figure.layout, {{responsive: true}});</script>
</body>
</html>
"""
