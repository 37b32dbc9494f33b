"""The Data page on a visitor's table: which columns are used, what fills their gaps, and the units of all."""

import io

import pytest
from streamlit.testing.v1 import AppTest

from cvar_core.data import Recipe, load
from cvar_core.jobs import Limits, Uploads
from tests.pages.opening import shown, words
from tests.pages.serving import ROOT

ADA = "a" * 32
HEAD = "passenger,lived,sex,age,fare,berth"
ROWS = [
    f"{k + 1},{int(k % 3 == 0)},{'female' if k % 2 else 'male'},{'' if k % 5 == 0 else 20 + k % 40},{k * 37 % 500},"
    f"{'CQS'[k % 3]}"
    for k in range(60)
]
SHIP = "\n".join([HEAD, *ROWS]).encode()


@pytest.fixture
def files(tmp_path, jobs, sharing) -> Uploads:
    uploads = Uploads(tmp_path / "uploads", Limits())
    sharing(uploads=uploads)
    uploads.add(ADA, "ship.csv", SHIP)
    return uploads


@pytest.fixture
def opened(files):
    def open_page(visitor: str = ADA, **link) -> AppTest:
        page = AppTest.from_file(str(ROOT / "pages/data.py"), default_timeout=120)
        page.session_state["cvar-visitor"] = visitor
        for name, value in link.items():
            page.query_params[f"data_{name}"] = value
        return shown(page.run())

    return open_page


def recipe(page: AppTest) -> Recipe:
    found = page.session_state["data-shown"].recipe
    assert found is not None
    return found


def labels(page: AppTest) -> list[str]:
    return [each.label for each in page.selectbox]


def table(page: AppTest) -> dict[str, list]:
    """Return what stands in the table to tick, by its columns."""
    (found,) = [each for each in page.dataframe if "target" in each.value and "use" in each.value]
    return found.value.to_dict("list")


def test_ids_are_left_out_and_said_and_gaps_are_filled(opened):
    page = opened(set="ship.csv", target="lived")
    rows = table(page)
    assert rows["column"] == HEAD.split(",")
    assert rows["use"] == [False, True, True, True, True, True]
    assert rows["target"] == [False, True, False, False, False, False]
    assert rows["why"][0] == "it counts the rows"
    assert rows["missing"] == [0, 0, 0, 12, 0, 0]
    assert [rows["type"][k] for k in (2, 3)] == ["text", "number"]
    assert rows["range"][4] == "0 to 499"
    assert "4 of 5 columns are used to predict lived. Left out by themselves: passenger" in words(page)
    assert "Missing values, in 1 column" in labels(page)
    assert recipe(page) == Recipe("ship.csv", "lived", holdout=0.2, standardise=True, intercept=True)
    assert "Columns differ by a factor of" in words(page).replace("\\", "")
    assert "'fare' reaches 499" in words(page).replace("\\", "")
    assert "which is why they are standardised" in words(page)


def test_the_link_says_which_columns_and_what_fills_gaps(opened):
    page = opened(set="ship.csv", target="lived", drop=["fare"], keep=["passenger"], missing="drop")
    assert (recipe(page).drop, recipe(page).keep, recipe(page).missing) == (("fare",), ("passenger",), "drop")
    assert table(page)["use"] == [True, True, True, True, False, True]
    assert page.query_params["data_drop"] == "fare"
    page.session_state["data_panel"] = "Reproduce"
    assert "--drop=fare --keep=passenger --missing=drop" in shown(page.run()).code[0].value
    page = opened(set="ship.csv", target="lived", drop=["age"], missing="drop")
    assert "Missing values, in 1 column" not in labels(page), "no column that is used has gaps"
    assert recipe(page).missing == "fill"
    assert "data_missing" not in page.query_params
    page = shown(page.selectbox(key="data_set").set_value("diabetes").run())
    assert "data_drop" not in page.query_params, "it is another set's"


