"""The paper's figures: nine problems at once, from results that ship with the project and can be computed again."""

from dataclasses import replace

import streamlit as st

from cvar_core.catalogue import methods
from cvar_core.figures import glyph, style
from cvar_core.figures.lessons.paper_charts import HEIGHT, headed, panel, reading_words, triangle_words
from cvar_core.lessons import paper
from cvar_core.results import JUDGED_BY, MEASURES, OBJECTIVE, Criterion, number
from pages.components.asking import links
from pages.components.asking.presets import PRESETS
from pages.components.drawing.chart import charts, encoded
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons.ways import arrive, explore_link, try_it
from pages.components.run.main_area import SHARES, ask_measure
from pages.components.sending.live import live
from pages.components.sending.server import known_visitor, manager

PAGE = "paper"
FIGURES = {"suboptimality": "Final gap", "iterations": "Iterations to ε"}
SIGNS = {"reproduces": ":material/check_circle:", "does not reproduce": ":material/cancel:"}


def progress() -> None:
    """Show the run under way; when it ends, the script runs again and begins the next one."""
    if again.refused:
        st.warning(f"{again.refused} What waits goes on by itself.", icon=":material/block:")
    bar, stop = st.columns([5, 1], vertical_alignment="center")
    with bar:
        st.markdown(again.progress())
        subject = ("place", visitor) if again.current is None else ("run", PAGE, visitor, again.current.id)
        live(*subject, part="status", key=f"{PAGE}-progress")
    stop.button("Stop", on_click=again.stop, args=(jobs, visitor), icon=":material/stop:", width="stretch")


apply_look()
arrive(PAGE)
link = links.read()
jobs, visitor, study = manager(), known_visitor(), paper.shipped()
again = st.session_state.setdefault(f"{PAGE}-again", paper.Recomputation())
again.move(jobs, visitor)
results = [again.result(known.spec, jobs, visitor) or known for known in study]

title = st.container(key="headline")
with st.container(key="paper-controls"):
    left, judge, right = st.columns([4, 5, 4], gap="medium", vertical_alignment="bottom")
links.recall("paper_figure", FIGURES, "suboptimality")
kind = left.segmented_control(
    "Figure", list(FIGURES), key="paper_figure", required=True, format_func=FIGURES.__getitem__, width="stretch",
)  # fmt: skip
links.keep("paper_figure", kind, "suboptimality")
with judge:
    measure = ask_measure("paper_measure", OBJECTIVE)  # as it is printed
share = right.select_slider(
    "Usable: closes this share of the gap", SHARES, "90%", key="paper_closed", bind="query-params",
    help="A λ is usable for a start when the run does not diverge and closes at least this share of its own gap. "
    "What then remains is ε.",
)  # fmt: skip
by = Criterion(measure, float(share.rstrip("%")) / 100)
other = replace(by, measure=next(name for name in MEASURES if name != by.measure))
title.markdown(
    f"# {paper.headline(results, by, whole=False)}\n\n"
    "The paper's nine problems, computed here. The wider a curve stays "
    "below the dashed line, the more a badly chosen step size λ is forgiven."
)
with st.container():  # always there, so that the charts below keep their places
    links.say_unread(PAGE, link, {"paper_figure": tuple(FIGURES), "paper_closed": SHARES, "paper_measure": MEASURES})
    if again.busy:
        progress()
    elif again.refused:
        st.error(again.refused, icon=":material/block:")

colours = {name: style(name, theme()).colour for name in methods.names()}
legend = " &emsp; ".join(
    f'<span style="color: {colours[name]}">{glyph(name)}</span> {methods[name].label}'
    for name in results[0].spec.methods
)
st.html(
    f'<div class="cvar-reading">{legend} &emsp; △ {triangle_words(kind)} &emsp; {reading_words(kind, by.measure)}</div>'
)
drawn, findings = [], []
for k, result in enumerate(results):
    about = f"{result.spec.problem.loss}, {result.spec.problem.noise}"
    figure, finding = panel(result, kind, by=by, theme=theme())
    label = f"{paper.name(result.spec).capitalize()}. {finding}."
    figure = headed(figure, about, result, kind, by, theme())
    drawn.append(encoded(figure, key=f"{PAGE}-{kind}-{k}", height=HEIGHT, label=label, name=paper.name(result.spec)))
    findings.append(finding)
with st.container(key="paper-grid"):
    charts(drawn, key=f"{PAGE}-{kind}")

claims = paper.claims(results, by)
reproduced = sum(claim.verdict == "reproduces" for claim in claims)
with st.expander(f"**What the paper says of them**: {reproduced} of {len(claims)} sentences reproduce"):
    for claim, beside in zip(claims, paper.claims(results, other), strict=True):
        sign = SIGNS.get(claim.verdict, ":material/help:")
        also = f" *By {JUDGED_BY[other.measure]}: {beside.verdict}.*"
        st.markdown(f"{sign} **{claim.says}** *{claim.verdict.capitalize()}.* {claim.found}{also}")
    st.caption(
        f"Judged by {JUDGED_BY[by.measure]}. Counted as a difference: a decade, a factor of ten in λ. Usable: {share} "
        "of the gap is closed, by the median start."
    )
with st.expander("**Open one of the nine in Explore, or compute it again**"):
    st.markdown(
        "At the paper's settings: $d = 10$, $\\beta = 0.95$, $T = 10^5$ updates, 15 step sizes, 5 seeds, and "
        "$\\tilde F$ over $10^6$ points."
    )
    st.button(
        "Compute all nine again", on_click=again.ask, args=([known.spec for known in study],), disabled=again.busy,
        icon=":material/replay:",
        help="One after another, in the background; what this server has computed is shown at once.",
    )  # fmt: skip
    for k, known in enumerate(study):
        about, busy = paper.name(known.spec).capitalize(), known.spec in (again.current, *again.waiting)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{about}**  \n{findings[k]}.  \n:gray[{again.words(known, jobs, visitor)}]")
            st.page_link(
                "pages/explore.py", label="Open in Explore", icon=":material/arrow_forward:", width="content",
                query_params=explore_link(known.spec),
            )  # fmt: skip
            st.button(
                "Compute again", key=f"{PAGE}-again-{k}", type="tertiary", icon=":material/replay:",
                on_click=again.ask, args=([known.spec],), disabled=busy,
            )  # fmt: skip
with st.expander("**Where the paper's text and formulas differ**"):
    st.markdown("\n".join(f"- {slip}" for slip in paper.SLIPS))
with st.expander("**Compute it yourself**"):
    st.code("python -m cvar_core figures", language="bash")
    made = ", ".join(f"{name} {version}" for name, version in study.versions.items())
    st.markdown(
        f"recomputes all nine and holds them against what is shipped, which was made by this command with {made}. "
        f"Every $F^*$ is certified: at most {number(study.certified)} of it above the minimum."
    )
try_it("A tenth problem: noise with heavier tails, in Explore", PRESETS["Heavy tails"])
