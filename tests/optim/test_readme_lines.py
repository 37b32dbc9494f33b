"""What README shows runs as it stands."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_lines_of_the_training_loop_run(capsys, tmp_path):
    section = README.read_text("utf-8").split("## In your own training loop")[1].split("\n## ")[0]
    lines, study = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names = {}
    exec(compile(lines, "README.md", "exec"), names)
    assert re.fullmatch(r"[\d.]+ on average, threshold [\d.]+\n", capsys.readouterr().out)
    quick = study.replace("steps=500, seeds=5", "steps=2, seeds=1, lambdas=[0.1, 1.0]").replace(
        "study.html", str(tmp_path / "study.html")
    )
    exec(compile(quick, "README.md", "exec"), {"make_model": lambda: names["model"], "x": names["x"], "y": names["y"]})
    assert "decades" in capsys.readouterr().out
    assert (tmp_path / "study.html").exists()
