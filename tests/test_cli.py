"""The command line: what it writes, what it says, and how it takes bad input and Ctrl-C."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cvar_core import Problem, SweepSpec, check, recommend, sweep
from cvar_core.catalogue import losses, methods, noises
from cvar_core.cli import main
from cvar_core.lessons import atlas, paper
from cvar_core.results import JUDGED_BY, MEASURES, Criterion, decades, finding, interval, judgement, number, take
from cvar_core.specs import usual_methods
from cvar_core.version import __version__

SMALL = ["--eval-size", "500", "--iterations", "200", "--seeds", "2"]


def test_sweep_writes_what_python_computes(tmp_path, capsys):
    out, summary, report = (tmp_path / name for name in ("curves.csv", "summary.json", "report.html"))
    flags = ["--lambdas", "0.1,1,1e4", "--noise", "normal", "--noise-param", "std=3", "--beta", "0.9", "--dim", "4"]
    files = ["--out", str(out), "--summary", str(summary), "--html", str(report)]
    assert main(["sweep", *SMALL, *flags, *files]) == 0
    problem = Problem.synthetic(noise="normal", noise_params={"std": 3}, beta=0.9, dim=4, eval_size=500)
    result = sweep(problem, lambdas=[0.1, 1, 1e4], iterations=200, seeds=2)

    written = pd.read_csv(out)
    pd.testing.assert_frame_equal(written, result.curves.reset_index(drop=True), check_exact=True, check_dtype=False)
    told = json.loads(summary.read_text())
    assert SweepSpec.from_dict(told["spec"]) == result.spec
    assert told["f_star"] == result.optimum.value
    assert told["epsilon"] == result.epsilon()
    assert told["methods"]["spl+"]["best_lambda"] == result.best_lambda("spl+")
    assert told["methods"]["spl+"].keys() >= {
        "best_lambda", "low_lambda", "high_lambda", "decades", "open_low", "open_high",
        "lambda", "median", "low", "high", "status",
    }  # fmt: skip
    assert told["measure"] == "risk"
    assert told["by_measure"] == json.loads(json.dumps(result.to_dict()["by_measure"]))
    assert "python -m cvar_core sweep" in report.read_text()
    assert finding(result) in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curves.csv", "report.html", "summary.json"]


def test_diverged_records_are_empty_in_csv_and_null_in_json(tmp_path):
    out, summary = tmp_path / "c.csv", tmp_path / "s.json"
    assert (
        main(["sweep", *SMALL, "--methods", "sgm", "--lambdas", "1e4", "--out", str(out), "--summary", str(summary)])
        == 0
    )
    assert re.search(r"^sgm,10000\.0,0,200,,,,,+diverged$", out.read_text(), re.MULTILINE)
    told = json.loads(summary.read_text())["methods"]["sgm"]
    assert told["median"] == [None]
    assert told["status"] == ["diverged"]
    assert told["best_lambda"] is None


EASY = ["--loss", "absolute", "--noise", "normal", "--noise-param", "std=0.3", "--dim", "4", "--iterations", "1000"]


@pytest.mark.parametrize("measure", [None, *MEASURES])
@pytest.mark.parametrize(("lam", "method", "code"), [("1", "spl+", 0), ("1e4", "sgm", 1)])
def test_check_answers_in_one_line_and_by_its_exit_code(lam, method, code, measure, capsys):
    chosen = [] if measure is None else ["--measure", measure]
    assert main(["check", *SMALL, *EASY, "--method", method, "--lambda", lam, *chosen]) == code
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert ("is safe" in said.out) == (code == 0)
    assert f"by {JUDGED_BY[measure or 'risk']}: " in said.out
    assert ("2 of 2 starts" if code == 0 else "0 of 2 starts") in said.out
    assert said.err == "", "nothing on stderr when piped"


def test_check_and_sweep_know_each_others_name_for_methods(capsys):
    little = ["--iterations", "20", "--seeds", "1", "--eval-size", "200", "--lambda", "1"]
    for command in ("check", "sweep"):
        for flag in ("--method", "--methods"):
            assert main([command, *little, flag, "spl"]) in (0, 1), capsys.readouterr().err


def test_parameters_stand_apart_from_formulas(capsys):
    assert main(["problems"]) == 0
    told = capsys.readouterr().out
    assert all(f" {entry.formula}" in told for entry in (*losses, *noises))


def test_check_tries_the_grid_that_it_is_given(capsys):
    flags = ["--noise", "normal", *SMALL]
    problem = Problem.synthetic(noise="normal", eval_size=500)
    main(["check", *flags, "--lambda", "1", "--method", "spl", "--lambdas", "0.1,10"])
    margins = check(problem, 1.0, "spl", iterations=200, seeds=2, lambdas=[0.1, 10])
    assert capsys.readouterr().out == f"{judgement(margins)}\n"
    main(["check", *flags, "--lambdas", "0.1,10"])
    found = recommend(problem, iterations=200, seeds=2, lambdas=[0.1, 10])
    assert capsys.readouterr().out == f"{found}\n"
    assert str(found) != str(recommend(problem, iterations=200, seeds=2))


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    assert capsys.readouterr().out == f"cvar_core {__version__}\n"


def test_safe_so_far_is_not_enough_for_who_wants_to_be_sure():
    asked = ["check", *SMALL, *EASY, "--method", "spl+", "--lambda", "1"]
    assert [main(asked), main([*asked, "--sure"])] == [0, 1]


def test_the_measure_decides_what_is_safe(capsys):
    few = ["--iterations", "300", "--seeds", "2", "--eval-size", "500", "--method", "spl", "--epsilon", "85%"]
    paper = ["--loss", "logistic", "--noise", "normal", "--lambda", "0.1"]
    codes = {measure: main(["check", *few, *paper, "--measure", measure]) for measure in MEASURES}
    assert codes == {"risk": 1, "objective": 0}, "its threshold is in place, its model is not"
    capsys.readouterr()


def test_where_the_start_leaves_nothing_to_close_there_is_no_verdict(capsys):
    loud = ["--loss", "absolute", "--noise", "normal", "--noise-param", "std=100", "--dim", "1", "--lambda", "1"]
    assert main(["check", *SMALL, *loud]) == 1
    assert capsys.readouterr().out.startswith("There is no verdict on λ = 1 for SPL₊ by the model's risk: ")
    assert main(["check", *SMALL, *loud, "--measure", "objective"]) in (0, 1)
    assert "by the objective" in capsys.readouterr().out
    assert main(["sweep", *SMALL, *loud[:-2], "--lambdas", "1"]) == 0
    said = capsys.readouterr().out
    assert "no verdict" in said.splitlines()[3]


def test_a_sweep_is_judged_by_the_measure_that_is_asked_for(tmp_path, capsys):
    file, page = tmp_path / "s.json", tmp_path / "r.html"
    problem = Problem.synthetic("absolute", "normal", noise_params={"std": 0.3}, dim=4, eval_size=500)
    result = sweep(problem, iterations=1_000, seeds=2)
    for by in (Criterion("risk"), Criterion("objective")):
        flags = [*SMALL, *EASY, "--measure", by.measure, "--summary", str(file), "--html", str(page)]
        assert main(["sweep", *flags]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"{finding(result, by)}."
        other = next(name for name in MEASURES if name != by.measure)
        assert lines[2].index(f"by {by.measure}") < lines[2].index(f"by {other}")
        for line, (name, found) in zip(lines[3:6], result.judged(by).forgiven.items(), strict=True):
            assert line.split()[:2] == [name, number(result.best_lambda(name, by.measure))]
            assert (f"{decades(found)} ({interval(found)})" if interval(found) else decades(found)) in line
        assert lines[6] == "In brackets: the 50% interval of the median over 2 starts."
        assert f"<h1>{escape(finding(result, by))}</h1>" in page.read_text()
        told = json.loads(file.read_text())
        assert told["measure"] == by.measure
        assert told["epsilon"] == result.epsilon(measure=by.measure)
        assert told["methods"] == told["by_measure"][by.measure]["methods"]


def test_epsilon_by_share_and_outright(tmp_path):
    told = []
    for text in ("99%", "0.25"):
        file = tmp_path / "s.json"
        assert main(["sweep", *SMALL, "--lambdas", "1", "--epsilon", text, "--summary", str(file)]) == 0
        told.append(json.loads(file.read_text())["epsilon"])
    result = sweep(Problem.synthetic(eval_size=500), lambdas=[1], iterations=200, seeds=2)
    assert told == [pytest.approx(result.epsilon(0.99)), 0.25]


def test_points_that_cannot_tell_are_said_to_be_too_few(monkeypatch, capsys):
    solve = Problem.optimum
    monkeypatch.setattr(Problem, "optimum", lambda self, stop=None: replace(solve(self, stop), floor=1e6))
    assert main(["sweep", *SMALL, "--lambdas", "1", "--measure", "objective"]) == 0
    assert "500 points cannot tell: " in capsys.readouterr().out


BAD_INPUT = [
    ("sweep --beta 1", "0 ≤ beta < 1"),
    ("sweep --beta nan", "finite"),
    ("sweep --beta high", "--beta is 'high'"),
    ("sweep --lambdas 0", "1e-12 and 1e12"),
    ("sweep --lambdas inf", "finite"),
    ("sweep --lambdas abc", "must be a number"),
    ("sweep --lambdas 1:2", "low:high:count"),
    ("sweep --lambdas 2:1:5", "0 < low < high"),
    ("sweep --lambdas 1e-3:1e3:10000", "between 2 and 1,000"),
    ("sweep --lambdas ,", "at least one step size"),
    ("sweep --iterations 0", "between 1 and"),
    ("sweep --iterations 1e12", "between 1 and"),
    ("sweep --iterations 1.5", "whole number"),
    ("sweep --seeds 0", "between 1 and 1,000"),
    ("sweep --seeds 1000000", "between 1 and 1,000"),
    ("sweep --seeds 1,x", "must be a number"),
    ("sweep --loss hinge", "squared, absolute, logistic"),
    ("sweep --noise pink", "normal, gumbel, lognormal"),
    ("sweep --noise-param std=2", "it has mean, sigma"),
    ("sweep --noise-param sigma", "NAME=VALUE"),
    ("sweep --loss huber --loss-param knee", "NAME=VALUE, such as knee=2"),
    ("sweep --loss huber --loss-param knee=-1", "above 0"),
    ("sweep --loss-param knee=2", "squared loss has no parameter 'knee'"),
    ("sweep --methods adam", "sgm, spl, spl+"),
    ("sweep --methods ,", "choose from"),
    ("sweep --schedule cosine", "decreasing, constant"),
    ("sweep --dim -3", "between 1 and"),
    ("sweep --eval-size 0", "between 1 and"),
    ("sweep --eval-size 1e300", "between 1 and"),
    ("sweep --scale 0", "1e-12 and 1e12"),
    ("sweep --sample-size 0", "between 1 and"),
    ("sweep --epsilon 0", "above 0"),
    ("sweep --epsilon 120%", "between 0% and 100%"),
    ("sweep --measure loss", "--measure is 'loss', but it must be one of risk, objective"),
    ("check --lambda 1 --measure Risk", "one of risk, objective"),
    ("sweep --measure", "--measure"),
    ("sweep --workers 0", "from 1 to 256"),
    ("sweep --checkpoints 0", "between 1 and"),
    ("sweep --out /nowhere/at/all.csv", "cannot write /nowhere/at/all.csv"),
    ("sweep --out /tmp", "it is a folder"),
    ("sweep --summary /proc/summary.json", "cannot write"),
    ("sweep --out same --html same", "two outputs have the same name"),
    (f"sweep --out {'x' * 300}.csv", "cannot write"),
    ("sweep --noise-param mean=1000 --eval-size 100", "overflows"),
    ("sweep --bet 0.9 --nonsense", "nonsense"),
    ("check --lambda", "--lambda"),
    ("check --lambda 0", "1e-12 and 1e12"),
    ("check --method adam", "sgm, spl, spl+"),
    ("check --checkpoints 0", "between 1 and"),
    ("check --lambda 1 --method adam", "sgm, spl, spl+"),
    ("check --lambda 1 --lambdas 0", "1e-12 and 1e12"),
    ("check --lambda 1 --lambdas 1,2 --sharpen", "--sharpen tries no grid"),
    ("sweep --data wine --noise normal", "--noise is for problems that are drawn, not for --data"),
    ("sweep --data wine --noise-param std=2", "--noise-param is for problems that are drawn"),
    ("check --data wine --dim 3 --lambda 1", "--dim is for problems that are drawn"),
    ("check --data wine --eval-size 100000 --lambda 1", "--eval-size is for problems that are drawn"),
    ("sweep --data wine --sample-size 9", "--sample-size is for problems that are drawn"),
    ("nothing", "invalid choice"),
    ("", "COMMAND"),
]


@pytest.mark.parametrize(("line", "words"), BAD_INPUT, ids=[line[:60] for line, _ in BAD_INPUT])
def test_bad_input_gets_one_sentence_and_exit_code_2(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.strip().splitlines()) == 1
    assert words in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Path, "replace", _full)
    assert main(["sweep", *SMALL, "--lambdas", "1", "--out", str(tmp_path / "c.csv")]) == 2
    assert "No space left" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def _full(self, target):
    raise OSError(28, "No space left on device")


UNDER_WAY = """
import sys
from cvar_core.cli import main
from cvar_core.scheduling import performing
advance = performing.advance
def telling(*args):
    print("under way", flush=True)
    return advance(*args)
