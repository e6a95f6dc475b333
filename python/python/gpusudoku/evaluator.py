"""The evaluator, and operators as functions of arrays."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy

from . import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Boxes, Grids, Problem


class Evaluator(_native.Evaluator):
    """Tells the fitness of populations, and varies them.

    ``problem`` is whatever the command line takes, or a two-dimensional array of uint8 with 0 for blanks.
    ``backend`` is ``"cpu"``, ``"gpu"`` or ``"auto"``, a GPU if there is one.

    ============== ================================================== =============================
    encoding       an individual is refused unless                    operators
    ============== ================================================== =============================
    ``rows``       givens stand and every row is a permutation        crossover, mutations, searches
    ``blocks``     givens stand and every sub-block is a permutation  sample
    ``cells``      givens stand; any digit may stand anywhere else
    ``candidates`` every cell has a digit that the givens leave it
    ``partial``    the same, or 0 for a hole                          tabu
    ============== ================================================== =============================

    Populations are uint8 of shape ``(pop, N, N)`` or ``(pop, N * N)``, digits 1 to N, in C order. They are read where
    they are, without a copy. Python's lock is released meanwhile.

    >>> evaluator = Evaluator("easy-1", backend="cpu")
    >>> population = evaluator.initialise(100, seed=1)
    >>> population.shape
    (100, 9, 9)
    >>> searched = evaluator.column_search(population, seed=1, generation=1)
    >>> bool(evaluator.evaluate(searched).mean() < evaluator.evaluate(population).mean())
    True

    The operators below take a population and return a new one. To have one stay on the engine, a GPU perhaps, while
    several are applied, see :meth:`session`. An operator draws its random numbers from (seed, generation): equal
    arguments make equal populations on every machine and backend.

    Evaluators can be copied and sent to other processes; each makes an engine of its own.
    """

    def __init__(
        self,
        problem: Problem,
        backend: str = "auto",
        encoding: str = "rows",
        objective: str | None = None,
        *,
        adapter: str | None = None,
        threads: int = 0,
        boxes: Boxes = None,
        latin: bool = False,
    ) -> None:
        # The native part has been made of the same arguments.
        self._place: dict[str, Any] = {"backend": backend, "adapter": adapter, "threads": threads}

    def __reduce__(self) -> tuple[Any, ...]:
        # By givens and not by name: another machine need not have the file.
        shape: dict[str, Any] = {"boxes": self.boxes, "latin": self.boxes is None}
        counted: dict[str, Any] = {"encoding": self.encoding, "objective": self.objective}
        return partial(type(self), self.givens, **self._place, **shape, **counted), ()

    def _session(self, pop: int, seed: int) -> _native.Session:
        """The last session of this thread, if it fits: to set one up takes longer than many an operator."""
        kept = self.__dict__.setdefault("_kept", threading.local())
        if getattr(kept, "key", None) != (pop, seed):
            kept.session = self.session(pop, seed)
            kept.key = (pop, seed)
        session: _native.Session = kept.session
        return session

    def _vary(self, population: Grids, seed: int, operator: str, /, **arguments: Any) -> Grids:
        session = self._session(len(population), seed)
        session.load(population)
        getattr(session, operator)(**arguments)
        return session.population

    def initialise(self, pop: int, *, seed: int = 1, generation: int = 0) -> Grids:
        """A random population of the encoding.

        >>> Evaluator("easy-1", backend="cpu").initialise(2, seed=7).shape
        (2, 9, 9)
        """
        session = self._session(pop, seed)
        session.initialise(generation)
        return session.population

    def crossover(
        self, population: Grids, rate: float = 0.2, row_rate: float = 0.1, *, seed: int = 1, generation: int
    ) -> Grids:
        """With probability ``rate`` an individual takes each row of a random mate with probability ``row_rate``."""
        return self._vary(population, seed, "crossover", rate=rate, row_rate=row_rate, generation=generation)

    def swap_mutation(self, population: Grids, rate: float = 0.3, *, seed: int = 1, generation: int) -> Grids:
        """With probability ``rate`` two free cells of a row are swapped; each row has its turn."""
        return self._vary(population, seed, "swap_mutation", rate=rate, generation=generation)

    def reinitialise_mutation(self, population: Grids, rate: float = 0.05, *, seed: int = 1, generation: int) -> Grids:
        """With probability ``rate`` the free cells of a row are shuffled; each row has its turn."""
        return self._vary(population, seed, "reinitialise_mutation", rate=rate, generation=generation)

    def column_search(self, population: Grids, rounds: int = 1, *, seed: int = 1, generation: int) -> Grids:
        """Local search in illegal columns."""
        return self._vary(population, seed, "column_search", rounds=rounds, generation=generation)

    def block_search(self, population: Grids, rounds: int = 1, *, seed: int = 1, generation: int) -> Grids:
        """Local search in illegal sub-blocks."""
        return self._vary(population, seed, "block_search", rounds=rounds, generation=generation)

    def tabu(self, population: Grids, moves: int, *, seed: int = 1, generation: int) -> Grids:
        """So many moves of a tabu search for everybody (encoding ``partial``)."""
        return self._vary(population, seed, "tabu", moves=moves, generation=generation)

    def sample(
        self,
        pop: int,
        model: NDArray[numpy.uint32],
        *,
        seed: int = 1,
        generation: int = 1,
        neighbours: bool = True,
        retries: int = 2,
    ) -> Grids:
        """A population from a model: uint32 of shape (N, N, N), weights of the digits of each cell (``blocks``).

        >>> import numpy
        >>> evaluator = Evaluator("easy-1", backend="cpu", encoding="blocks")
        >>> evaluator.sample(5, numpy.ones((9, 9, 9), numpy.uint32)).shape
        (5, 9, 9)
        """
        session = self._session(pop, seed)
        session.sample(model, generation=generation, neighbours=neighbours, retries=retries)
        return session.population
