"""A tour: eight short lessons, each with a figure, a question that a click answers, and the page that shows more."""

import functools

import streamlit as st

from cvar_core.figures import without_title
from cvar_core.lessons import tour
from pages.components.asking import links
from pages.components.drawing.chart import charts, encoded
from pages.components.drawing.style import apply_look, theme
from pages.components.lessons import tour_progress
from pages.components.lessons.tour_lessons import LESSONS, Lesson
from pages.components.lessons.ways import arrive, link_to

PAGE = "tour"
WIDTH = 1240  # px: longer lines are hard to read
HEIGHT = 350  # px
AFTERWARDS = {
    "pages/paper.py": "The paper’s figures, recomputed",
    "pages/atlas.py": "On how many problems is one step size safe?",
    "pages/your_model.py": "Ten optimisers on a network, and the code for yours",
    "pages/data.py": "Which step size is safe on rows of your own?",
}


@functools.lru_cache(maxsize=128)  # the same for everybody: 3 to 12 kB each
def drawn(number: int, answered: bool, beta: float | None, theme: str) -> bytes:
    lesson, level = LESSONS[number - 1], {} if beta is None else {"beta": beta}
    picture, finding, about = without_title(lesson.draw(tour.shipped(), answered, **level, theme=theme))
    said = {"label": f"{finding}. {about}".rstrip(". "), "title": finding, "caption": about, "name": lesson.title}
    return encoded(picture, key="tour-figure", height=HEIGHT, **said)


def ask(lesson: Lesson, number: int, chosen: int | None) -> None:
    """Draw the question with its answers; once one is chosen, which is right, and why."""
    st.markdown(f"**{lesson.question}**")
    with st.container(key="tour-answers", gap="xsmall"):
        for k, (text, _) in enumerate(lesson.answers):
            right = chosen is not None and k == lesson.right
            icon = ":material/check:" if right else ":material/close:" if k == chosen else None
            st.button(
                text, key=f"tour-{number}-{k}", icon=icon, type="primary" if right else "secondary", width="stretch",
                on_click=tour_progress.answer, args=(number, k),
            )  # fmt: skip
    if chosen is None:
        return
    if chosen == lesson.right:
        st.success(f"**Right.** {lesson.told}")
    else:
        st.warning(f"**Not quite.** {lesson.answers[chosen][1]} {lesson.told}")


def ask_level() -> float:
    """Draw how much of the worst the CVaR line looks at, and return β."""
    levels = {f"{level:g}": level for level in tour.LEVELS}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("The CVaR line looks at the worst", width="content")
        picked = st.segmented_control(
            "Share of the worst errors", list(levels), key="tour-beta", default="0.9", required=True,
            format_func=lambda text: f"{100 * (1 - levels[text]):.0f}%", label_visibility="collapsed",
        )  # fmt: skip
    return levels[str(picked)]


def lead_on(lesson: Lesson, number: int) -> None:
    """Draw the links to the page that shows more."""
    along = tour_progress.along(number)
    with st.container(gap=None):
        for words, setup in ((lesson.words, lesson.setup), *([lesson.then] if lesson.then else [])):
            link_to(lesson.page, words, {**setup, **along})


apply_look()
arrive(PAGE)
link = links.read()
number, given = tour_progress.number(), tour_progress.given()
tour_progress.say_again()
links.say_unread(PAGE, link, {links.LESSON_NUMBER: [str(number)], links.LESSON_ANSWERS: None}, number)
lesson, chosen, count = LESSONS[number - 1], given.get(number), len(LESSONS)


def look_at() -> None:
    tour_progress.go(int(st.session_state["tour-step"]))


with st.container(key="tour", width=WIDTH, gap="small"):
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.session_state["tour-step"] = str(number)
        st.segmented_control(
            "Lesson", [str(k) for k in range(1, count + 1)], key="tour-step", on_change=look_at, required=True,
            format_func=lambda k: f"{k}\u2009✓" if int(k) in given else k, width="content",
            label_visibility="collapsed",
        )  # fmt: skip
        st.caption(f"{len(given)} of {count} answered")
    st.markdown(f"# {number}. {lesson.title}")
    st.markdown(lesson.text)
    with st.container(key="charts"):
        left, right = st.columns([3, 2], gap="medium")
    with left:
        figure = st.container()
        beta = ask_level() if number == 1 and chosen is not None else None
        with figure:
            charts([drawn(number, chosen is not None, beta, theme())], key="tour-figure")
    with right:
        ask(lesson, number, chosen)
        if chosen is not None:
            lead_on(lesson, number)
        with st.container(key="tour-ways", horizontal=True, gap="small"):
            st.button("Back", icon=":material/arrow_back:", on_click=tour_progress.go, args=(number - 1,),
                      disabled=number == 1)  # fmt: skip
            if number < count:
                st.button("Next lesson", icon=":material/arrow_forward:", on_click=tour_progress.go,
                          args=(number + 1,), type="primary" if chosen is not None else "secondary")  # fmt: skip
    with st.expander("The formula"):
        st.markdown(lesson.formula)
    if number == count:
        st.markdown("**And then**")
        for page, words in AFTERWARDS.items():
            link_to(page, words, {})