def test_another_file_has_a_choice_of_its_own(opened, files):
    files.add(ADA, "boat.csv", SHIP)
    page = opened(set="ship.csv", target="lived", drop=["fare"])
    page = shown(page.selectbox(key="data_set").set_value("boat.csv").run())
    assert table(page)["use"][4]
    assert "data_drop" not in page.query_params


def test_few_of_many_are_told_by_what_is_used(opened):
    page = opened(set="ship.csv", target="lived", only=["sex"])
    assert recipe(page).only == ("sex",)
    assert table(page)["use"] == [False, True, True, False, False, False]


def test_a_link_to_a_file_that_is_still_to_come_keeps_what_it_says_of_it(opened, files):
    page = opened("b" * 32, set="ship.csv", target="lived", drop=["fare"])
    assert page.query_params["data_drop"] == "fare"
    files.add("b" * 32, "ship.csv", SHIP)
    assert recipe(shown(page.run())).drop == ("fare",)


def test_the_history_opens_a_run_with_its_columns(opened, held, jobs):
    page = opened(set="ship.csv", target="lived", drop=["fare"], passes="1", seeds="1")
    asked = page.session_state["data-asked"]
    held.work()
    page = opened(set="made-tiny", passes="1", seeds="1")
    page.session_state["data_panel"] = "Your runs"
    page = shown(page.run())
    assert "ship.csv (lived predicted, 20% held out, 1 column left out" in words(page).replace("\\", "")
    page = shown(page.button(key=f"data-open-{asked.id}").click().run())
    assert page.session_state["data-asked"] == asked
    assert recipe(page).drop == ("fare",)


def test_texts_are_classified_and_a_column_is_guessed_by_its_name(opened, files):
    page = opened(set="ship.csv")
    assert page.selectbox(key="data_target").value == "berth", "the last"
    assert page.selectbox(key="data_loss").value == "logistic"
    assert page.selectbox(key="data_positive").options == ["C", "Q", "S"]
    files.add(ADA, "named.csv", b"label,size\n" + b"".join(b"%d,%d\n" % (k % 2, k * k) for k in range(30)))
    page = shown(shown(page.run()).selectbox(key="data_set").set_value("named.csv").run())
    assert page.selectbox(key="data_target").value == "label"


def test_the_target_of_a_regression_is_standardised_unless_a_link_is_older_than_that(opened):
    page = opened(set="ship.csv", target="fare")
    assert not recipe(page).standardise_target, "the link was written when there was no such choice"
    assert page.query_params["data_standardise_target"] == "false"
    page = shown(page.toggle(key="data_standardise_target").set_value(True).run())
    assert page.query_params["data_standardise_target"] == "true"
    assert "The target is standardised: mean 2" in words(page).replace("\\", "")
    assert "a loss of 1 is" in words(page)
    prepared = {"holdout": 0.2, "standardise": True, "intercept": True, "standardise_target": True}
    expected = load(io.BytesIO(SHIP), "fare", **prepared).problem("squared").spec
    assert page.session_state["data-asked"].problem == expected, "bit for bit what the library makes"
    fresh = opened()
    assert recipe(fresh).standardise_target
    assert fresh.query_params["data_standardise_target"] == "true"
    again = opened(set="diabetes", standardise_target="true")
    assert again.session_state["data-asked"] == fresh.session_state["data-asked"], "the link is the experiment"
    page = shown(fresh.selectbox(key="data_set").set_value("breast-cancer").run())
    assert "data_standardise_target" not in page.query_params, "two classes have no unit"
    page = shown(page.selectbox(key="data_set").set_value("diabetes").run())
    assert page.toggle(key="data_standardise_target").value, "another set has what is usual"


def test_what_was_ticked_stays_where_it_is_until_the_table_is_another(opened):
    page = opened(set="ship.csv", target="lived")
    before = page.session_state["data-column-table-turn"]
    page = shown(page.number_input(key="data_seeds").set_value(3).run())
    assert page.session_state["data-column-table-turn"] == before
    page = shown(page.selectbox(key="data_target").set_value("sex").run())
    assert page.session_state["data-column-table-turn"] == before + 1
    assert table(page)["target"] == [False, False, True, False, False, False]
