"""What a page under ``AppTest`` has sent to the browser."""

import json
from itertools import chain
from typing import Any

from streamlit.testing.v1 import AppTest

Figure = dict[str, Any]


def charts_of(at: AppTest) -> dict[str, dict[str, Any]]:
    """Return what each chart was sent, by its key: the figure, its label, the height and the file's name."""
    mounted = [element.proto for element in at.get("bidi_component")]
    lines = [proto.bytes.split(b"\n") for proto in mounted if proto.component_name == "cvar_chart"]
    sent = [json.loads(line) for line in chain(*lines)]
    return {each["key"]: each for each in sent}


def figures_of(at: AppTest) -> dict[str, Figure]:
    """Return each chart's figure, by its key, in the page's order."""
    return {key: sent["figure"] for key, sent in charts_of(at).items()}
