"""The atlas: which step size is safe in general? Many problems, every method and λ, from results that ship."""

import pandas as pd
import streamlit as st

from cvar_core.catalogue import methods
from cvar_core.figures import without_title
from cvar_core.figures.lessons.atlas_charts import profiles, safe_shares
from cvar_core.lessons import atlas
from cvar_core.lessons.atlas import atlas_sentences as says
from cvar_core.lessons.atlas.background import ABOUT_VARIANTS, CAUSES, KNOWN, NEW, UNKNOWN, VARIANTS
from cvar_core.results import EDGE, GAP, GAP_TO_CLOSE, NOT_SAFE, number
from pages.components.asking import links
from pages.components.drawing.chart import chart
from pages.components.drawing.style import apply_look, theme
from pages.components.drawing.text import capital
from pages.components.drawing.verdict_cards import card
from pages.components.lessons import atlas_filters, atlas_problem
from pages.components.lessons.ways import arrive
from pages.components.run.main_area import JUDGES
from pages.components.sending.server import manager

PAGE = "atlas"
PROBLEM, TABLE = "atlas_problem", "atlas-table"
HEIGHT = 460  # px
FIRST_HEIGHT = 370  # of the chart that a projector shows whole below the cards
WIDE = 300  # px, of the column of names
TINTS = {atlas.SIGNS[EDGE]: "rgba(230, 159, 0, 0.16)", atlas.SIGNS[NOT_SAFE]: "rgba(213, 94, 0, 0.22)"}


def cards(view: atlas.View) -> str:
    """Return one card a method in HTML: the share of problems on which its single λ is safe."""
    drawn, held = [], sum(entry.role == atlas.HELD_OUT for entry in view.entries)
    for name in atlas.METHODS:
        found, count = view.shares(name), view.count(name)
        interval = says.between(float(found.low[found.best]), float(found.high[found.best])).removeprefix("95% ")
        words = (
            f'<div class="decades">{says.percent(count / len(view))}</div>'
            f"<p>with λ = {number(found.lam)}</p><p>{interval}</p>"
        )
        if 0 < held < len(view):
            words += f"<p>held out: {says.percent(view.count(name, atlas.HELD_OUT) / held)}</p>"
        drawn.append(card(name, theme(), words))
    return f'<div class="cvar-cards cvar-many">{"".join(drawn)}</div>'


def tint(cell: str) -> str:
    """Return the style of a cell: a failure is to be found by its colour, and is read by its words."""
    return f"background-color: {TINTS[cell[0]]}" if cell[0] in TINTS else ""


def choose(names: list[str]) -> None:
    """Take up the problem whose row was clicked."""
    if cells := st.session_state[TABLE].selection.cells:
        st.session_state[PROBLEM] = names[cells[0][0]]


def chosen(names: list[str]) -> str:
    """Draw which problem is shown; unless somebody has chosen one, it is the first of the table."""
    links.recall(PROBLEM, names)
    if st.session_state.get(PROBLEM) in (None, st.session_state.get(f"{PAGE}-first")):
        st.session_state[PROBLEM] = names[0]
    st.session_state[f"{PAGE}-first"] = names[0]
    links.say_again(PROBLEM, names[0])
    name = st.selectbox("Problem", names, key=PROBLEM, help="Or click a cell of the table.")
    links.keep(PROBLEM, name, names[0])
    return str(name)


apply_look()
arrive(PAGE)
link = links.read()
shipped = atlas.shipped()
every_name = [each.entry.name for each in shipped.problems]
with st.sidebar:
    measure, wanted = atlas_filters.ask(shipped, JUDGES)
links.say_unread(PAGE, link, {PROBLEM: tuple(every_name), **atlas_filters.keys(shipped)})

view = atlas.filtered(shipped, measure, wanted)
if not len(view):
    st.markdown("# No problem of the atlas is like this")
    st.markdown(f"{says.unjudged(view)} Take a choice back in the sidebar.")
    st.stop()

body = st.container(key="charts")
body.container(key="headline").markdown(f"# {says.headline(view)}")
body.html(cards(view))

# What it finds is what the cards say.
picture, finding, about = without_title(safe_shares(view, theme=theme()), legend_rows=2)
drawn, told = body.columns([3, 2], gap="medium")
with drawn:
    chart(picture, key="atlas-shares", height=FIRST_HEIGHT, label=finding, name="safe shares")
    st.caption(f"{capital(about)}. Rings: the single λ of each method.")
