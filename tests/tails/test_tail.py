"""Who is in the tail, held against the file itself and a direct computation."""

import io

import numpy as np
import pytest
import torch

from cvar_core import Dataset, SpecError, load, sweep
from cvar_core.tails import MEAN, OPTIMUM, RUN, sentences, tail
from tests.tails.by_hand import studied, tail_by_hand


@pytest.fixture(scope="module")
def squared():
    return studied("squared")


@pytest.fixture(scope="module")
def coins():
    """Labels that no column tells: at β = 0.95 the best classifier is θ = 0."""
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{y}" for x, y in zip(rng.normal(size=200), rng.choice(["no", "yes"], 200), strict=True)]
    data = load(io.BytesIO("\n".join(["toss,won", *lines]).encode()), intercept=True)
    problem = data.problem("logistic", 0.95)
    return data, problem, sweep(problem, ["spl+"], [0.1, 1.0], iterations=400, seeds=1)


@pytest.mark.parametrize("fit", [RUN, OPTIMUM, MEAN])
def test_the_table_is_the_files_own_rows_with_the_losses_of_the_model(squared, fit):
    file, data, problem, result = squared
    found = tail(data, problem, result, "spl+", 1.0)
    theta = found.thetas[fit].numpy()
    losses = [0.5 * (x @ theta - y) ** 2 for x, y in zip(data.x, data.y, strict=True)]  # as the catalogue has it
    assert found.losses[fit] == pytest.approx(losses, rel=1e-9)
    table = found.rows(fit)
    expected = tail_by_hand(found.losses[fit].tolist(), 0.85)  # at θ* rows differ in their last digits alone
    assert len(table) == len(expected) == 14, "90 rows are trained on, and 13.5 are the worst 15%"
    for (place, share), (_, line) in zip(expected, table.iterrows(), strict=True):
        row = file[int(line["row"]) - 1]
        assert data.places[place] == line["row"]
        assert line["share in the tail"] == pytest.approx(share)
        assert line["cost"] == float(row["cost"])
        assert line["loss"] == pytest.approx(losses[place], rel=1e-9)
        assert line["prediction"] == pytest.approx(data.x[place] @ theta, rel=1e-9)
        for name in ("age", "smoker", "income"):
            assert line[name] == pytest.approx(float(row[name]), rel=1e-9, abs=1e-9)
        assert [town for town in ("Ulm", "Bonn", "Kiel") if line[f"town={town}"] > 0.5] == [row["town"]]
    others = [found.labels[name] for name in (RUN, OPTIMUM, MEAN) if name != fit]
    assert [name for name in table if name.startswith("loss, ")] == [f"loss, {other}" for other in others]


def test_the_fits_are_what_was_recorded_what_is_certified_and_least_squares(squared):
    _, data, problem, result = squared
    found = tail(data, problem, result, "spl+", 1.0, seed=2)
    assert found.worst[RUN].cvar == pytest.approx(result.risks[0, 2, -1, 1], rel=1e-12)
    assert found.worst[OPTIMUM].cvar == pytest.approx(result.optimum.value, rel=1e-12)
    direct, *_ = np.linalg.lstsq(data.x, data.y)
    assert found.predictions[MEAN] == pytest.approx(data.x @ direct, rel=1e-5)
    assert found.means[MEAN] <= min(found.means.values())
    assert found.worst[OPTIMUM].cvar < found.worst[MEAN].cvar, "this is why one minimises CVaR"


def test_without_a_choice_it_is_what_is_recommended_from_the_median_start(squared):
    _, data, problem, result = squared
    found = tail(data, problem, result)
    taken = result.judged().choice.taken
    assert (found.chosen.method, found.chosen.lam) == (taken.method, taken.lam)
    ends = result.risks[result.method(taken.method), :, -1, result.place(taken.lam)]
    assert found.worst[RUN].cvar == pytest.approx(np.median(ends), rel=1e-12)


def test_smokers_are_in_the_tail_and_the_sentences_say_so(squared):
    _, data, problem, result = squared
    found = tail(data, problem, result, "spl+", 1.0)
    size, risks, unbeaten, shared, differing = sentences(found, MEAN)
    assert size == "The worst 15% are 14 rows of 90, the last one in part"
    assert risks.startswith("CVaR is ")
    assert " with SPL₊ at λ = 1, " in risks
    assert unbeaten == "By CVaR SPL₊ at λ = 1 is no better than the ordinary fit: take another λ, or more iterations"
    counts = [len(set(found.rows(MEAN)["row"]) & set(found.rows(name)["row"])) for name in (RUN, OPTIMUM)]
    assert shared == (
        f"{counts[0]} of the worst rows for the ordinary fit are among the worst with SPL₊ at λ = 1, too, "
        f"{counts[1]} at θ*"
    )
    smokers = float(found.contrast(MEAN).tail[data.columns.index("smoker")])
    assert differing.startswith(f"They differ most in 'smoker', {100 * smokers:.0f}% of them against ")
    assert str(found) == " ".join(f"{words}." for words in sentences(found, RUN))


