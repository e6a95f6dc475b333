"""Population search for Sudoku on CPUs and GPUs.

>>> import gpusudoku
>>> result = gpusudoku.run("easy-1", algo="lsga", pop=150, seed=1, backend="cpu")
>>> result.solved
True
>>> evaluator = gpusudoku.Evaluator("easy-1", backend="cpu")
>>> evaluator.evaluate(result.solution[None])
array([0], dtype=uint32)

Everything that is refused raises :class:`Error`, whose text is the sentence of the command line.
"""

from ._native import Error, Session
from .evaluator import Evaluator
from .experiments import Comparison, Table, compare, report, reproduce, tables
from .puzzles import adapters, check, generate
from .running import Result, algorithms, run

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Error",
    "Evaluator",
    "Result",
    "Session",
    "Table",
    "adapters",
    "algorithms",
    "check",
    "compare",
    "generate",
    "report",
    "reproduce",
    "run",
    "tables",
]