told.markdown(" ".join(filter(None, (says.compared(view), says.held_out(view)))))
told.markdown(f"""
**One λ for every problem.** Nobody knows the best λ beforehand. A method is easy to use if one λ, chosen once, is safe
nearly everywhere. Here every method has run on every problem with {len(atlas.LAMBDAS)} step sizes from 10⁻⁶ to 10⁶ and
{atlas.SEEDS} starts each: at random on synthetic problems, as in the paper, and with θ = 0 on data, unless a name says
otherwise.

**Safe** means that every start closes {GAP_TO_CLOSE:.0%} of its own gap, here the {GAP[measure]}, with a factor of two
to spare on either side. {atlas.SEEDS} starts that agree make a λ *safe so far*, as everywhere in this project.

**The interval.** {says.resampled(view)}

**The single λ** of a method is the one that is safe most often on the problems that are not held out.

**SPL-U and SGM-U are ours, not the paper's.** Their λ has neither the unit of the loss nor that of a feature.
Truncated SGM is Asi and Duchi's: SGM whose model is cut off at 0, below which no loss is.
""")

body.markdown("## How far behind the best")
for column, single in zip(body.columns(2, gap="medium"), (False, True), strict=True):
    picture, finding, about = without_title(profiles(view, single, theme=theme()))
    with column:
        st.markdown(f"**{finding}**")
        chart(picture, key=f"atlas-profiles-{'single' if single else 'own'}", height=HEIGHT, label=finding)
body.caption(
    f"Performance profiles, as Dolan and Moré draw them. Compared is the {about}: by which factor a method leaves more "
    f"than the best method at its best λ. Less than {atlas.SOLVED:.1%} of the gap at the start counts as level. A "
    "method whose curve ends below 100% diverges on the rest, or is further behind."
)

with body:
    st.markdown("## Every problem at the single λ, failures first")
    order = atlas.failures_first(view)
    names = [view.entries[k].name for k in order]
    shown = {"problem": names}
    for method in says.ranked(view):  # the first beside the names, where the screen is narrow
        texts = atlas.cells(view, method)
        shown[f"{methods[method].label} · λ {number(view.shares(method).lam)}"] = [texts[k] for k in order]
    st.dataframe(
        pd.DataFrame(shown).style.map(tint), hide_index=True, height=420, key=TABLE, on_select=lambda: choose(names),
        selection_mode="single-cell", column_config={"problem": st.column_config.TextColumn(width=WIDE, pinned=True)},
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"✓ safe, ≈ on the edge, ✗ not safe; and the median share of the {GAP[measure]} that is left. Click a cell "
            "to see its problem below."
        )
        st.download_button(
            "Every λ (CSV)", lambda: atlas.every_number(view).to_csv(index=False), "cvar-atlas.csv", "text/csv",
            on_click="ignore", icon=":material/download:", key=f"{PAGE}-csv",
        )  # fmt: skip
    name = chosen([*names, *(each for each in every_name if each not in set(names))])
    atlas_problem.draw(view, every_name.index(name), manager().limits)

    first = says.ranked(view)[0]
    st.markdown(f"## Where {methods[first].label} with λ = {number(view.shares(first).lam)} is not safe")
    st.markdown("\n".join(f"- {line}" for line in says.failed(view, first)) or "On none of these problems.")
    st.caption(says.unjudged(view))
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Why it fails where it does", anchor=False)
        st.markdown("\n".join(f"- {line}" for line in CAUSES))
    with right:
        st.header("Other rules that were tried", anchor=False)
        st.markdown(VARIANTS)
        st.caption(ABOUT_VARIANTS)
    left, right = st.columns(2, gap="large")
    with left:
        st.header("What is known, and what is new", anchor=False)
        st.markdown("\n".join(f"- {line}" for line in (*KNOWN, NEW)))
    with right:
        st.header("What is not known", anchor=False)
        st.markdown("\n".join(f"- {line}" for line in UNKNOWN))
        st.header("Compute it yourself", anchor=False)
        st.code("python -m cvar_core atlas", language="bash")
        made = ", ".join(f"{part} {version}" for part, version in shipped.versions.items())
        st.markdown(
            f"computes every problem again, and goes on where it was stopped. What is shipped was made with {made}."
        )
