"""Claims about what is drawn of a run: its charts are the same for all, and their titles are about what is seen."""

import json
import re

import numpy as np
import pytest

from cvar_core.jobs import View
from cvar_core.results import of_methods
from pages.components.drawing.look import Look
from pages.components.drawing.run_picture import picture
from tests.figures.results import gently, made


def charts(part: str, hidden: list[str], **about: int) -> list[dict]:
    gaps = gently()
    gaps[0, :, 1:] *= 8  # SGM is far behind
    result = made(gaps, **about)
    look = Look.read({"lam": 0.1, "hidden": hidden})
    return json.loads(picture(View(result.spec, "done", result=result), "explore", part, look))["charts"]


@pytest.mark.parametrize("part", ["study", "iterations", "strictness"])
def test_a_title_is_about_the_methods_that_are_seen(part):
    for whole, seen in zip(charts(part, []), charts(part, ["sgm"]), strict=True):
        assert "SGM" in whole["title"] + whole["caption"]
        assert "SPL" in seen["title"]
        for words in (seen["title"], seen["label"], seen["caption"]):
            assert "SGM" not in words
        assert seen["figure"] == whole["figure"], "which the browser hides, and shows again"
    for none in charts(part, ["sgm", "spl", "spl+"]):
        assert none["title"].startswith("Every method is hidden")


def test_a_run_that_is_not_far_says_not_yet_and_not_that_it_failed():
    result = made(gently(), recorded=2)
    drawn = json.loads(picture(View(result.spec, "running", result=result), "explore", "study", Look(lam=0.1)))
    assert "So far: no λ of this grid is" in drawn["above"]
    assert len(re.findall(r'not yet<span class="cvar-why">: \d+% closed', drawn["above"])) == 3
    assert drawn["above"].count(">none yet ") == 3
    assert "not safe" not in drawn["above"]
    assert drawn["charts"][0]["title"] == "So far: no λ of this grid is usable yet"
    bars = [trace["text"] for trace in drawn["charts"][0]["figure"]["data"] if trace["uid"].endswith("-range")]
    assert bars == [[" none yet"]] * 3


def test_what_some_methods_found_is_told_of_where_all_have_come_to():
    result = made(gently(), recorded=3)
    result.recorded[0] = 2
    alone = of_methods(result, ["spl", "spl+"])
    assert alone.spec.methods == ("spl", "spl+")
    assert alone.judged().at().iteration == result.judged().at().iteration
    assert np.array_equal(alone.judged().at().median, result.judged().at().median[1:])
