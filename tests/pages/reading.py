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
    told = [json.loads(proto.json) for proto in _mounted(at, "cvar_look")]
    looks = {each["page"]: each["look"] for each in told}
    found = []
    for data in _live(at):
        shared = server.opened()
        subject = subject_of(shared.tickets.subject(data["ticket"]), shared)
        look = Look.read({**looks.get(data["page"], {}), "at": data.get("at")})
        seen = subject.seen(data["part"], look)
        picture = {} if seen.picture is None else json.loads(seen.picture())
        found.append({"part": data["part"], "words": seen.words, "settled": seen.settled, **picture})
    return found


def live_data(at: AppTest, part: str) -> dict[str, Any]:
    """Return what the script has told a live part."""
    (data,) = [each for each in _live(at) if each["part"] == part]
    return data


def disagrees(at: AppTest) -> bool:
    """Tell whether the stream says something that the script did not know: the browser has it run again then."""
    return any(told["settled"] != each["settled"] for told, each in zip(_live(at), heard(at), strict=True))


def _live(at: AppTest) -> list[dict[str, Any]]:
    return [json.loads(proto.json) for proto in _mounted(at, "cvar_live")]


def _mounted(at: AppTest, name: str) -> list[Any]:
    return [each.proto for each in at.get("bidi_component") if each.proto.component_name == name]
