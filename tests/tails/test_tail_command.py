"""``sweep --tail`` writes the worst rows, and says what they have in common."""

import io

import pandas as pd

from cvar_core import load, sweep, tail
from cvar_core.cli import main
from cvar_core.specs import usual_methods
from tests.tails.by_hand import survey


def test_the_file_has_the_worst_rows_of_the_model_that_is_recommended(tmp_path, capsys):
    source, out = tmp_path / "survey.csv", tmp_path / "worst.csv"
    source.write_text(survey())
    line = ["sweep", "--data", str(source), "--standardise", "--intercept", "--beta", "0.9", "--iterations", "400"]
    assert main([*line, "--lambdas", "0.1,1", "--seeds", "2", "--tail", str(out)]) == 0
    data = load(io.BytesIO(survey().encode()), standardise=True, intercept=True)
    problem = data.problem("squared", 0.9)
    result = sweep(problem, usual_methods(on_data=True), [0.1, 1.0], iterations=400, seeds=2)
    found = tail(data, problem, result)
    assert str(found) in capsys.readouterr().out
    written = pd.read_csv(out)
    pd.testing.assert_frame_equal(written, found.rows(), check_exact=False, check_dtype=False)
    file = pd.read_csv(source)
    assert (file.loc[written["row"] - 1, "income"].to_numpy() == written["income"].to_numpy()).all(), "to the cent"


def test_on_standard_output_the_rows_stand_alone(tmp_path, capfd):
    source = tmp_path / "survey.csv"
    source.write_text(survey())
    line = ["sweep", "--data", str(source), "--iterations", "50", "--lambdas", "1", "--seeds", "1", "--methods", "spl"]
    assert main([*line, "--tail", "-"]) == 0
    said = capfd.readouterr()
    assert said.out.startswith("row,")
    assert len(pd.read_csv(io.StringIO(said.out), on_bad_lines="error")) > 1
    assert "F* = " in said.err


def test_it_is_for_data(capsys):
    assert main(["sweep", "--tail", "worst.csv"]) == 2
    assert capsys.readouterr().err == "cvar_core: --tail is for data: give --data FILE too\n"
