"""A sweep as one HTML file that needs no network: the finding, the charts, the numbers and how to reproduce them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape

from . import figures
from .catalogue import losses, methods, noises, schedules
from .results import (
    JUDGED_BY,
    MEASURES,
    Criterion,
    Judged,
    Result,
    UsableRange,
    against_constant,
    best,
    blurred,
    certainty,
    decades,
    few,
    finding,
    interval,
    number,
    risk_in_words,
    risk_name,
    subject,
    sureness,
    take,
    undecided,
)
from .specs import ZERO, ProblemSpec, SweepSpec
from .version import __version__

_HEIGHTS = {"sensitivity": 520, "curves": 500, "parts": 420}  # px


def html(result: Result, command: str, by: Criterion | None = None) -> str:
    """Return the report of a sweep.

    Parameters
    ----------
    command
        What reproduces the result, shown as it is.
    by
        What counts as usable, and by which measure the report opens; it shows every measure.
    """
    from plotly.offline import get_plotlyjs

    by = Criterion() if by is None else by
    spec = result.spec
    about = subject(spec.problem)
    drawn = {theme: _charts(result, by, theme) for theme in ("light", "dark")}
    sections = "".join(_section(name, title, caption) for name, (_, title, caption) in drawn["light"].items())
    data = {theme: {name: figure for name, (figure, *_) in charts.items()} for theme, charts in drawn.items()}
    # In JSON a "<" only stands in strings, where it may be written \u003c: no text can end the script.
    embedded = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    plotly = get_plotlyjs().replace("</script", "<\\/script")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(f"Step sizes for {about}")}</title>
<style>{_style(spec)}</style>
</head>
<body>
<main>
<p class="kicker">{escape(about)}</p>
<h1>{escape(finding(result, by))}</h1>
{_recommended(result, by)}<p class="lead">{escape(_lead(result, by))}</p>
{_verdicts(result, by)}
{sections}
<h2>What was run</h2>
{_table([*_problem(spec.problem), *_sweep(spec)])}
<h2>Optimum and time</h2>
{_table(_numbers(result, by))}
<h2>Reproduce it</h2>
<pre><code>{escape(command)}</code></pre>
<p class="quiet">Run {escape(spec.id)} · cvar_core {escape(__version__)}</p>
</main>
<script type="application/json" id="charts">{embedded}</script>
<script>{plotly}</script>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _charts(result: Result, by: Criterion, theme: str) -> dict[str, tuple[figures.Figure, str, str]]:
    """Return the charts with their headings and captions, which are set as text: that breaks its lines."""
    charts = {}
    for measure in _ordered(by):
        judging = replace(by, measure=measure)
        chart, _, caption = figures.without_title(figures.sensitivity(result, by=judging, theme=theme))
        # The finding by the first measure is the report's title.
        heading = f"Sensitivity to the step size, by {JUDGED_BY[measure]}"
        words = caption if measure == by.measure else f"{finding(result, judging)}. {caption}"
        charts[f"sensitivity-{measure}"] = (chart, heading, words)
    if any(result.best_lambda(name) is not None for name in result.spec.methods):
        charts["curves"] = figures.without_title(figures.curves(result, measure=by.measure, theme=theme))
        charts["parts"] = figures.without_title(figures.parts(result, measure=by.measure, theme=theme))
    return charts


def _ordered(by: Criterion) -> list[str]:
    """Return the measures, the one that is judged by first."""
    return sorted(MEASURES, key=lambda measure: measure != by.measure)


def _section(name: str, title: str, caption: str) -> str:
    return (
        f'<h2>{escape(title)}</h2>\n<figure><figcaption class="quiet">{escape(caption)}</figcaption>'
        f'<div class="chart" id="{name}" style="height:{_HEIGHTS[name.split("-")[0]]}px"></div></figure>\n'
    )


def _lead(result: Result, by: Criterion) -> str:
    judged = result.judged(by)
    gap = "the excess risk of the model" if by.measure == "risk" else "the suboptimality of model and threshold"
    reach = (
        f"closes at least {100 * by.closed:.4g}% of its own gap at the start"
        if by.epsilon is None
        else f"ends with a gap of at most {number(by.epsilon)}"
    )
    words = (
        f"A step size λ is usable for a start when the run does not diverge and {reach}. The gap here is {gap}: "
        f"{number(judged.start)} at the start, so that ε = {number(judged.epsilon)}, both the median over the starts."
    )
    further = (undecided(result), blurred(judged), against_constant(judged), few(len(result.spec.seeds)))
    return " ".join([words, *(f"{more}." for more in further if more)])


def _recommended(result: Result, by: Criterion) -> str:
    words = take(result.judged(by))
    return f'<p class="take">{escape(words)}.</p>\n' if words else ""


def _verdicts(result: Result, by: Criterion) -> str:
    """Return the table of what each method forgives, by every measure."""
    judged, spec = {measure: result.judged(replace(by, measure=measure)) for measure in _ordered(by)}, result.spec
    first = judged[by.measure]
    rows = []
    for m, name in enumerate(spec.methods):
        lam = first.best_lambda(name)
        gap = None if lam is None else float(first.at().median[m, spec.lambdas.index(lam)])
        widths = [_forgiven(each, name) for each in judged.values()]
        usable = "no verdict" if first.nothing_to_close is not None else _range(first.forgiven[name].typical)
        cells = [best(first, name), number(gap), usable, *widths]
        label = (
            f'<th scope="row"><span class="method-{m}">{figures.glyph(name)}</span> {escape(methods[name].label)}</th>'
        )
        rows.append(f"<tr>{label}{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    widths = [f"decades by {JUDGED_BY[measure]}" for measure in judged]
    head = ("method", "best λ", "gap there", "usable λ", *widths)
    about = f'<p class="quiet">In brackets: the {escape(sureness(len(spec.seeds)))}.</p>' if len(spec.seeds) > 1 else ""
    return (
        '<div class="wide"><table class="verdicts"><thead><tr>'
        + "".join(f'<th scope="col">{title}</th>' for title in head)
        + f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{about}"
    )


def _forgiven(judged: Judged, method: str) -> str:
    if judged.nothing_to_close is not None:
        return "no verdict"
    found = judged.forgiven[method]
    return decades(found) + (f" ({interval(found)})" if interval(found) else "")


def _range(found: UsableRange | None) -> str:
    if found is None:
        return "none"
    if found.low == found.high:
        return number(found.low)
    low = ("≤ " if found.open_low else "") + number(found.low)
    high = ("≥ " if found.open_high else "") + number(found.high)
    return f"{low} to {high}" + (", and others beyond a hole" if found.holes else "")


def _problem(problem: ProblemSpec) -> list[tuple[str, str]]:
    loss = losses[problem.full_loss]
    chosen = f", {_told(loss.parameters)}" if loss.parameters else ""
    rows = [
        ("objective", f"{risk_name(problem)} at β = {problem.beta:g}: the {risk_in_words(problem)}"),
        ("loss", f"{problem.loss}, {loss.formula}{chosen}" + _times(problem.scale)),
        ("start", "θ = 0" if problem.start == ZERO else "θ at random, from N(0, I)"),
    ]
    if problem.noise is None:
        rows.append(("data", f"{problem.sample_size:,} rows, {problem.dim:,} columns (digest {problem.data})"))
        return rows
    values = _told(problem.noise_params or {})
    rows.append(("noise", f"{problem.noise}, {noises[problem.noise].formula} with {values}"))
    rows.append(("dimension", f"{problem.dim:,}"))
    if problem.sample_size is None:
        points = f"the distribution itself; evaluated on {problem.eval_size:,} points"
    else:
        points = f"{problem.sample_size:,} drawn points, which are all there is"
    rows.append(("samples from", f"{points} (problem seed {problem.seed})"))
    return rows


def _told(parameters: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in parameters.items())


def _times(scale: float) -> str:
    return "" if scale == 1 else f", times {number(scale)}"


def _sweep(spec: SweepSpec) -> list[tuple[str, str]]:
    lambdas = spec.lambdas
    if len(lambdas) <= 4:
        grid = ", ".join(number(lam) for lam in lambdas)
    else:
        grid = f"{len(lambdas)} values from {number(lambdas[0])} to {number(lambdas[-1])}"
    seeds = ", ".join(str(seed) for seed in spec.seeds[:8]) + (", …" if len(spec.seeds) > 8 else "")
    return [
        ("methods", ", ".join(f"{methods[name].label} ({methods[name].summary})" for name in spec.methods)),
        ("step sizes λ", grid),
        ("schedule", f"{spec.schedule}, {schedules[spec.schedule].formula}"),
        ("iterations", f"{spec.iterations:,}, recorded at {len(spec.checkpoint_iterations)} of them"),
        ("seeds", f"{len(spec.seeds):,}: {seeds}" if len(spec.seeds) > 1 else f"one: {seeds}"),
    ]


def _numbers(result: Result, by: Criterion) -> list[tuple[str, str]]:
    optimum = result.optimum
    gap = (
        "no certificate was found" if optimum.gap is None else f"certified within {number(optimum.gap)} of the minimum"
    )
    if not optimum.attained:
        gap = certainty(optimum)
    timings = result.timings
    parts = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in timings.items() if name != "total")
    rows = [
        ("F*", f"{optimum.value:.10g}, {gap}"),
        ("α*", f"{optimum.alpha:.6g}"),
    ]
    for measure in _ordered(by):
        judged = result.judged(replace(by, measure=measure))
        gaps = f"{number(judged.start)} at the start, ε = {number(judged.epsilon)}, medians over the starts"
        rows.append((f"gap by {JUDGED_BY[measure]}", gaps))
    if optimum.floor:
        rows.append(
            ("floor", f"{number(optimum.floor)}: what the population's best model shows above F* on the points")
        )
    if optimum.constant is not None:
        rows.append(("best constant prediction", f"{risk_name(result.spec.problem)} {number(optimum.constant)}"))
    if "total" in timings:
        rows.append(("time", f"{timings['total']:.2f} s on the clock"))
    if parts:
        rows.append(("summed over threads", parts))
    return rows


def _table(rows: Iterable[tuple[str, str]]) -> str:
    body = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)
    return f'<table class="facts"><tbody>{body}</tbody></table>'


def _style(spec: SweepSpec) -> str:
    """Return the style sheet, with the charts' colours in both themes."""

    def variables(theme: figures.Theme) -> str:
        colours = "".join(
            f"--method-{m}:{figures.style(name, theme.name).colour};" for m, name in enumerate(spec.methods)
        )
        return f"--text:{theme.text};--quiet:{theme.quiet};--line:{theme.grid};--page:{theme.surface};{colours}"

    classes = "".join(f".method-{m}{{color:var(--method-{m})}}" for m in range(len(spec.methods)))
    dark = f"@media (prefers-color-scheme: dark){{:root{{{variables(figures.DARK)}}}}}"
    return f":root{{{variables(figures.LIGHT)}}}{dark}{_SHEET}{classes}".replace("FONT", figures.FONT)


