"""The Data page under ``AppTest``: whose files, what is said of them, and what is run on them."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from cvar_core.data import DataError, Recipe
from cvar_core.data.fetch import NotFetched
from cvar_core.jobs import Limits, Shelf, Uploads
from pages.components.sending import server
from tests.pages.opening import button, shown, words
from tests.pages.reading import charts_of
from tests.pages.serving import ROOT

ADA, BOB = "a" * 32, "b" * 32
ROWS = "size,colour,price\n" + "".join(f"{k + 2},{'red' if k % 3 else 'blue'},{2 * k + k % 5}\n" for k in range(40))


@pytest.fixture
def files(tmp_path, sharing, monkeypatch) -> Uploads:
    """The server's files, and nothing on its shelf."""
    monkeypatch.setenv("CVAR_DATA_DIR", str(tmp_path))
    uploads, shelf = Uploads(tmp_path / "uploads", Limits()), Shelf(2**20)
    sharing(uploads=uploads, shelf=shelf)
    return uploads


@pytest.fixture
def opened(jobs, files):
    def open_page(visitor=ADA, **link) -> AppTest:
        page = AppTest.from_file(str(ROOT / "pages/data.py"), default_timeout=120)
        page.session_state["cvar-visitor"] = visitor
        for name, value in {"passes": "2", "seeds": "2", **link}.items():
            page.query_params[f"data_{name}"] = value
        return shown(page.run())

    return open_page


def said(page: AppTest) -> str:
    return words(page).replace("\\", "")


def finished(page: AppTest, held) -> AppTest:
    held.work()
    return shown(page.run())


def faults(page: AppTest) -> list[str]:
    return [each.value.replace("\\", "") for each in page.markdown if ":material/error:" in each.value]


def select(page: AppTest, name: str):
    return page.selectbox(key=f"data_{name}")


# What is on the screen at once.


def test_a_first_visit_runs_a_small_set_by_itself(opened, held):
    page = finished(opened(), held)
    assert "Done in" in said(page)
    assert "No λ of this grid is" in said(page)
    assert {"data-sensitivity", "data-curves", "data-measures", "data-measures-along", "data-target"} <= set(
        charts_of(page)
    )
    assert "Test accuracy at best" in said(page)
    assert page.multiselect(key="data_methods").value == ["sgm", "spl", "spl+", "spl-u"]
    assert 'SPL-U<span class="cvar-whose"> (ours)</span></button>' in said(page), (
        "ours is among the defaults on data, and marked"
    )
    assert "These rows can be separated" in said(page)
    (preview,) = [each for each in page.expander if each.label.startswith("**breast")]
    assert preview.label.replace("\\", "") == (
        "**breast-cancer**: 455 rows × 31 columns, 114 more to test on · labels malignant (38%), benign (62%)"
    )


def test_regression_shows_losses_on_rows_that_no_run_has_seen(opened, held):
    page = finished(opened(set="diabetes"), held)
    assert select(page, "loss").value == "squared", "what the set is for"
    assert "Test CVaR at best" in said(page)
    assert "may raise the mean loss" in said(page)


def test_where_nothing_is_the_best_classifier_the_page_says_so(opened, files, held):
    rng = np.random.default_rng(0)
    rows = "".join(
        f"{x:.3f},{y}\n" for x, y in zip(rng.standard_normal(200), rng.choice(["no", "yes"], 200), strict=True)
    )
    files.add(ADA, "coins.csv", f"toss,won\n{rows}".encode())
    page = finished(opened(set="coins.csv"), held)
    assert "At this β the best classifier is θ = 0" in said(page)
    above = said(page).partition('class="cvar-cards"')[0]
    assert "At β = 0.95 the best classifier is θ = 0, which decides nothing" in above
    assert '<button type="button" class="cvar-level" value="0.5">Take β = 0.5</button>' in above
    layout = charts_of(page)["data-measures"]["figure"]["layout"]
    assert layout["annotations"] == [], "no dashed line"


# Own files.


def test_a_file_is_run_as_its_owner_says(opened, files, held):
    files.add(ADA, "cars.csv", ROWS.encode())
    page = opened(set="cars.csv")
    assert "Column 'colour' holds texts: one column for each of its 2 ('blue', 'red')" in said(page)
    assert select(page, "target").options == ["size", "colour", "price"]
    assert select(page, "loss").value == "squared"
    page = finished(page, held)
    assert "Test CVaR at best" in said(page)
    page = shown(select(page, "target").set_value("colour").run())
    assert select(page, "loss").value == "logistic", "two labels"
    assert "blue → −1, red → +1" in said(page)
    assert page.query_params["data_target"] == "colour"


