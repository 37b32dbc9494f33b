"""The paper's claims against numbers: what reproduces is counted, and by a rule that can go either way."""

import math

import numpy as np
import pytest
import torch

from cvar_core import Optimum, ProblemSpec, Result, SweepSpec
from cvar_core.lessons.paper import claims, headline, shipped
from cvar_core.results import JUDGED_BY, MEASURES, Criterion

NAN = math.nan

RISK, OBJECTIVE = Criterion("risk"), Criterion("objective")

# Decades of λ forgiven by SGM, SPL and SPL+ where a usable λ closes 90% of the objective's gap, as the paper has it.
DECADES = {
    ("squared", "normal"): (2.4, 3.7, 4.2),
    ("squared", "gumbel"): (1.1, 2.4, 4.7),
    ("squared", "lognormal"): (None, 1.3, 5.7),
    ("absolute", "normal"): (4.7, 4.8, 5.1),
    ("absolute", "gumbel"): (4.7, 5.0, 5.3),
    ("absolute", "lognormal"): (4.7, 5.0, 5.7),
    ("logistic", "normal"): (4.2, 4.5, 4.5),
    ("logistic", "gumbel"): (4.2, 4.5, 4.4),
    ("logistic", "lognormal"): (4.1, 4.5, 4.4),
}


def made(loss, *counts, f_star=0.0) -> Result:
    """A result over 10^-3 … 10^3 from a gap of 100: each method is usable at so many λ from 1 upwards.

    Its two starts have the same number of them, or each its own. The model is no more than a thousandth of the gap, and
    as usable.
    """
    grid = tuple(10.0**k for k in range(-3, 4))
    each_start = [count if isinstance(count, tuple) else (count, count) for count in counts]
    ends = np.array([[[1.0 if 3 <= k < 3 + n else 100.0 for k in range(7)] for n in pair] for pair in each_start])
    spec = SweepSpec(ProblemSpec(loss=loss), lambdas=grid, iterations=100, seeds=2, checkpoints=1)
    gaps = np.stack([np.full_like(ends, 100.0), ends], axis=2)
    best = Optimum(f_star, torch.zeros(10), 0.0, None)
    return Result(spec, best, gaps + f_star, np.full((3, 2), 2), {"risk": gaps / 1000 + f_star})


def study(squared, absolute, logistic, f_star=0.0) -> list[Result]:
    counts = {"squared": squared, "absolute": absolute, "logistic": logistic}
    return [made(loss, *each, f_star=f_star) for loss, each in counts.items()]


def by_start(results, start, by=OBJECTIVE):
    (found,) = [claim for claim in claims(results, by) if claim.says.startswith(start)]
    return found


def test_the_decades_are_those_measured_before():
    for result in shipped():
        problem = result.spec.problem
        found = [each.decades for each in result.judged(OBJECTIVE).forgiven.values()]
        widths = tuple(None if each is None else round(each, 1) for each in found)
        assert widths == DECADES[problem.loss, problem.noise], problem


def test_what_reproduces_at_the_papers_settings():
    verdicts = {claim.says.split(":")[0].split(".")[0]: claim.verdict for claim in claims(shipped().results, OBJECTIVE)}
    assert verdicts == {
        "Squared loss": "reproduces",
        "Logistic loss": "does not reproduce",
        "Absolute loss": "reproduces mostly",
        "SPL₊ often has the widest range of all": "reproduces",
        "λ = 1 is often a good choice for SPL₊": "reproduces",
        "Iterations to ε tell the same": "reproduces",
    }
    for closed in (0.99, 0.999):
        assert by_start(shipped().results, "Logistic", Criterion("objective", closed)).verdict == "does not reproduce"


def test_the_words_have_the_numbers_of_what_ships():
    results = shipped().results
    assert headline(results, OBJECTIVE) == (
        "Over 9 problems SPL₊ forgives 4.2 to 5.7 decades of λ, SPL 1.3 to 5.0, SGM none to 4.7, "
        "judged by the objective"
    )
    assert "SGM none to 2.4, SPL 1.3 to 3.7, SPL₊ 4.2 to 5.7." in by_start(results, "Squared").found
    assert "At 99.9% of the gap: SGM none, SPL 0.4 to 0.9" in by_start(results, "Logistic").found
    assert "safe for every start in 9 with SPL₊, 9 with SPL, 6 with SGM" in by_start(results, "λ = 1").found
    assert headline(results, RISK).endswith(", judged by the model's risk")


@pytest.mark.parametrize("by", [RISK, OBJECTIVE])
def test_the_words_have_the_numbers_and_the_measure(by):
    results = study((1, 3, 4), (3, 3, 3), (1, 2, 3))
    assert headline(results, by) == (
        f"Over 3 problems SPL₊ forgives 3.0 to ≥ 3.5 decades of λ, SPL 2.0 to 3.0, SGM 1.0 to 3.0, "
        f"judged by {JUDGED_BY[by.measure]}"
    )
    assert "SGM 1.0, SPL 3.0, SPL₊ ≥ 3.5. A decade more than SGM: " in by_start(results, "Squared", by).found
    assert "At 99.9% of the gap: SGM none, SPL none, SPL₊ none." in by_start(results, "Logistic", by).found
    assert "safe for every start in 3 with SPL₊, 3 with SPL, 3 with SGM" in by_start(results, "λ = 1", by).found


