"""A visitor's own rows in a real browser: uploaded, run, watched, taken away; and nobody else's business."""

import csv
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from cvar_core import load, sweep
from tests.pages.driving import (
    PATIENCE,
    click_point,
    curves_file,
    done,
    drawn,
    enter,
    field,
    heights,
    idle,
    objectives,
    open_tab,
    pick,
    saved,
    taken_up,
    until,
    until_words,
)
from tests.pages.serving import ROOT

pytestmark = pytest.mark.browser

DATA = ROOT.parent / "shared" / "data"
PASSES = itertools.count(2)  # a second try is another run
_MEDIAN = "chart.data.find(trace => trace.uid === 'spl+-median')"
FEW = "data_methods=spl%2B&data_methods=spl-u"  # whose charts cost a browser half as much as those of all four


@pytest.fixture
def mushrooms(tmp_path) -> list[Path]:
    """Training and test rows: the real ones where they are, and else some that are made here."""
    if DATA.exists():
        return [DATA / "agaricus.txt.train", DATA / "agaricus.txt.test"]
    rng, files = np.random.default_rng(0), []
    for name, rows in (("agaricus.txt.train", 600), ("agaricus.txt.test", 200)):
        lines = []
        for _ in range(rows):
            label = int(rng.integers(2))
            features = sorted({*rng.integers(1, 100, 20).tolist(), 101 + label})
            lines.append(" ".join([str(label), *(f"{index}:1" for index in features)]))
        files.append(tmp_path / name)
        files[-1].write_text("\n".join(lines) + "\n")
    return files


def upload(page, *files) -> None:
    field = page.locator("input[type=file]")
    idle(page)
    expect(field).to_have_count(1, timeout=PATIENCE)  # after a file there is a new one, and for a moment the old
    field.set_input_files([str(file) for file in files])


def test_a_visitor_uploads_rows_and_learns_which_step_size_is_safe(visit, gate, mushrooms):
    passes = next(PASSES)
    page = visit(f"data?{FEW}&data_seeds=2&data_intercept=false&data_standardise=false")
    done(page)
    gate.hold()
    upload(page, *mushrooms)
    sizes = until_words(page, re.compile(r"[\d,]+ rows × \d+ columns, [\d,]+ more to test on, sparse"))
    data = load(mushrooms[0], test=mushrooms[1])
    assert f"{data.shape[0]:,} rows × {data.shape[1]:,} columns, {data.test.shape[0]:,} more" in sizes
    assert field(page, "Loss").input_value() == "logistic"
    assert "data_test=agaricus.txt.test" in page.url
    enter(page, "Passes", passes)
    page.wait_for_url(f"**data_passes={passes}.0**")
    gate.pace(0.3)
    until(page, "data-measures-along", f"chart => {_MEDIAN}?.x.length >= 3")
    gate.hold()
    until_words(page, re.compile(r"Running the methods"))
    first = heights(page, "data-measures-along")["spl+-median"][0]
    gate.open()
    done(page)
    until(page, "data-measures-along", f"chart => {_MEDIAN}.y.at(-1) > {first} + 0.2")  # the accuracy rises
    assert heights(page, "data-measures-along")["spl+-median"][-1] > 0.9
    until_words(page, re.compile(r"Test accuracy at best: .*9\d\.\d%|Test accuracy at best: .*100\.0%"))
    rows = curves_file(page)
    result = sweep(data.problem("logistic", 0.95), ["spl+", "spl-u"], iterations=passes * data.shape[0], seeds=2)
    assert [row[4] for row in objectives(rows)] == result.curves["objective"].tolist(), "bit for bit"
    assert [float(row["test_accuracy"]) for row in rows] == result.curves["test_accuracy"].tolist()
    report = saved(page, "Report (HTML)")
    assert "--data agaricus.txt.train" in report
    open_tab(page, "Reproduce")
    until_words(page, re.compile(r"sweep --data agaricus\.txt\.train --test=agaricus\.txt\.test --loss logistic"))
    # A reload is the same visitor, and the link is the experiment.
    page.reload()
    done(page)
    drawn(page, "data-curves", 20)
    until_words(page, re.compile("agaricus.txt.train"))
    # Somebody else has the link, but not the file.
    other = visit(page.url)
    until_words(other, re.compile("agaricus.txt.train is not among your files: upload it"))
    assert other.locator(".st-key-data-sensitivity").count() == 0
    other.get_by_text("Your files (0)").first.wait_for()
    # What is deleted is gone.
    page.get_by_text("Your files (2)").click()
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_text("Your files (1)").first.wait_for()


