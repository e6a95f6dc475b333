"""Examples in docstrings, the own algorithm, and the notebooks."""

import doctest
import importlib
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("name", ["", ".evaluator", ".puzzles", ".running", ".experiments", ".with_deap", ".with_pymoo"])
def test_docstrings_say_what_is(name):
    found = doctest.testmod(importlib.import_module(f"gpusudoku{name}"))
    assert found.failed == 0
    assert found.attempted > 0


@pytest.mark.parametrize("document", ["docs/python.md", "python/README.md"])
def test_code_of_documents_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT.parent / document).read_text(), re.DOTALL | re.MULTILINE)
    # Ray is not among what tests need.
    blocks = [block for block in blocks if "ray." not in block]
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)


def test_types_are_what_is():
    for tool in (["mypy", "--package", "gpusudoku"], ["mypy.stubtest", "gpusudoku._native", "--ignore-disjoint-bases"]):
        settings = ["--config-file" if tool[0] == "mypy" else "--mypy-config-file", str(ROOT / "pyproject.toml")]
        told = subprocess.run([sys.executable, "-m", *tool, *settings], capture_output=True, text=True)
        assert told.returncode == 0, told.stdout + told.stderr


def test_an_own_algorithm_in_forty_lines_solves_a_puzzle():
    file = EXAMPLES / "own_ga.py"
    assert len(file.read_text().splitlines()) <= 50
    solution, curve = runpy.run_path(str(file))["evolve"]("easy-11", pop=1000, backend="cpu")
    assert solution is not None and curve[-1][0] == 0


@pytest.mark.parametrize("notebook", ["own_ga.ipynb", "lsga_table_2.ipynb"])
def test_notebooks_run(notebook, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    read = nbformat.read(EXAMPLES / notebook, as_version=4)
    # Nothing has been executed in what is committed.
    assert all(not cell.get("outputs") for cell in read.cells)
    nbclient.NotebookClient(read, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.get("outputs") for cell in read.cells)
