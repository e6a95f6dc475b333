"""Types of the native part."""

from collections.abc import Callable, Sequence
from typing import Any, Optional, final

import numpy
from numpy.typing import NDArray

from ._types import Boxes, Path, Problem

__all__ = [
    "Error",
    "Evaluator",
    "Experiment",
    "Session",
    "Store",
    "adapters",
    "algorithms",
    "check",
    "generate",
    "report",
    "run",
    "tables",
]

class Error(Exception): ...

class Evaluator:
    def __new__(
        cls,
        problem: Problem,
        backend: str = "auto",
        encoding: str = "rows",
        objective: Optional[str] = None,
        *,
        adapter: Optional[str] = None,
        threads: int = 0,
        boxes: Boxes = None,
        latin: bool = False,
    ) -> Evaluator: ...
    @property
    def size(self) -> int: ...
    @property
    def givens(self) -> NDArray[numpy.uint8]: ...
    @property
    def boxes(self) -> Boxes: ...
    @property
    def encoding(self) -> str: ...
    @property
    def objective(self) -> str: ...
    @property
    def engine(self) -> Optional[tuple[str, str]]: ...
    def evaluate(self, population: NDArray[numpy.uint8]) -> NDArray[numpy.uint32]: ...
    def session(self, pop: int, seed: int = 1) -> Session: ...

@final
class Session:
    @property
    def pop(self) -> int: ...
    @property
    def engine(self) -> tuple[str, str]: ...
    @property
    def population(self) -> NDArray[numpy.uint8]: ...
    @property
    def fitness(self) -> NDArray[numpy.uint32]: ...
    def load(self, population: NDArray[numpy.uint8]) -> None: ...
    def initialise(self, generation: int = 0) -> dict[str, Any]: ...
    def crossover(self, rate: float, row_rate: float, *, generation: int) -> dict[str, Any]: ...
    def swap_mutation(self, rate: float, *, generation: int) -> dict[str, Any]: ...
    def reinitialise_mutation(self, rate: float, *, generation: int) -> dict[str, Any]: ...
    def column_search(self, rounds: int = 1, *, generation: int) -> dict[str, Any]: ...
    def block_search(self, rounds: int = 1, *, generation: int) -> dict[str, Any]: ...
    def breed(
        self,
        *,
        generation: int,
        crossover: float = 0.0,
        row_rate: float = 0.0,
        swap: float = 0.0,
        reinitialise: float = 0.0,
        column_search: bool = False,
        block_search: bool = False,
        rounds: int = 1,
        parents: int = 0,
        survivors: int = 1,
    ) -> dict[str, Any]: ...
    def sample(
        self, model: NDArray[numpy.uint32], *, generation: int, neighbours: bool = True, retries: int = 2
    ) -> dict[str, Any]: ...
    def tabu(self, moves: int, *, generation: int) -> dict[str, Any]: ...

@final
class Experiment:
    def __new__(
        cls,
        algos: Sequence[str],
        problems: Sequence[tuple[Optional[str], Problem]],
        *,
        runs: int,
        seed: int,
        pop: Optional[int],
        backends: Sequence[str],
        max_generations: Optional[int],
        max_evaluations: Optional[int],
        time_limit: Optional[float],
    ) -> Experiment: ...
    @staticmethod
    def from_plan(plan: str) -> Experiment: ...
    @staticmethod
    def of_table(table: str, *, runs: Optional[int], seed: int, all: bool) -> Experiment: ...
    def __len__(self) -> int: ...
    @property
    def plan(self) -> str: ...
    def case_of(self, index: int) -> tuple[str, str, int]: ...
    def stop(self) -> None: ...
    def run(self, index: int, threads: int = 1, adapter: Optional[str] = None) -> str: ...

@final
class Store:
    def __new__(cls, path: Path, experiment: Experiment) -> Store: ...
    def missing(self) -> list[int]: ...
    def verify(self, text: str) -> None: ...
    def add(self, text: str) -> None: ...
    def results(self, by: str = "evaluations") -> str: ...
    def table(self, name: str) -> str: ...

def run(
    problem: Optional[Problem],
    *,
    algo: Optional[str],
    pop: Optional[int],
    seed: int,
    backend: str,
    adapter: Optional[str],
    threads: int,
    params: Sequence[tuple[str, str]],
    max_generations: Optional[int],
    max_evaluations: Optional[int],
    time_limit: Optional[float],
    callback: Optional[Callable[[dict[str, Any]], Optional[bool]]],
    population: bool,
    diversity: bool,
    checkpoint: Optional[Path],
    checkpoint_every: float,
    resume: Optional[Path],
    boxes: Boxes,
    latin: bool,
) -> tuple[str, dict[str, Any], NDArray[Any], Optional[NDArray[numpy.uint8]]]: ...
def algorithms() -> list[tuple[str, str, str, int, int]]: ...
def generate(
    size: Optional[int] = None,
    givens: str = "45%",
    count: int = 1,
    seed: int = 1,
    unique: bool = False,
    latin: bool = False,
    boxes: Boxes = None,
) -> list[NDArray[numpy.uint8]]: ...
def check(
    grid: Problem, *, count: int = 2, max_nodes: Optional[int] = None, boxes: Boxes = None, latin: bool = False
) -> dict[str, Any]: ...
def adapters() -> list[dict[str, Any]]: ...
def report(
    files: Sequence[Path],
    out: Path,
    *,
    figures: Optional[Path] = None,
    csv: Optional[Path] = None,
    ioh: Optional[Path] = None,
    by: str = "evaluations",
) -> tuple[int, int]: ...
def tables() -> str: ...
