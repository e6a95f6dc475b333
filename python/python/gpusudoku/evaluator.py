"""The evaluator, and operators as functions of arrays."""

from __future__ import annotations

import threading

from . import _native


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
    """

    def _session(self, pop, seed):
        """The last session of this thread, if it fits: to set one up takes longer than many an operator."""
        kept = self.__dict__.setdefault("_kept", threading.local())
        if getattr(kept, "key", None) != (pop, seed):
            kept.session = self.session(pop, seed)
            kept.key = (pop, seed)
        return kept.session

    def _vary(self, population, seed, operator, /, **arguments):
        session = self._session(len(population), seed)
        session.load(population)
        getattr(session, operator)(**arguments)
        return session.population

    def initialise(self, pop, *, seed=1, generation=0):
        """A random population of the encoding.

        >>> Evaluator("easy-1", backend="cpu").initialise(2, seed=7).shape
        (2, 9, 9)
        """
        session = self._session(pop, seed)
        session.initialise(generation)
        return session.population

    def crossover(self, population, rate=0.2, row_rate=0.1, *, seed=1, generation):
        """With probability ``rate`` an individual takes each row of a random mate with probability ``row_rate``."""
        return self._vary(population, seed, "crossover", rate=rate, row_rate=row_rate, generation=generation)

    def swap_mutation(self, population, rate=0.3, *, seed=1, generation):
        """With probability ``rate`` two free cells of a row are swapped; each row has its turn."""
        return self._vary(population, seed, "swap_mutation", rate=rate, generation=generation)

    def reinitialise_mutation(self, population, rate=0.05, *, seed=1, generation):
        """With probability ``rate`` the free cells of a row are shuffled; each row has its turn."""
        return self._vary(population, seed, "reinitialise_mutation", rate=rate, generation=generation)

    def column_search(self, population, rounds=1, *, seed=1, generation):
        """Local search in illegal columns."""
        return self._vary(population, seed, "column_search", rounds=rounds, generation=generation)

    def block_search(self, population, rounds=1, *, seed=1, generation):
        """Local search in illegal sub-blocks."""
        return self._vary(population, seed, "block_search", rounds=rounds, generation=generation)

    def tabu(self, population, moves, *, seed=1, generation):
        """So many moves of a tabu search for everybody (encoding ``partial``)."""
        return self._vary(population, seed, "tabu", moves=moves, generation=generation)

    def sample(self, pop, model, *, seed=1, generation=1, neighbours=True, retries=2):
        """A population from a model: uint32 of shape (N, N, N), weights of the digits of each cell (``blocks``).

        >>> import numpy
        >>> evaluator = Evaluator("easy-1", backend="cpu", encoding="blocks")
        >>> evaluator.sample(5, numpy.ones((9, 9, 9), numpy.uint32)).shape
        (5, 9, 9)
        """
        session = self._session(pop, seed)
        session.sample(model, generation=generation, neighbours=neighbours, retries=retries)
        return session.population
