"""What is drawn of a study of a network: the finding, test CVaR by step size, and a table of the optimisers."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from cvar_core.figures import glyph, style, without_title
from cvar_core.figures.lessons.your_model_charts import HEIGHT, Tried, cvar_by_lambda
from cvar_core.lessons import your_model
from cvar_core.lessons.your_model import Row
from cvar_core.own_model import ModelStudy, trainers
from cvar_core.own_model.growing_study import SoFar

from .chart import encoded
from .look import Look
from .run_picture import joined
from .text import capital

_HEAD = (
    ("optimiser", "What people use instead: SGD and Adam on the mean of a batch, on its top k, on the RU loss"),
    ("decades of λ", "That it forgives, by test CVaR: the median over the starts"),
    ("best λ", "Of the grid, by the median test CVaR; what follows is measured there"),
    ("test CVaR", "The mean of the worst share 1 − β of the test losses"),
    ("test mean", "The mean test loss"),
    ("worst digit", "The accuracy on the digit that it recognises worst"),
)
_NOTHING_YET = (
    '<div class="cvar-verdict"><h1>Ten optimisers, every step size: the first trainings are under way.</h1></div>'
)
_UNKNOWN = ("…", "", "…", "…", "…", "…")  # of a row, after the name
_ENOUGH = 5  # step sizes, the ends of the grid and three between, before anything is said of ranges


def study_picture(so_far: SoFar | None, page: str, look: Look) -> bytes:
    """Return the picture in JSON; without a study, what there is before the first training is over."""
    if so_far is None:
        return joined(_NOTHING_YET)
    plan, study = so_far.plan, so_far.study
    if study is not None:
        study = None if len(study.lambdas) < _ENOUGH else replace(study, closed=look.closed)
    tried = [
        Tried(
            name, trainers[name].label, tuple(lam for lam, known in zip(plan.lambdas, row, strict=True) if known),
            plan.cvars[k][:, row],
        )
        for k, (name, row) in enumerate(zip(plan.optimisers, so_far.known, strict=True))
    ]  # fmt: skip
    start = your_model.start(plan)
    usable = None if study is None else study.reference + (1 - study.closed) * (start - study.reference)
    drawn = cvar_by_lambda(tried, plan.lambdas, len(plan.seeds), start, usable, look.theme)
    figure, title, about = without_title(drawn)
    caption = f"{capital(about)}, β = {plan.beta:g}. Start: before training. Triangles: diverged or off the chart."
    chart = encoded(figure, key=f"{page}-cvar", height=HEIGHT, label=title, name="test-cvar-by-lambda", caption=caption)
    if study is None:
        return joined(_NOTHING_YET, chart, below=_table([Row(*each, *_UNKNOWN) for each in _names(plan)], look.theme))
    whole = bool(so_far.known.all())
    return joined(
        _verdict(study, whole),
        chart,
        below=_table(your_model.rows(study), look.theme, your_model.reference_words(study)),
    )


def _verdict(study: ModelStudy, whole: bool) -> str:
    heading = ("" if whole else "So far: ") + your_model.headline(study)
    return (
        f'<div class="cvar-verdict"><h1>{escape(heading)}.</h1>'
        f'<p class="cvar-take">{escape(your_model.untuned(study))}</p></div>'
    )


def _names(plan: ModelStudy) -> list[tuple[str, str]]:
    return [(name, trainers[name].label) for name in plan.optimisers]


def _table(rows: list[Row], theme: str, words: str = "") -> str:
    """Return the optimisers with their marks, which are the chart's legend, and what is known of each."""
    head = "".join(f'<th title="{escape(about)}">{escape(name)}</th>' for name, about in _HEAD)
    body = "".join(_row(row, theme) for row in rows)
    return f'<table class="cvar-table"><tr>{head}</tr>{body}</table><p class="cvar-caption">{escape(words)}</p>'


def _row(row: Row, theme: str) -> str:
    mark = f'<span style="color: {style(row.name, theme).colour}">{glyph(row.name)}</span>'
    sure = f" <small>({escape(row.interval)})</small>" if row.interval else ""
    cells = (f"{mark} {escape(row.label)}", f"<b>{escape(row.decades)}</b>{sure}", row.best_lambda, row.cvar, row.mean)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in (*cells, row.worst_group))}</tr>"