performing.advance = telling
sys.exit(main(sys.argv[1:]))
"""


def spent(pid: int) -> float:
    """Return the seconds of a processor that a running process has taken."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="how long it worked is not told here")
def test_ctrl_c_stops_within_a_second_of_work_and_leaves_no_file(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", UNDER_WAY, "sweep", "--iterations", "1e9", "--out", str(tmp_path / "c.csv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background may ignore it
    ) as process:
        assert process.stdout.readline() == "under way\n"
        time.sleep(0.2)  # it is in the middle of a piece
        assert process.poll() is None
        worked = spent(process.pid)
        os.kill(process.pid, signal.SIGINT)
        err = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert used.ru_utime + used.ru_stime - worked < 1.0, "of the processor's time: others may have most of it"
    assert process.returncode == 130
    assert err.strip() == "cvar_core: interrupted; no file was written"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("buffering", [1, -1])
def test_a_reader_that_leaves_is_no_error(buffering, monkeypatch, capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering, encoding="utf-8") as pipe, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", pipe)
        assert main(["problems"]) == 0
    assert capsys.readouterr().err == ""


def test_links_are_followed_and_pipes_are_written_to(tmp_path):
    real, link, pipe = tmp_path / "real.csv", tmp_path / "link.csv", tmp_path / "pipe"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert main(["sweep", *SMALL, "--lambdas", "1", "--out", str(link), "--summary", str(pipe)]) == 0
    assert json.loads(reader.communicate(timeout=10)[0])["epsilon"] > 0
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert real.read_text().startswith("method,lambda")
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_a_file_goes_to_standard_output_and_the_words_elsewhere(name, capfd, tmp_path):
    asked = ["sweep", *SMALL, "--lambdas", "1", "--methods", "spl"]
    assert main([*asked, "--out", name, "--summary", str(tmp_path / "s.json")]) == 0
    said = capfd.readouterr()
    assert main([*asked, "--out", str(tmp_path / "c.csv")]) == 0
    assert said.out == (tmp_path / "c.csv").read_text()
    assert without_seconds(said.err) == without_seconds(capfd.readouterr().out)
    assert json.loads((tmp_path / "s.json").read_text())["epsilon"] > 0
    assert main([*asked, "--out", name, "--html", "-"]) == 2
    assert "two outputs have the same name" in capfd.readouterr().err