def test_a_bad_file_gets_a_sentence_and_the_next_one_works(visit, gate, tmp_path):
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    bad.write_text("size,price\n1,2\n3\n")
    good.write_text("age,size,price\n" + "".join(f"{k % 9},{k * k},{3 * k + k % 7}\n" for k in range(60)))
    page = visit(f"data?{FEW}&data_passes=2&data_seeds=1")
    done(page)
    upload(page, bad)
    until_words(page, re.compile("bad.csv is not a table: row 3 has 1 fields, but the first has 2"))
    until_words(page, "Your files (0)")
    gate.hold()
    upload(page, good)
    until_words(page, re.compile("48 rows × 3 columns, 12 more to test on"))
    until_words(page, re.compile("Queued|Solving|Running|Drawing|starting"))
    gate.open()
    taken_up(page)
    drawn(page, "data-sensitivity", 10)
    enter(page, "Level β", 2)
    until_words(page, re.compile("The level β is 2"))
    until_words(page, re.compile("Below is still the run before: good.csv"))
    assert float(page.locator(".cvar-live").first.evaluate("node => getComputedStyle(node).opacity")) < 1
    pick(page, "Target column", "size")
    page.wait_for_url("**data_target=size**")
    idle(page)
    table = page.locator("[class*=st-key-data-column-table] canvas").first.bounding_box()
    page.mouse.click(table["x"] + 20, table["y"] + 52)  # the name of the first column
    focused = "document.activeElement?.closest('[class*=st-key-data-column-table]')"  # some time after the click
    page.wait_for_function(f"() => {focused}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")  # takes its tick away
    page.wait_for_url("**data_drop=age**")
    until_words(page, re.compile("1 of 2 columns are used to predict size"))


def test_more_files_than_are_allowed_get_a_sentence_and_the_others_stay(visit, tmp_path):
    names = [tmp_path / f"cars{k}.csv" for k in range(8)]
    for name in names:
        name.write_text("size,price\n" + "".join(f"{k},{3 * k + k % 7}\n" for k in range(60)))
    page = visit(f"data?{FEW}&data_passes=2&data_seeds=1")
    upload(page, *names)
    until_words(page, re.compile("You can send 6 files at a time. Try again with fewer"))
    page.get_by_text("Your files (6)").first.wait_for()
    expect(page.get_by_text("AxiosError")).to_have_count(0, timeout=PATIENCE)  # what the field says of it, for a moment
    assert len(visit.errors) == 4, "two were refused; the browser and Streamlit note each"
    assert all("429" in error for error in visit.errors)
    visit.errors.clear()


def test_a_click_on_a_step_size_shows_its_accuracy(visit):
    page = visit(f"data?{FEW}&data_set=made-nearly-separable&data_passes=1&data_seeds=2")
    page.get_by_role("button", name="Take β = 0.5").click()  # where the best classifier is none
    page.wait_for_url("**data_beta=0.5**")
    taken_up(page)
    assert page.locator(".cvar-level").count() == 0
    drawn(page, "data-sensitivity", 15)
    click_point(page, "data-sensitivity", "spl+-median", 1e-4)
    until_words(page, re.compile("Along the run, at the λ that you chose"))
    assert "data_at=0.0001" in page.url
    rows = list(csv.DictReader(saved_table(page)))
    assert {"train_accuracy", "test_accuracy"} <= set(rows[0])


def saved_table(page) -> list[str]:
    open_tab(page, "Table and downloads")
    return saved(page, "Curves (CSV)").splitlines()
