"""pymoo on our kernels: a problem, and operators that take whole populations.

>>> import gpusudoku
>>> from pymoo.algorithms.soo.nonconvex.ga import GA
>>> from pymoo.optimize import minimize
>>> from gpusudoku.with_pymoo import Grids, operators
>>> problem = Grids(gpusudoku.Evaluator("easy-1", backend="cpu"))
>>> result = minimize(problem, GA(pop_size=50, **operators()), ("n_gen", 5), seed=1)
>>> result.X.shape
(81,)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem
from pymoo.core.sampling import Sampling

from .evaluator import Evaluator


class Grids(Problem):
    """Grids of an evaluator, N * N variables each, with one objective to be minimised; 0 is a solution."""

    def __init__(self, evaluator: Evaluator, seed: int = 1) -> None:
        cells = evaluator.size**2
        super().__init__(n_var=cells, n_obj=1, xl=1, xu=evaluator.size, vtype=int)
        self.evaluator, self.seed, self.generations = evaluator, seed, itertools.count(1)

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = self.evaluator.evaluate(x.astype(numpy.uint8))[:, None].astype(float)

    def vary(self, x: Any, operator: Callable[..., Any], *arguments: float) -> Any:
        """Rows of ``x`` varied by an operator of the evaluator."""
        grids = operator(x.astype(numpy.uint8), *arguments, seed=self.seed, generation=next(self.generations))
        return grids.reshape(x.shape)


class RandomGrids(Sampling):
    """Random grids of the encoding."""

    def _do(self, problem: Grids, n_samples: int, *args: Any, **kwargs: Any) -> Any:
        return problem.evaluator.initialise(n_samples, seed=problem.seed).reshape(n_samples, -1)


class RowCrossover(Crossover):
    """Each parent takes rows of a mate that the kernel draws among all parents of the call."""

    def __init__(self, row_rate: float = 0.1, **kwargs: Any) -> None:
        super().__init__(2, 2, **kwargs)
        self.row_rate = row_rate

    def _do(self, problem: Grids, x: Any, *args: Any, **kwargs: Any) -> Any:
        parents = x.reshape(-1, x.shape[-1])
        return problem.vary(parents, problem.evaluator.crossover, 1.0, self.row_rate).reshape(x.shape)


class SwapMutation(Mutation):
    """Two free cells of a row are swapped, with a probability for each row."""

    def __init__(self, rate: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def _do(self, problem: Grids, x: Any, *args: Any, **kwargs: Any) -> Any:
        return problem.vary(x, problem.evaluator.swap_mutation, self.rate)


def operators(row_rate: float = 0.1, rate: float = 0.3) -> dict[str, Any]:
    """Sampling, crossover and mutation for an algorithm of pymoo."""
    return {
        "sampling": RandomGrids(),
        "crossover": RowCrossover(row_rate),
        "mutation": SwapMutation(rate),
        "eliminate_duplicates": False,
    }
