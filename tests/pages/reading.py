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
    sent += [frame_of(picture, told["begin"]) for told in frames_of(at) for panel in told["panels"]
             for picture in panel["pictures"]]  # fmt: skip
    return {each["key"]: each for each in sent}


def frames_of(at: AppTest) -> list[dict[str, Any]]:
    """Return what each slider over frames was sent."""
    return [json.loads(proto.bytes) for proto in _mounted(at, "cvar_frames")]


def frame_of(picture: dict[str, Any], k: int) -> dict[str, Any]:
    """Return a picture of a slider over frames as it is at one of them."""
    whole, changes = picture["figure"], picture["frames"][k] if picture["frames"] else {"data": {}, "layout": {}}
    traces = [{**trace, **changes["data"].get(trace["uid"], {})} for trace in whole["data"]]
    shown = [trace for trace in traces if trace.get("visible") is not False]
    return {**picture, "figure": {"data": shown, "layout": {**whole["layout"], **changes["layout"]}}}


def words_of_frames(at: AppTest) -> list[str]:
    """Return what stands above and below the pictures of sliders over frames, and what the sliders say."""
    found = []
    for told in frames_of(at):
        texts = [told["labels"], *(panel[part] for panel in told["panels"] for part in ("above", "below"))]
        found += [text[told["begin"] if len(text) > 1 else 0] for text in texts if text]
    return found


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
