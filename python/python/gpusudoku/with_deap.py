"""DEAP on our kernels: a toolbox that evaluates and varies whole populations at once.

>>> import gpusudoku
>>> from gpusudoku.with_deap import toolbox
>>> box = toolbox(gpusudoku.Evaluator("easy-1", backend="cpu"))
>>> population = box.population(n=20)
>>> offspring = box.vary(population)
>>> for individual, fitness in zip(offspring, box.map(box.evaluate, offspring)):
...     individual.fitness.values = fitness
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy
from deap import base, creator, tools

from .evaluator import Evaluator


def toolbox(
    evaluator: Evaluator, *, seed: int = 1, rate: float = 0.2, row_rate: float = 0.1, swap: float = 0.3
) -> Any:
    """A toolbox with ``population``, ``evaluate``, ``mate``, ``mutate``, ``select``, ``map``, and ``vary``.

    ``map(evaluate, individuals)`` is one call, whatever their number. ``mate`` and ``mutate`` are for DEAP's own
    algorithms, which ask for one after the other; ``vary`` mates and mutates a whole population.
    """
    if not hasattr(creator, "Grid"):
        creator.create("GridFitness", base.Fitness, weights=(-1.0,))
        creator.create("Grid", numpy.ndarray, fitness=creator.GridFitness)
    generations = itertools.count(1)
    box = base.Toolbox()

    def grids(array: Iterable[Any]) -> list[Any]:
        return [creator.Grid(grid) for grid in array]

    def fitness(individuals: Sequence[Any]) -> list[tuple[float]]:
        return [(float(it),) for it in evaluator.evaluate(numpy.stack(individuals).view(numpy.ndarray))]

    def varied(individuals: Sequence[Any], operator: Callable[..., Any], *arguments: float) -> Any:
        population = numpy.stack(individuals).view(numpy.ndarray)
        return operator(population, *arguments, seed=seed, generation=next(generations))

    def vary(population: Sequence[Any]) -> list[Any]:
        mated = varied(population, evaluator.crossover, rate, row_rate)
        return grids(varied(list(mated), evaluator.swap_mutation, swap))

    def evaluate(individual: Any) -> tuple[float]:
        return fitness([individual])[0]

    box.register("population", lambda n: grids(evaluator.initialise(n, seed=seed)))
    box.register("mate", lambda a, b: grids(varied([a, b], evaluator.crossover, 1.0, row_rate)))
    box.register("mutate", lambda a: tuple(grids(varied([a], evaluator.swap_mutation, swap))))
    box.register("select", tools.selTournament, tournsize=2)
    box.vary, box.evaluate = vary, evaluate
    box.map = lambda work, many: fitness(list(many)) if work is evaluate else list(map(work, many))
    return box