def without_seconds(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "", text)


def test_figures_and_atlas_go_to_standard_output_too(capfdbinary, monkeypatch):
    results = [replace(each, timings={"total": 0.0}) for each in paper.shipped().results]
    step = atlas.Step(atlas.every_problem()[0], atlas.shipped())
    monkeypatch.setattr("cvar_core.lessons.paper.compute", lambda *_, **__: results)
    monkeypatch.setattr("cvar_core.lessons.atlas.chart", lambda *_, **__: [step])
    contents = {"figures": paper.packed(results), "atlas": atlas.packed(atlas.joined([atlas.shipped()]))}
    for command, content in contents.items():
        assert main([command, "--out", "-"]) == 0
        assert capfdbinary.readouterr().out == content


@pytest.mark.parametrize("line", ["problems", "sweep --help", "data list"])
def test_closed_and_full_ends_get_a_sentence_and_a_code(line, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)  # as Python has it where it is closed
        assert main(line.split()) == 2
    assert capsys.readouterr().err == "cvar_core: standard output is closed, so that nothing could be said\n"
    with contextlib.suppress(OSError), Path("/dev/full").open("w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        assert main(line.split()) == 2
    assert capsys.readouterr().err == "cvar_core: No space left on device\n"
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert main(["sweep", "--loss", "nope"]) == 2
    assert capsys.readouterr().out == ""


def test_a_reader_of_a_file_may_leave(capfd):
    reading, writing = os.pipe()
    os.close(reading)
    kept = os.dup(1)
    os.dup2(writing, 1)
    try:
        assert main(["sweep", *SMALL, "--lambdas", "1", "--out", "-"]) == 0
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(writing)
    assert "cvar_core:" not in capfd.readouterr().err


def test_a_terminal_without_greek_letters_is_no_error():
    done = subprocess.run(
        [sys.executable, "-m", "cvar_core", "problems"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout


def test_compile_runs_every_loss(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr("cvar_core.api.sweep", lambda problem, methods, **_: ran.append((problem.spec, methods)))
    assert main(["compile"]) == 0
    assert [(spec.loss, spec.nonzeros is not None, names) for spec, names in ran] == [
        (name, sparse, usual_methods(on_data=True)) for name in losses.names() for sparse in (False, True)
    ]
    assert "squared" in capsys.readouterr().out


def test_check_without_a_method_asks_for_ours_too_and_is_safe_only_if_both_are(capsys, monkeypatch):
    asked, failing = [], []

    def answer(problem, lam, method, *_, **__):
        asked.append(method)
        verdict = check(problem, lam, method, iterations=200, seeds=2)
        return replace(verdict, starts=0 if method in failing else verdict.seeds)

    monkeypatch.setattr(sys.modules["cvar_core.cli.main"], "check", answer)  # the package has a function of that name
    for unsafe, code in ((), 0), (("spl+",), 1), (("spl-u",), 1):
        failing[:] = unsafe
        assert main(["check", *SMALL, *EASY, "--lambda", "1"]) == code
    assert asked == ["spl+", "spl-u"] * 3
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 6
    assert "for SPL-U (ours)" in told[1]


def test_check_without_a_lambda_recommends_one(capsys):
    assert main(["check", *SMALL, *EASY]) == 0
    told = capsys.readouterr()
    lines = told.out.splitlines()
    problem = Problem.synthetic("absolute", "normal", noise_params={"std": 0.3}, dim=4, eval_size=500)
    found = recommend(problem, iterations=1_000, seeds=2)
    assert lines == list(found.words)
    assert f"for {methods['spl+'].label} by the model's risk" in lines[0]
    assert f"for {methods['spl-u'].label} by the model's risk" in lines[1]
    label = methods[found.method].label
    assert lines[2].startswith(
        f"Take λ = {number(found.lam)} with {label}: safe so far for 2 of 2 starts, and it may be"
    )
    assert told.err == ""


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["--method", "spl+"], 0, "Take λ = "),
        (["--method", "spl+", "--sure"], 1, "Take λ = "),  # two starts do not show it
        (["--method", "spl+", "--seeds", "29", "--sure"], 0, "safe for 29 of 29 starts"),
        (["--iterations", "1", "--epsilon", "99.9%"], 1, "none is usable for most starts"),
        (
            ["--method", "sgm", "--iterations", "1200", "--seeds", "5"],
            1,
            "No λ of this grid is safe. The nearest to it is",
        ),
        (["--noise-param", "std=100", "--dim", "1"], 1, "no verdict by its risk"),
    ],
)
def test_the_exit_code_says_whether_what_is_recommended_is_safe(flags, code, words, capsys):
    assert main(["check", *SMALL, *EASY, *flags]) == code
    assert words in capsys.readouterr().out


def test_a_sweep_says_which_lambda_to_take(capsys):
    assert main(["sweep", *SMALL, *EASY]) == 0
    problem = Problem.synthetic("absolute", "normal", noise_params={"std": 0.3}, dim=4, eval_size=500)
    assert f"{take(sweep(problem, iterations=1_000, seeds=2).judged())}." in capsys.readouterr().out.splitlines()


def test_a_sweep_has_the_papers_methods_and_on_data_ours_as_well(tmp_path, capsys):
    assert main(["sweep", *SMALL, "--lambdas", "1", "--iterations", "20"]) == 0
    assert "spl-u" not in capsys.readouterr().out
    file = tmp_path / "rows.csv"
    file.write_text("x,y\n" + "\n".join(f"{k % 7},{k % 5}" for k in range(40)))
    assert main(["sweep", "--data", str(file), "--lambdas", "1", "--iterations", "20", "--seeds", "2"]) == 0
    told = capsys.readouterr().out
    names = [line.split()[0] for line in told.splitlines() if line.startswith(("sgm", "spl"))]
    assert tuple(dict.fromkeys(names)) == ("sgm", "spl", "spl+", "spl-u")
    assert main(["problems"]) == 0
    assert capsys.readouterr().out.count("ours, not the paper's") == 2


def test_a_check_says_what_its_verdict_would_hide(tmp_path, capsys):
    """Rows of one huge column: most of a terrible start's gap is soon closed, and the model is still no good."""
    rng = np.random.default_rng(0)
    rows = 1e4 * rng.normal(size=200)
    lines = ["x,y", *(f"{x},{y}" for x, y in zip(rows, rng.normal(size=200), strict=True))]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(lines))
    flags = ["--data", str(file), "--loss", "absolute", "--iterations", "40", "--seeds", "3", "--epsilon", "50%"]
    codes = {main(["check", *flags, "--method", "spl", "--lambda", lam]) for lam in ("1e-6", "1e-5", "1e-4", "0.001")}
    said = capsys.readouterr().out
    assert codes <= {0, 1}
    assert len(said.splitlines()) == 4, "one line each"
    assert "the best constant prediction has a CVaR of" in said


