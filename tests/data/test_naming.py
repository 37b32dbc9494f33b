"""Whatever a file's columns are called, no two of the columns that are made of them share a name."""

import io

from cvar_core import sweep, tail
from cvar_core.data import Preview, load

HEADER = "colour,colour=red,age,age missing,intercept,target,loss"


def read(**options):
    rows = "".join(
        f"{'red' if k % 2 else 'blue'},{k % 3},{'' if k % 4 else k},{k % 5},{k % 7},{k % 9},{k * k % 11}\n"
        for k in range(60)
    )
    return load(io.BytesIO(f"{HEADER}\n{rows}".encode()), target="loss", intercept=True, **options)


def test_made_columns_are_told_apart_from_those_of_the_file():
    columns = read().columns
    assert len(set(columns)) == len(columns)
    assert {"colour=red", "colour=red.1", "age missing", "age missing.1", "intercept", "intercept.1"} <= set(columns)


def test_a_feature_that_is_called_target_is_seen_beside_the_target():
    data = read()
    head = Preview.of(data).head
    assert len(head) == data.shape[1] + 1
    assert head["target"] == ["0", "1", "4", "9", "5", "3", "3", "5"]
    assert head["target.1"] == list(range(8))


def test_a_target_that_is_called_loss_stands_beside_the_loss():
    data = read(standardise=True)
    problem = data.problem("absolute", beta=0.9)
    rows = tail(data, problem, sweep(problem, ["spl+"], [1.0], iterations=50, seeds=1)).rows()
    assert rows.columns.is_unique
    assert rows["loss.1"].tolist() == [k * k % 11 for k in rows["row"] - 1]
    assert list(rows)[:4] == ["row", "loss.1", "prediction", "loss"]
