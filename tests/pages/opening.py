"""Opens pages under ``AppTest``, and reads what they say."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.components.sending import answers
from tests.pages.held import AtOnce
from tests.pages.reading import charts_of, disagrees, heard, words_of_frames
from tests.pages.serving import ROOT

AT_ONCE = (answers, "threads", lambda count: AtOnce())  # a page that has opened has got all its answers


def opened(script: str, **link: Any) -> AppTest:
    """Open a page by its script, a path within the project or another, and by what stands in its link."""
    page = AppTest.from_file(str(ROOT / script), default_timeout=120)
    for name, value in link.items():
        page.query_params[name] = value
    shown(page.run())
    return shown(page.run()) if disagrees(page) else page


def opener(name: str) -> Callable[..., AppTest]:
    """Return what opens a page of that name, by a link whose fields all begin with it."""
    return lambda **link: opened(f"pages/{name}.py", **{f"{name}_{field}": value for field, value in link.items()})


def shown(page: AppTest) -> AppTest:
    assert not page.exception, page.exception[0].message
    return page


def words(page: AppTest) -> str:
    """Return all that can be read on the page, with Markdown's signs."""
    kinds = ("markdown", "caption", "info", "warning", "error", "subheader")
    texts = [element.value for kind in kinds for element in getattr(page, kind)]
    texts += [element.proto.body for element in page.get("html")]
    texts += [each.get(part, "") for each in heard(page) for part in ("words", "above", "below")]
    texts += [sent[part] for sent in charts_of(page).values() for part in ("title", "caption")]
    texts += words_of_frames(page)
    return "\n".join(texts)


def button(page: AppTest, label: str) -> Any:
    return next(each for each in page.button if each.label == label)


@contextmanager
def smaller(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Give modules' attributes other values; what is cached must not outlive them."""
    _forget()
    with pytest.MonkeyPatch.context() as patch:
        for where, name, value in changes:
            patch.setattr(where, name, value)
        yield
    _forget()


def _forget() -> None:
    st.cache_data.clear()
    st.cache_resource.clear()
    answers.forget()
