"""What a page under ``AppTest`` has sent to the browser."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

Figure = dict[str, Any]


def charts_of(at: AppTest) -> dict[str, dict[str, Any]]:
    """Return what each chart was sent, by its key: the figure, its label, the height and the file's name."""
    mounted = [element.proto for element in at.get("bidi_component")]
    return {_key(proto.id): json.loads(proto.bytes) for proto in mounted if proto.component_name == "cvar_chart"}


def figures_of(at: AppTest) -> dict[str, Figure]:
    """Return each chart's figure, by its key, in the page's order."""
    return {key: sent["figure"] for key, sent in charts_of(at).items()}


def _key(element_id: str) -> str:
    return element_id.split("-", 2)[2]  # "$$ID-<hash>-<key>"