def test_a_run_that_beats_the_ordinary_fit_is_not_said_to_be_worse():
    _, data, problem, _ = studied()
    result = sweep(problem, ["spl-u"], [0.3], iterations=20_000, seeds=1)
    found = tail(data, problem, result)
    assert found.worst[OPTIMUM].cvar < found.worst[RUN].cvar < found.worst[MEAN].cvar
    assert not any("better" in words for words in sentences(found))


def test_at_the_optimum_the_edge_of_the_tail_is_shared_by_many_rows(squared):
    _, data, problem, result = squared
    found = tail(data, problem, result, "spl+", 1.0)
    worst = found.worst[OPTIMUM]
    near = np.abs(found.losses[OPTIMUM] / worst.losses[-1] - 1) < 1e-4
    assert worst.at_edge + worst.tied == near.sum() == 6
    assert (
        f"At the edge of the tail 6 rows lose the same: which {worst.at_edge} of them are in it is chance"
        in sentences(found, OPTIMUM)
    )
    assert not any("edge" in words for words in sentences(found, MEAN))


def test_coefficients_stand_side_by_side_those_of_most_weight_first(squared):
    _, data, problem, result = squared
    found = tail(data, problem, result, "spl+", 1.0)
    table = found.coefficients()
    assert list(table) == ["column", "SPL₊ at λ = 1", "θ*", "the ordinary fit"]
    by_name = table.set_index("column")
    assert by_name["θ*"].loc[list(data.columns)].tolist() == result.optimum.theta.tolist()
    spread = [data.x[:, data.columns.index(name)].std() for name in table["column"]]
    weights = table.iloc[:, 1:].abs().max(axis=1) * spread
    assert (np.diff(weights) <= 1e-9).all()
    assert table["column"].iloc[-1] == "intercept", "it does not vary, and so tells rows not apart"
    first = found.heaviest(3)[0]
    assert first.column == table["column"].iloc[0]
    assert list(first.effects.values()) == pytest.approx([each * spread[0] for each in table.iloc[0, 1:]])


def test_sparse_rows_say_the_same_as_dense_ones():
    found = []
    for sparse in (False, True):
        data = load("made-sparse")
        part = data.x[:300]
        data = Dataset("part", part if sparse else part.toarray(), data.y[:300]).standardise()
        if not sparse:  # as sparse columns are: divided, not centred
            data = Dataset("part", part.toarray() / np.sqrt(part.toarray().var(axis=0)), data.y)
        problem = data.problem("absolute", 0.9)
        result = sweep(problem, ["spl"], [0.1], iterations=300, seeds=1)
        found.append(tail(data, problem, result))
    dense, sparse = found
    assert sparse.data.sparse
    assert sparse.rows()["row"].tolist() == dense.rows()["row"].tolist()
    np.testing.assert_allclose(sparse.contrast().deviations, dense.contrast().deviations, atol=1e-8)
    filled = sparse.rows(most=5)
    original = load("made-sparse").x
    for name in filled.columns[-5:]:
        column = int(name.removeprefix("column ")) - 1
        values = original[filled["row"].to_numpy() - 1][:, [column]].toarray().ravel()
        assert filled[name].to_numpy() == pytest.approx(values)


def test_classes_are_told_by_the_files_labels(coins):
    data, problem, result = coins
    found = tail(data, problem, result, lam=1.0)
    table = found.rows()
    assert set(table["won"]) <= {"no", "yes"}
    assert found.positive == "yes"
    for label, prediction, loss in zip(table["won"], table["prediction"], table["loss"], strict=True):
        assert loss == pytest.approx(np.log1p(np.exp(-prediction if label == "yes" else prediction)))


def test_where_all_rows_lose_the_same_nobody_is_said_to_be_worse(coins):
    data, problem, result = coins
    found = tail(data, problem, result, lam=1.0)
    assert found.flat == (OPTIMUM,)
    assert "All rows lose the same at θ*: none is worse than another" in sentences(found, OPTIMUM)
    assert "at θ* " not in sentences(found)[2], "what is a tail by chance is shared with nobody"