def test_the_measure_decides_what_reproduces():
    results = study((1, 3, 4), (3, 3, 3), (1, 2, 3))
    results[0].beside["risk"][:, :, 1] = 0.1  # no model moves
    assert by_start(results, "Squared", OBJECTIVE).verdict == "reproduces"
    assert by_start(results, "Squared", RISK).verdict == "cannot be told"


def test_problems_with_nothing_to_close_are_left_out_and_told():
    near = [*study((1, 3, 4), (3, 3, 3), (1, 2, 3))[:2], made("logistic", 1, 2, 3, f_star=100.0)]
    assert near[2].judged(RISK).nothing_to_close is not None
    claim = by_start(near, "Logistic", RISK)
    assert (claim.verdict, claim.tried) == ("cannot be told", 0)
    assert "Left out: 1 in which the start leaves the model nothing to close." in claim.found
    assert "usable" not in claim.found
    assert headline(near, RISK).startswith("Over 2 problems ")
    assert headline(near, OBJECTIVE).startswith("Over 3 problems ")
    assert by_start(near, "λ = 1", RISK).tried == 2
    nowhere = study((1, 1, 1), (1, 1, 1), (1, 1, 1), f_star=100.0)
    assert headline(nowhere, RISK) == (
        "In none of 3 problems does the start leave the model anything to close, judged by the model's risk"
    )


def test_the_rule_can_go_either_way():
    near, far = study((3, 3, 3), (3, 3, 3), (1, 3, 3)), study((1, 3, 3), (1, 3, 4), (3, 3, 3))
    assert [by_start(near, name).verdict for name in ("Squared", "Absolute", "Logistic")] == [
        "does not reproduce", "reproduces", "reproduces",
    ]  # fmt: skip
    assert [by_start(far, name).verdict for name in ("Squared", "Absolute", "Logistic")] == [
        "reproduces", "does not reproduce", "does not reproduce",
    ]  # fmt: skip
    half = study((1, 1, 3), (3, 3, 3), (3, 3, 3))
    assert by_start(half, "Squared").verdict == "reproduces in part"
    assert "SPL in 0 of 1 problems, SPL₊ in 1 of 1 problems" in by_start(half, "Squared").found


def test_what_the_starts_cannot_tell_counts_neither_for_a_claim_nor_against_it():
    unsure = study((1, (1, 3), 3), (3, (1, 3), 3), (1, 2, (1, 3)))
    squared = by_start(unsure, "Squared")
    assert (squared.verdict, squared.held, squared.tried) == ("reproduces", 1, 1)
    assert "SPL in 0 of 1 problems (and 1 that the starts cannot tell), SPL₊ in 1 of 1 problems." in squared.found
    assert by_start(unsure, "Absolute").tried == 1
    widest = by_start(unsure, "SPL₊ often")
    assert (widest.held, widest.tried) == (0, 0)
    assert "in 0 of 3 problems (and 3 that the starts cannot tell)" in widest.found
    assert by_start(study((2, 3, (3, 4)), (2, 3, 1), (1, 2, 3)), "SPL₊ often").found.startswith(
        "It has the widest range in 1 of 3 problems (and 1"
    )


def test_a_method_that_the_grid_cuts_short_is_not_said_to_be_less():
    cut = study((4, 4, 2), (1, 1, 1), (1, 1, 1))
    assert by_start(cut, "Squared").tried == 1  # SPL may be a decade more than SGM: the grid ends before either


def test_where_nothing_is_usable_nothing_is_told():
    nothing = study((0, 0, 0), (0, 0, 0), (0, 0, 0))
    assert by_start(nothing, "Squared").verdict == "cannot be told"
    assert "No method has a usable λ" in by_start(nothing, "Absolute").found
    assert by_start(nothing, "SPL₊ often").verdict == "cannot be told"
    assert by_start(nothing, "λ = 1").verdict == "does not reproduce"
    assert headline(nothing, OBJECTIVE) == (
        "No λ is usable for any method in any of 3 problems, judged by the objective"
    )


def test_a_range_that_leaves_the_grid_is_at_least_so_wide():
    wide = study((1, 2, 4), (1, 1, 1), (1, 1, 1))
    assert "SGM 1.0, SPL 2.0, SPL₊ ≥ 3.5." in by_start(wide, "Squared").found
    assert headline(wide, OBJECTIVE).startswith(
        "Over 3 problems SPL₊ forgives 1.0 to ≥ 3.5 decades of λ, SPL 1.0 to 2.0, SGM 1.0, judged"
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("closed", [0.5, 0.9, 99.9 / 100, 0.9999])
def test_every_share_has_its_claims(small, closed, measure):
    for results in (small.results, study((1, 3, 4), (3, 3, 3), (1, 2, 3))):
        found = claims(results, Criterion(measure, closed))
        assert len(found) == 6
        asked = f"{100 * closed:g}% of the gap"
        assert not any(asked in claim.found for claim in found), "what the whole list is about is not said again"
        assert all(claim.found.endswith(".") and 0 <= claim.held <= claim.tried for claim in found)
