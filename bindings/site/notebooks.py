#!/usr/bin/env python3
"""Executes the example notebooks, which are committed with their outputs.

    .venv/bin/python bindings/site/notebooks.py            says which outputs have changed
    .venv/bin/python bindings/site/notebooks.py --write    saves the new outputs

Saved outputs leave out the parts that differ from run to run: execution times, and names of temporary folders.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "python").glob("*.ipynb"))
TIME_LIMIT_S = 120


def execute(path: Path) -> Any:
    """Executes a notebook from top to bottom; returns it with the new outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=TIME_LIMIT_S, kernel_name="python3", record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )  # fmt: skip
    client.execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    return notebook


def joined(outputs: list[Any]) -> list[Any]:
    """Joins the pieces of a cell's printed output."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def shown(notebook: Any) -> list[list[str]]:
    """The visible output of each code cell, in a form that is the same for different versions of the libraries."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        texts = []
        for output in cell.outputs:
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            # pandas 3 shows different time units from pandas 2, and pads columns differently.
            text = re.sub(r"\[(ns|us|s)(, UTC)?\]", "[…]", text)
            texts.append("\n".join(" ".join(line.split()) for line in text.splitlines()))
        cells.append(texts)
    return cells


def main() -> None:
    import nbformat

    write = sys.argv[1:] == ["--write"]
    if sys.argv[1:] and not write:
        sys.exit(f"usage: {sys.argv[0]} [--write]")
    changed = 0
    for path in NOTEBOOKS:
        new = execute(path)
        if shown(new) != shown(nbformat.read(path, as_version=4)):
            changed += 1
            print(f"{path.relative_to(ROOT)}: its outputs {'are written anew' if write else 'have changed'}")
        if write:
            nbformat.write(new, path)
    sys.exit(1 if changed and not write else 0)


if __name__ == "__main__":
    main()