def test_nobody_else_sees_it(opened, files):
    files.add(ADA, "cars.csv", ROWS.encode())
    theirs = opened(BOB)
    assert not any("cars.csv" in option for option in select(theirs, "set").options)
    page = opened(BOB, set="cars.csv")
    assert faults(page) == [":red[:material/error: cars.csv is not among your files: upload it, or choose another.]"]
    assert "40 rows" not in said(page)
    assert button(page, "Run").disabled
    files.add(BOB, "cars.csv", ROWS.encode())
    page = shown(page.run())
    assert faults(page) == [], "with their own copy the link works"
    assert select(page, "set").value == "cars.csv"


@pytest.mark.parametrize("name", ["/etc/passwd", "../../../etc/passwd", "README.md", "pages/data.py", ".", "x\x00y"])
def test_a_link_reads_nothing_on_the_server(opened, name):
    page = opened(set=name)
    assert "is not among your files" in faults(page)[0]
    page = opened(test=name)
    assert select(page, "test").value == "hold out a share"


def test_training_and_test_rows_may_be_two_files(opened, files, held):
    files.add(ADA, "train.csv", ROWS.encode())
    files.add(ADA, "test.csv", b"size,colour,price\n1,red,3\n2,blue,5\n")
    page = finished(opened(set="train.csv", test="test.csv"), held)
    (preview,) = [each for each in page.expander if each.label.startswith("**train")]
    assert "40 rows × 4 columns, 2 more to test on" in preview.label
    assert "--test=test.csv" in json.dumps([each.value for each in finished(panel(page, "Reproduce"), held).code])


def panel(page: AppTest, title: str) -> AppTest:
    page.session_state["data_panel"] = title
    return shown(page.run())


def test_a_deleted_file_leaves_what_was_computed(opened, files, held):
    files.add(ADA, "cars.csv", ROWS.encode())
    page = finished(opened(set="cars.csv"), held)
    before = charts_of(page)["data-sensitivity"]["figure"]["data"]
    assert any("cars.csv" in repr(key) for key in server.shelf()._kept)
    page = shown(page.button(key="data-delete-file-0").click().run())
    assert files.of(ADA) == []
    assert not any("cars.csv" in repr(key) for key in server.shelf()._kept), "nor is what was read of it"
    assert "cars.csv is not among your files" in faults(page)[0]
    assert "The controls have changed. Below is still the run before: cars.csv" in said(page)
    assert charts_of(page)["data-sensitivity"]["figure"]["data"] == before


def test_the_history_opens_a_run_with_its_data_and_choices(opened, files, held, jobs):
    files.add(ADA, "cars.csv", ROWS.encode())
    link = {"set": "cars.csv", "target": "colour", "share": "0.3", "split": "2", "standardise": "false", "beta": "0.5"}
    first = finished(opened(**link), held)
    asked = first.session_state["data-asked"]
    page = panel(finished(opened(set="diabetes"), held), "Your runs")
    assert "cars.csv (colour predicted, 30% held out, intercept), logistic loss, β = 0.5, 2 passes" in said(page)
    page = shown(page.button(key=f"data-open-{asked.id}").click().run())
    assert page.session_state["data-asked"] == asked
    assert page.session_state["data-shown"].spec == asked
    assert select(page, "target").value == "colour"
    page = panel(page, "Reproduce")
    command = page.code[0].value
    assert command.startswith("python -m cvar_core sweep --data cars.csv --target=colour --holdout=0.3 --seed=2")
    (entry,) = [run for run in jobs.history(ADA) if run.id == asked.id]
    assert Recipe.from_json(entry.recipe).holdout == 0.3


def test_synthetic_runs_and_runs_on_data_are_listed_on_their_own_pages(opened, held, jobs):
    from tests.pages.exploring import small

    jobs.submit(small(), ADA)
    page = panel(finished(opened(), held), "Your runs")
    assert "breast-cancer" in said(page)
    assert "lognormal" not in said(page)


def test_what_was_read_of_a_file_goes_with_its_time(opened, files, monkeypatch):
    kept = files.add(ADA, "cars.csv", ROWS.encode())
    opened(set="cars.csv")
    assert any("cars.csv" in repr(key) for key in server.shelf()._kept)
    monkeypatch.setattr("time.time", lambda: kept.until + 1)
    opened(BOB)
    assert not any("cars.csv" in repr(key) for key in server.shelf()._kept)