def test_where_there_is_no_verdict_no_range_is_printed(capsys):
    assert main(["sweep", "--loss", "absolute", "--noise", "lognormal", "--eval-size", "500", "--seeds", "2"]) == 0
    rows = capsys.readouterr().out.splitlines()[3:6]
    assert all(row.count("–") >= 2 and "no verdict" in row for row in rows)


def test_more_starts_take_those_that_are_stored(tmp_path, capsys):
    kept, grid = tmp_path / "runs.db", ["--lambdas", "0.1,1", "--eval-size", "500", "--iterations", "200"]
    assert main(["sweep", *grid, "--seeds", "5", "--store", str(kept)]) == 0
    assert f"6,000 updates were taken; 0 were in {kept}." in capsys.readouterr().out
    curves = [tmp_path / "stored.csv", tmp_path / "afresh.csv"]
    assert main(["sweep", *grid, "--seeds", "20", "--store", str(kept), "--out", str(curves[0])]) == 0
    assert "18,000 updates were taken; 6,000 were in" in capsys.readouterr().out
    assert main(["sweep", *grid, "--seeds", "20", "--out", str(curves[1])]) == 0
    assert curves[0].read_bytes() == curves[1].read_bytes()
    check = ["check", "--eval-size", "500", "--iterations", "200", "--lambda", "1", "--store", str(kept)]
    assert main(check) == main(check[:-2])