def test_where_rows_can_be_separated_nobody_loses():
    x = np.array([[-2.0], [-1.0], [1.0], [3.0]] * 5)
    data = Dataset("apart", x, np.sign(x[:, 0]))
    problem = data.problem("logistic", 0.5)
    found = tail(data, problem, sweep(problem, ["spl"], [1.0], iterations=50, seeds=1))
    assert found.flat == found.lossless == (OPTIMUM, MEAN)
    assert [list(each.effects) for each in found.heaviest(5)] == [[RUN]], "the others grow for ever"
    assert sentences(found)[2] == (
        "These rows can be separated: θ* and the ordinary fit lose next to nothing, and the less the longer θ is"
    )
    assert "All rows lose next to nothing at θ*: none is worse than another" in sentences(found, OPTIMUM)


def test_at_level_0_all_rows_are_in_the_tail():
    study = studied(beta=0.0)
    found = tail(*study[1:], "spl+", 1.0)
    assert sentences(found)[0] == "At β = 0 all 90 rows are in the tail"
    assert len(sentences(found)) == 2, "nobody is left to differ from"
    assert torch.allclose(found.thetas[OPTIMUM], found.thetas[MEAN])


def test_a_run_that_diverged_has_no_model_but_the_optimum_has(squared):
    _, data, problem, result = squared
    found = tail(data, problem, result, "sgm", 1e9)
    assert found.fits == (OPTIMUM, MEAN)
    assert sentences(found)[0].startswith("SGM at λ = 10⁹ diverges from start ")
    assert found.rows().equals(found.rows(OPTIMUM))


def test_a_column_may_have_any_name():
    data = studied().data
    odd = Dataset("odd", data.x, data.y, ("loss", "row", "prediction", *data.columns[3:]))
    problem = odd.problem("squared", 0.85)
    table = tail(odd, problem, sweep(problem, ["spl"], [1.0], iterations=50, seeds=1)).rows()
    assert table.columns.is_unique
    assert {"loss", "loss.1", "row", "row.1"} <= set(table)


def test_what_cannot_be_asked_gets_a_sentence(squared):
    _, data, problem, result = squared
    for given, words in [
        ({"method": "spl"}, "method is 'spl', but this sweep ran spl+, sgm"),
        ({"lam": 0.3}, "lam is 0.3, but this sweep ran 0.1, 1, 1e+09"),
        ({"seed": 9}, "seed is 9, but this sweep ran 0, 1, 2"),
    ]:
        with pytest.raises(SpecError, match=words.replace("+", r"\+")):
            tail(data, problem, result, **({"method": "spl+"} | given))
    with pytest.raises(SpecError, match="the result is of another problem"):
        tail(data, data.problem("absolute"), result)
    with pytest.raises(SpecError, match="the data have 30 rows × 7 columns, but the problem has 90 rows × 7"):
        tail(data.test, problem, result)
    with pytest.raises(SpecError, match="fit is 'best', but it must be one of run, optimum, mean"):
        tail(data, problem, result, "spl+", 1.0).rows("best")


@pytest.mark.parametrize(("loss", "power"), [("squared", 2), ("absolute", 1)])
def test_a_standardised_target_is_told_in_the_files_unit(loss, power):
    file, data, problem, result = studied(loss, standardise_target=True)
    found = tail(data, problem, result, "spl+", 1.0)
    deviation = np.std([float(file[place - 1]["cost"]) for place in data.places])
    assert found.worst[OPTIMUM].cvar == pytest.approx(result.optimum.value * deviation**power, rel=1e-9)
    for _, line in found.rows(OPTIMUM).iterrows():
        cost = float(file[int(line["row"]) - 1]["cost"])
        assert line["cost"] == pytest.approx(cost, rel=1e-12)
        away = abs(line["prediction"] - cost)
        assert line["loss"] == pytest.approx(0.5 * away**2 if power == 2 else away, rel=1e-6)
    assert "(in the target's own unit)" in str(found)


def test_dates_are_told_as_dates():
    rng = np.random.default_rng(1)
    days = np.datetime64("2024-02-01") + np.arange(60)
    lines = [f"{day},{x:.3f},{x + rng.normal():.3f}" for day, x in zip(days, rng.normal(size=60), strict=True)]
    data = load(io.BytesIO("\n".join(["sold,size,price", *lines]).encode()), standardise=True, holdout=0.2)
    problem = data.problem("squared", 0.9)
    table = tail(data, problem, sweep(problem, ["spl"], [0.1], iterations=200, seeds=1)).rows()
    assert table["sold"].tolist() == [str(days[row - 1]) for row in table["row"]]
