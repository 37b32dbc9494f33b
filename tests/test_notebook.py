"""The notebook that is shown is the one that runs: its outputs are what its cells give."""

import base64

from tools.notebook import PLOTLY, PNG, executed, read


def text(outputs):
    """What a reader reads of outputs."""
    return ["".join(each["text"] if "text" in each else each["data"]["text/plain"]) for each in outputs]


def test_the_notebook_gives_what_it_shows():
    notebook = read()
    drawn = 0
    for cell, outputs in executed(notebook):
        assert text(outputs) == text(cell["outputs"]), "".join(cell["source"])
        for shown, found in zip(cell["outputs"], outputs, strict=True):
            if PLOTLY in found.get("data", {}):
                drawn += 1
                assert base64.b64decode(shown["data"][PNG]).startswith(b"\x89PNG")
                kept, now = (each["data"][PLOTLY] for each in (shown, found))
                assert [trace.get("name") for trace in kept["data"]] == [trace.get("name") for trace in now["data"]]
                assert kept["layout"]["title"]["text"] == now["layout"]["title"]["text"]
    assert drawn == 1
    assert len(notebook["cells"]) < 16