def came(page: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload files."""
    page.file_uploader[0].set_value([(name, content, "text/plain") for name, content in files])
    return shown(page.run())


def test_what_is_uploaded_is_chosen_and_the_field_is_empty_again(opened, files):
    page = came(opened(), ("few.csv", b"size,colour,price\n1,red,3\n2,blue,5\n"), ("many.csv", ROWS.encode()))
    assert {each.name for each in files.of(ADA)} == {"few.csv", "many.csv"}
    assert (select(page, "set").value, select(page, "test").value) == ("many.csv", "few.csv"), (
        "the larger is trained on"
    )
    assert page.file_uploader[0].value == []
    assert files.of(BOB) == []
    page = came(page, ("wine", ROWS.encode()))
    assert select(page, "set").value == "wine.data", "a set keeps its name"
    assert "Your files (3)" in [each.label for each in page.expander]


def test_a_file_that_is_not_taken_gets_a_sentence_and_nothing_changes(opened, tmp_path, sharing):
    sharing(uploads=Uploads(tmp_path / "bounded", Limits(upload=100, uploads=1)))
    page = came(opened(), ("large.csv", ROWS.encode()))
    assert re.search(r"large.csv has 0.\d kB, but this server takes at most 0.1 kB", faults(page)[0])
    assert select(page, "set").value == "breast-cancer"
    page = came(page, ("small.csv", b"1,2\n3,4\n5,7\n"))
    assert not any("large" in each for each in faults(page))
    assert select(page, "set").value == "small.csv"
    page = came(page, ("other.csv", b"1,2\n3,4\n5,7\n"))
    assert "You have 1 file here, which is the most" in faults(page)[0]
    assert select(page, "set").value == "small.csv"


def two_slips(*given, **choices):
    raise DataError("column 'a' holds 'x'", "column 'b' holds 'y'")


BOTH = [f":red[:material/error: Column {what}.]" for what in ("'a' holds 'x'", "'b' holds 'y'")]


def test_a_file_that_cannot_be_read_is_not_kept_and_all_that_is_wrong_is_said(opened, files, monkeypatch):
    page = came(opened(), ("good.csv", ROWS.encode()), ("bad.csv", b"a,b\n1,2\n3\n"))
    assert "bad.csv is not a table: row 3 has 1 fields" in faults(page)[0]
    assert [each.name for each in files.of(ADA)] == ["good.csv"], "it does not count toward the six"
    assert select(page, "set").value == "good.csv"
    page = came(page, ("good.csv", b"a,b\n1,2\n3\n"))
    assert files.of(ADA)[0].size == len(ROWS), "nor does it take the place of one that can be read"
    monkeypatch.setattr("pages.components.asking.sources.read_table", two_slips)
    page = came(page, ("slips.csv", b"a,b\nx,y\n"))
    assert faults(page) == BOTH


def test_all_that_is_wrong_with_a_file_is_said_at_once(opened, files, monkeypatch):
    files.add(ADA, "slips.csv", ROWS.encode())
    monkeypatch.setattr(Recipe, "load", two_slips)
    page = opened(set="slips.csv")
    assert faults(page) == BOTH


def test_many_rows_are_passed_over_less_often_unless_one_asks(opened, files, monkeypatch):
    monkeypatch.setattr("pages.components.asking.own_data._UPDATES", 160)
    files.add(ADA, "cars.csv", ROWS.encode())
    page = opened(set="cars.csv", passes="")
    assert page.number_input(key="data_passes").value == 5, "32 rows are trained on"
    assert page.session_state["data-asked"].iterations == 160
    page = opened(BOB, set="cars.csv", passes="")
    files.add(BOB, "cars.csv", ROWS.encode())
    assert shown(page.run()).number_input(key="data_passes").value == 5, "also when the file comes after its link"
    page = shown(page.number_input(key="data_passes").set_value(7.0).run())
    assert page.query_params["data_passes"] == "7.0"
    page = shown(select(page, "set").set_value("diabetes").run())
    assert page.number_input(key="data_passes").value == 1, "what was chosen for other rows is not kept"
    monkeypatch.setattr("pages.components.asking.own_data._WIDE", 2)
    page = opened(set="cars.csv", passes="")
    assert page.number_input(key="data_passes").value == round(
        160 * 2 / page.session_state["data-asked"].problem.dim / 32
    )


# What cannot be run.


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n3\n", "row 3 has 1 fields"),
        (b"a,b\n1,2\nx,4\n5,6\n7,8\n", "holds numbers, but 'x' in row 2"),
        (b"1 4000000000:1\n", "index 4,000,000,000"),
        (bytes(range(256)) * 9, "not a text file"),
    ],
)
def test_a_bad_file_gets_a_sentence_and_the_page_goes_on(opened, files, content, sentence):
    files.add(ADA, "bad.csv", content)
    page = opened(set="bad.csv")
    assert any(sentence in each and "ad.csv" in each for each in faults(page)), faults(page)
    assert button(page, "Run").disabled
    page = shown(select(page, "set").set_value("diabetes").run())
    assert faults(page) == []
    assert "This run is under way." in said(page), "it starts by itself"


def test_one_class_cannot_be_classified_and_three_need_a_choice(opened, files, held):
    files.add(ADA, "one.csv", b"a,b\n1,x\n2,x\n3,x\n4,x\n5,x\n")
    page = opened(set="one.csv", loss="logistic")
    assert "there is one class only" in faults(page)[0]
    page = opened(set="wine")
    assert select(page, "positive").options == ["class_0", "class_1", "class_2"]
    assert "the rest → −1, class_0 → +1" in said(page)
    page = shown(select(page, "positive").set_value("class_2").run())
    assert page.query_params["data_positive"] == "class_2"
    assert "the rest → −1, class_2 → +1" in said(page)
    page = finished(shown(button(page, "Run").click().run()), held)
    assert "wine (20% held out, standardised, intercept, class_2 against the rest)" in said(panel(page, "Your runs"))


def test_a_regression_loss_on_texts_gets_a_sentence(opened):
    page = opened(set="breast-cancer", loss="squared")
    assert "holds texts ('malignant', 'benign'), but squared loss needs numbers" in faults(page)[0]


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("passes", "0", "the number of passes is 0"),
        ("passes", "-3", "it must be above 0"),
        ("passes", "1e300", "the number of iterations is 1,000,000,000,000,000,000"),
        ("passes", "1e6", "minutes of work"),
        ("beta", "2", "the level β is 2"),
        ("share", "1.5", "the share to hold out is 1.5"),
        ("share", "0", "the share to hold out is 0"),
        ("split", "-1", "the seed of the split is -1"),
        ("seeds", "1000000", "the number of seeds is 1,000,000"),
        ("scale", "-1", "the unit is -1"),
        ("checkpoints", "0", "the number of points on a curve is 0"),
        ("list", "abc", "abc"),
    ],
)
def test_a_bad_field_gets_a_sentence_and_run_is_refused(opened, field, value, sentence):
    page = opened(**{field: value}, **({"grid": "list"} if field == "list" else {}))
    assert any(sentence.lower() in each.lower() for each in faults(page)), faults(page)
    assert button(page, "Run").disabled


def test_a_set_that_is_not_here_offers_its_download_and_says_when_that_fails(opened, monkeypatch):
    def no_network(chosen, progress=False):
        raise NotFetched("cannot download http://x (there is no connection to it)", "put it at /secret/path")

    monkeypatch.setattr("pages.components.asking.own_data.fetch", no_network)
    page = opened(set="mushrooms")
    assert "mushrooms is not on this server yet" in said(page)
    assert button(page, "Run").disabled
    page = shown(page.button(key="data-fetch").click().run())
    assert "there is no connection to it" in said(page)
    assert "/secret/path" not in said(page), "where things lie on the server is nobody's business"


def test_a_run_opens_from_the_history_though_its_file_is_gone(opened, files, held):
    files.add(ADA, "cars.csv", ROWS.encode())
    first = finished(opened(set="cars.csv"), held)
    asked = first.session_state["data-asked"]
    curves = charts_of(first)["data-sensitivity"]["figure"]["data"]
    files.remove(ADA, "cars.csv")
    page = panel(finished(opened(set="diabetes"), held), "Your runs")
    page = shown(page.button(key=f"data-open-{asked.id}").click().run())
    assert "cars.csv is not among your files" in faults(page)[0]
    assert charts_of(page)["data-sensitivity"]["figure"]["data"] == curves
    assert "--data cars.csv" in panel(page, "Reproduce").code[0].value


def test_the_parameters_of_a_loss_are_asked_for_run_and_told(opened, held):
    link = {"set": "diabetes", "loss": "huber", "huber_knee": "0.5"}
    page = finished(opened(**link), held)
    assert page.number_input(key="data_huber_knee").value == 0.5
    assert "Done in" in said(page)
    assert "--loss huber --loss-param knee=0.5" in panel(page, "Reproduce").code[0].value
    wrong = opened(**link | {"huber_knee": "-1"})
    assert any("Huber loss's knee is -1" in told for told in faults(wrong))
