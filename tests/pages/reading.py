"""What a page under ``AppTest`` has sent to the browser, and what the stream would send to its live parts."""

import json
from itertools import chain
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.components.drawing.look import Look
from pages.components.sending import server
from pages.components.sending.subjects import subject_of

Figure = dict[str, Any]


def charts_of(at: AppTest) -> dict[str, dict[str, Any]]:
    """Return what each chart was sent, by its key: the figure, its label, the height and the file's name."""
    lines = chain(*(proto.bytes.split(b"\n") for proto in _mounted(at, "cvar_chart")))
    sent = [json.loads(line) for line in lines]
    sent += chain(*(each.get("charts", ()) for each in heard(at)))
    return {each["key"]: each for each in sent}


def figures_of(at: AppTest) -> dict[str, Figure]:
    """Return each chart's figure, by its key, in the page's order."""
    return {key: sent["figure"] for key, sent in charts_of(at).items()}


def heard(at: AppTest) -> list[dict[str, Any]]:
    """Return what each live part of the page hears: its words, what is settled, and its picture if it has one."""
    shared = server.opened()
    told = [json.loads(proto.json) for proto in _mounted(at, "cvar_look")]
    looks = {each["page"]: each["look"] for each in told}
    found = []
    for proto in _mounted(at, "cvar_live"):
        data = json.loads(proto.json)
        subject = subject_of(shared.tickets.subject(data["ticket"]), shared.manager)
        look = Look.read({**looks.get(data["page"], {}), "at": data.get("at")})
        seen = subject.seen(data["part"], look)
        picture = {} if seen.picture is None else json.loads(seen.picture())
        found.append({"part": data["part"], "words": seen.words, "settled": seen.settled, **picture})
    return found


def _mounted(at: AppTest, name: str) -> list[Any]:
    return [each.proto for each in at.get("bidi_component") if each.proto.component_name == name]
