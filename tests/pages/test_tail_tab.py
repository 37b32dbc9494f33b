"""Who is in the tail, on the Data page: what is said, drawn and offered, and when it is not."""

import csv
import io

import pytest
from streamlit.testing.v1 import AppTest

from cvar_core.jobs import Limits, Shelf, Uploads
from pages.components.run import tail_tab
from pages.components.sending import answers
from tests.pages.opening import AT_ONCE, shown, smaller, words
from tests.pages.reading import charts_of, disagrees
from tests.pages.serving import ROOT
from tests.tails.by_hand import survey

ADA = "a" * 32
TITLE = "Who is in the tail?"
CHARTS = {"data-tail-losses", "data-tail-differences", "data-tail-weights"}


@pytest.fixture(autouse=True)
def answered_at_once():
    with smaller(AT_ONCE):
        yield


@pytest.fixture
def files(tmp_path, sharing) -> Uploads:
    uploads = Uploads(tmp_path / "uploads", Limits())
    sharing(uploads=uploads, shelf=Shelf(2**20))
    uploads.add(ADA, "survey.csv", survey().encode())
    return uploads


@pytest.fixture
def opened(jobs, held, files):
    """Opens the page on a survey, with the tab and the run done."""

    def open_page(panel=TITLE, **link) -> AppTest:
        page = AppTest.from_file(str(ROOT / "pages/data.py"), default_timeout=120)
        page.session_state["cvar-visitor"] = ADA
        usual = {"set": "survey.csv", "loss": "squared", "passes": "5", "seeds": "2", "grid": "list"}
        for name, value in {**usual, "list": "0.1,1,1000000", **link}.items():
            page.query_params[f"data_{name}"] = value
        page.session_state["data_panel"] = panel
        shown(page.run())
        held.work()
        return settled(page, panel)

    return open_page


def settled(page: AppTest, panel: str = TITLE) -> AppTest:
    """Run the script with a tab open, and once more where it waits for an answer."""
    page.session_state["data_panel"] = panel
    shown(page.run())
    page.session_state["data_panel"] = panel
    return shown(page.run()) if disagrees(page) else page


def said(page: AppTest) -> str:
    return words(page).replace("\\", "")


def table(page: AppTest):
    (found,) = [each.value for each in page.dataframe if "row" in each.value]
    return found


def test_the_worst_rows_are_those_of_the_file_and_what_sets_them_apart_is_said(opened):
    page = opened()
    assert set(charts_of(page)) >= CHARTS
    assert "The worst 5% are 5 rows of 96, the last one in part." in said(page)
    assert "They differ most in " in said(page)
    assert "smoker" in charts_of(page)["data-tail-differences"]["figure"]["layout"]["yaxis"]["ticktext"]
    file = list(csv.DictReader(io.StringIO(survey())))
    rows = table(page)
    assert len(rows) == 5
    for _, line in rows.iterrows():
        kept = file[int(line["row"]) - 1]
        assert line["cost"] == float(kept["cost"])
        assert line["income"] == pytest.approx(float(kept["income"]))
        assert line["loss"] == pytest.approx(0.5 * (line["prediction"] - line["cost"]) ** 2)
    labels = [each.proto.label for each in page.get("download_button")]
    assert labels == ["Worst rows (CSV)", "Coefficients (CSV)"]


def test_fit_and_method_are_chosen_here_and_stand_in_the_link(opened):
    page = opened(fit="optimum", tail="sgm")
    assert page.selectbox(key="data_tail").value == "sgm"
    assert "What sets the worst rows at θ* apart" in said(page)
    best = table(page)["loss"].to_numpy()
    page.session_state["data_fit"] = "mean"
    page = shown(page.run())
    assert page.query_params["data_fit"] in ("mean", ["mean"])
    assert "What sets the worst rows for the ordinary fit apart" in said(page)
    assert table(page)["loss"].mean() > best.mean() * (1 - 1e-9)
    page.selectbox(key="data_tail").set_value("spl")
    page = settled(page)
    assert "with SPL at λ = " in said(page)


def test_the_lambda_is_that_of_the_curves_and_a_run_that_diverged_has_no_model(opened):
    page = opened(at="1.0", tail="sgm")
    assert "SGM at λ = 1" in said(page)
    page = opened(at="1000000.0", tail="sgm", seeds="1")
    assert "SGM at λ = 10⁶ diverges from start 0, and has no model." in said(page)
    assert "CVaR is " in said(page), "of the others there is one"


def test_nothing_is_computed_before_the_tab_is_open(opened, monkeypatch):
    monkeypatch.setattr(tail_tab, "mean_fit", lambda problem: pytest.fail("nobody asked"))
    page = opened(panel="Reproduce")
    assert not CHARTS & set(charts_of(page))


def test_a_stored_run_has_its_rows_while_the_file_is_here(opened, files, jobs):
    before = table(opened())
    answers.forget()
    jobs._results.drop(lambda _: True)  # only the store has it now, which keeps no models
    page = opened()
    assert table(page).equals(before), "the run is followed again, with the same bits"
    files.remove(ADA, "survey.csv")
    page = settled(page)
    assert "To see its rows, choose the data of this run again, with its settings." in said(page)
    assert not CHARTS & set(charts_of(page))


def test_the_answers_hold_nothing_of_anybodys_rows(opened):
    opened()
    kept = list(answers.answers_named("tail")._found)
    assert len(kept) == 1
    found = answers.answers_named("tail").found(kept[0]).value
    sizes = [len(part) for part in (found.run, found.of_problem.mean, *vars(found.of_problem.columns).values())]
    assert set(sizes) == {7}, "a number for each column, and none for a row"


def test_names_of_columns_have_no_power_over_the_page(opened, files):
    text = survey().replace("smoker", "<b>[smoker](https://example.org)</b>", 1)
    files.add(ADA, "odd.csv", text.encode())
    page = opened(set="odd.csv", beta="0.8")
    sentence = next(each.value for each in page.markdown if "The worst" in each.value)
    assert "](https" not in sentence
    ticks = charts_of(page)["data-tail-differences"]["figure"]["layout"]["yaxis"]["ticktext"]
    assert not any("<b>" in tick for tick in ticks)