_SHEET = """
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:17px/1.5 FONT}
main{max-width:1080px;margin:0 auto;padding:40px 28px 64px}
h1{font-size:32px;line-height:1.2;margin:4px 0 12px;text-wrap:balance}
h2{font-size:21px;line-height:1.3;margin:44px 0 8px}
.kicker,.quiet{color:var(--quiet)}
.kicker{margin:0}
.take{margin:0 0 12px;max-width:40em;font-size:20px;line-height:1.4}
.lead{margin:0 0 20px;max-width:46em}
figure{margin:0}
.chart{width:100%}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:8px 20px 8px 0;border-bottom:1px solid var(--line)}
thead th{color:var(--quiet);font-weight:400}
.verdicts{font-size:18px;white-space:nowrap}
.facts th{font-weight:400;color:var(--quiet);width:11em}
pre{padding:14px 16px;border:1px solid var(--line);border-radius:6px;font-size:15px;line-height:1.5;
white-space:pre-wrap;overflow-wrap:anywhere}
@media print{h2{break-after:avoid}figure,table{break-inside:avoid}}
"""

_SCRIPT = """
const charts = JSON.parse(document.getElementById("charts").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {
  for (const [name, chart] of Object.entries(charts[dark.matches ? "dark" : "light"]))
    Plotly.react(name, chart.data, chart.layout, {responsive: true, displaylogo: false, displayModeBar: "hover"});
}
dark.addEventListener("change", draw);
draw();
"""