def test_a_store_that_cannot_be_one_gets_a_line(tmp_path, capsys):
    (tmp_path / "runs.db").write_text("not a database, but long enough to be one: " + 600 * "x")
    assert main(["sweep", *SMALL, "--store", str(tmp_path / "runs.db")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "runs.db is damaged" in told


def test_sharpen_says_intervals_at_their_own_level_and_what_they_cost(tmp_path, capsys):
    kept, file = tmp_path / "runs.db", tmp_path / "s.json"
    grid = [
        *SMALL[:4],
        *EASY,
        "--iterations",
        "300",
        "--methods",
        "spl+",
        "--checkpoints",
        "1",
        "--measure",
        "objective",
    ]
    assert main(["sweep", *grid, "--seeds", "5", "--sharpen", "--store", str(kept), "--summary", str(file)]) == 0
    said = capsys.readouterr().out
    assert "90% intervals of the median over all starts, which count that one looks at 5, 20 and 80 starts" in said
    told = json.loads(file.read_text())["sharpened"]
    mine = told["methods"]["spl+"]
    assert f"SPL₊ forgives {mine['decades']:.2f} ({mine['decades_low']:.2f}–{mine['decades_high']:.2f})" in said
    assert f"{told['updates']:,} updates: " in said
    assert f"{told['updates']:,} updates were taken; 0 were in" in said
    assert main(["sweep", *grid, "--seeds", "5", "--sharpen", "0.4", "--store", str(kept)]) == 0
    assert "0 updates were taken; " in capsys.readouterr().out, "a wider interval needs no more"


def test_check_does_the_least_that_decides(tmp_path, capsys):
    kept = str(tmp_path / "runs.db")
    asked = ["check", *SMALL[:2], *EASY, "--method", "spl+", "--lambda", "1", "--sharpen"]
    assert main([*asked, "--sure", "--store", kept]) == 0
    said = capsys.readouterr().out
    assert "λ = 1 is safe for SPL₊" in said
    assert "margin ≥ 0.3 decades below and ≥ 0.3 above" in said
    assert "That took 87,000 updates; the grid takes 435,000 from as many starts." in said
    assert main([*asked, "--sure", "--store", kept]) == 0
    assert "That took 0 updates" in capsys.readouterr().out
    assert main([*asked[:-3], "--lambda", "1e-5", "--sharpen"]) == 1
    assert "usable for 0 of 5 starts" in (said := capsys.readouterr().out)
    assert "no other λ was tried" in said


@pytest.mark.parametrize(
    "flags", [["--sharpen", "-1"], ["--sharpen", "0"], ["--sharpen", "--budget", "0"], ["--budget", "9"]]
)
def test_sharpen_takes_numbers_above_nought(flags, capsys):
    assert main(["sweep", *SMALL, *flags]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_check_sharpens_what_it_is_given(capsys):
    assert main(["check", "--sharpen"]) == 2
    assert "give it with --lambda" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["sweep"], ["check"], ["check", "--lambda", "1"]])
def test_where_the_best_classifier_is_none_that_is_said_once(command, capsys):
    main([*command, *SMALL, "--loss", "logistic", "--noise", "normal"])
    assert capsys.readouterr().out.count("the best classifier is θ = 0, which decides nothing") == 1
    main([*command, *SMALL, "--loss", "logistic", "--noise", "normal", "--beta", "0"])
    assert "decides nothing" not in capsys.readouterr().out


def test_a_mix_is_minimised_and_told(capsys, tmp_path):
    flags = ["--noise", "normal", "--dim", "3", "--eval-size", "500", "--mix", "0.3", "--beta", "0.9"]
    page, summary = tmp_path / "report.html", tmp_path / "summary.json"
    run = ["sweep", *flags, "--lambdas", "0.1,1", "--iterations", "50", "--seeds", "1"]
    assert main([*run, "--html", str(page), "--summary", str(summary)]) == 0
    told = json.loads(summary.read_text())
    best = Problem.synthetic(noise="normal", dim=3, eval_size=500, mix=0.3, beta=0.9).optimum()
    assert told["spec"]["problem"]["mix"] == 0.3
    assert told["f_star"] == best.value
    text = page.read_text()
    assert "Mix 0.7·mean + 0.3·CVaR at β = 0.9, squared loss" in text
    assert "mix of 0.7 of the mean loss and 0.3 of the mean of the worst 10%" in text
    assert main(["sweep", "--mix", "1.5"]) == 2
    assert "mix is 1.5, but it must lie between 0 and 1" in capsys.readouterr().err
