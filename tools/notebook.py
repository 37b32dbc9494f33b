"""Run the notebook's cells as Jupyter does, and write what they give into it: ``python -m tools.notebook``."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "docs" / "safe_step_size.ipynb"
PLOTLY, PNG = "application/vnd.plotly.v1+json", "image/png"
_SIZE = {"width": 1000, "height": 480}


def read(path: Path = NOTEBOOK) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def executed(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield every cell of code with its outputs, all run in one namespace and in an empty folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for count, cell in enumerate((each for each in notebook["cells"] if each["cell_type"] == "code"), start=1):
                yield cell, _outputs("".join(cell["source"]), names, count)
        finally:
            os.chdir(before)


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell; what it prints and the value of its last line are its outputs."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        shown = {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": _shown(value)}
        found.append(shown)
    return found


def _shown(value: Any) -> dict[str, Any]:
    """Return a value in the forms that Jupyter keeps of it."""
    if hasattr(value, "to_plotly_json"):
        drawn = json.loads(value.to_json())
        return {PLOTLY: drawn, "text/plain": _lines(f"Figure: {value.layout.title.text}")}
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    forms = {"text/plain": _lines(repr(value))}
    return forms if html is None else {**forms, "text/html": _lines(html)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def picture(drawn: dict[str, Any]) -> str:
    """Return a plotly figure as PNG, drawn by Chromium, in base64: what a page shows that does not run JavaScript."""
    import plotly.graph_objects as go
    from playwright.sync_api import sync_playwright

    figure = go.Figure(drawn).update_layout(**_SIZE, paper_bgcolor="white", plot_bgcolor="white")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=_SIZE)
        page.set_content(figure.to_html(include_plotlyjs="inline", config={"staticPlot": True}))
        page.wait_for_selector(".main-svg")
        content = page.screenshot()
        browser.close()
    return base64.b64encode(content).decode()


def main() -> None:
    notebook = read()
    for count, (cell, outputs) in enumerate(executed(notebook), start=1):
        for output in outputs:
            if PLOTLY in output.get("data", {}):
                output["data"][PNG] = picture(output["data"][PLOTLY])
        cell["outputs"], cell["execution_count"] = outputs, count
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
