"""What README shows runs as it stands."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_lines_of_the_training_loop_run(capsys):
    section = README.read_text("utf-8").split("## In your own training loop")[1].split("\n## ")[0]
    (lines,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    exec(compile(lines, "README.md", "exec"), {})
    assert re.fullmatch(r"[\d.]+ on average, threshold [\d.]+\n", capsys.readouterr().out)
