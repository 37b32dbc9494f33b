"""A visitor's files: upload, see what is here and for how long, delete."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from cvar_core.data import DataError, sets
from cvar_core.jobs import Limits, Refused

from .. import internals
from ..drawing.text import fault, plain
from . import turned_away
from .sources import Sources


def draw_upload(page: str, sources: Sources, limits: Limits, chosen: Callable[[list[str]], None]) -> None:
    """Draw the field that takes files; ``chosen`` is called with the names of those that came, the largest first."""
    refusals = _refusals(page)
    turn = st.session_state.setdefault(f"{page}-upload-turn", 0)  # a new field after each: the server keeps one copy
    key = f"{page}-upload-{turn}"

    def take() -> None:
        sent = st.session_state[key] or []
        came = sorted((file for file in sent if internals.still_here(file)), key=lambda file: -file.size)
        st.session_state[f"{page}-upload-turn"] = turn + 1
        kept: list[str] = []
        faults: list[str] = []
        if len(came) < len(sent):
            faults.append("A file was here too long before it was read. Upload it again.")
        for file in came:
            try:
                kept.append(sources.add(_free(file.name), file.getvalue()))
            except DataError as why:
                faults += why.sentences
            except Refused as why:
                faults.append(str(why))
            internals.let_go(internals.session_id(), file.file_id)
        st.session_state[f"{page}-upload-faults"] = faults
        if kept:
            chosen(kept)

    st.file_uploader(
        "Or upload your own", accept_multiple_files=True, key=key, on_change=take,
        max_upload_size=max(1, limits.upload // 2**20),
        help="A table (CSV and its kin, Parquet, Feather), LIBSVM or npz, plain or compressed (gz, bz2, xz, zst, zip). "
        "Training and test rows may come together.",
    )  # fmt: skip
    st.caption(
        f"Only you can see your files. They are removed after {limits.upload_hours} hours, or when you delete them; "
        f"you can have {limits.uploads}."
    )
    for sentence in [*refusals, *st.session_state.get(f"{page}-upload-faults", [])]:
        st.markdown(fault(sentence.rstrip(".")))


def _refusals(page: str) -> list[str]:
    """Return what the server said to files that it did not take in, until others are; clear a field that sent no more.

    The server says it as it happens, before or after the others of one choice have come.
    """
    session, turn = internals.session_id(), st.session_state.get(f"{page}-upload-turn", 0)
    since, known = st.session_state.get(f"{page}-upload-refused", (turn, []))
    if told := turned_away.told(session):
        since, known = turn, list(dict.fromkeys([*(known if since == turn else []), *told]))
        st.session_state[f"{page}-upload-refused"] = turn, known
        if not internals.files_of(session):
            st.session_state[f"{page}-upload-turn"] = turn + 1
    return known if since >= turn - 1 else []


def draw_files(page: str, sources: Sources) -> None:
    """List the visitor's files."""
    own = list(sources.own.values())
    with st.expander(f"Your files ({len(own)})"):
        for k, upload in enumerate(own):
            about, delete = st.columns([3, 2], vertical_alignment="center")
            about.markdown(f"{plain(upload.name, 40)}  \n:gray[{_size(upload.size)}, {_left(upload.until)}]")
            delete.button(
                "Delete", key=f"{page}-delete-file-{k}", type="tertiary", icon=":material/delete:", width="stretch",
                on_click=sources.remove, args=(upload.name,),
            )  # fmt: skip
        if not own:
            st.caption("None yet.")


def _free(name: str) -> str:
    return f"{name}.data" if name in sets else name  # a set keeps its name


def _size(count: int) -> str:
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{count / 2**10:,.0f} kB"


def _left(until: float) -> str:
    hours = (until - time.time()) / 3600
    return f"removed in {hours:.0f} h" if hours >= 1.5 else f"removed in {max(hours * 60, 1):.0f} min"
