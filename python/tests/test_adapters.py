"""DEAP and pymoo themselves, on our kernels."""

import numpy
import pytest

import gpusudoku


def test_deap_evolves_a_grid():
    algorithms = pytest.importorskip("deap.algorithms")
    from gpusudoku.with_deap import toolbox

    evaluator = gpusudoku.Evaluator("easy-1", backend="cpu", threads=1)
    box = toolbox(evaluator)
    population = box.population(n=30)
    fitness = box.map(box.evaluate, population)
    assert [it[0] for it in fitness] == evaluator.evaluate(numpy.stack(population)).tolist()
    assert box.evaluate(population[0]) == fitness[0]
    final, log = algorithms.eaSimple(population, box, cxpb=0.5, mutpb=0.5, ngen=5, verbose=False)
    assert len(final) == 30 and sum(log.select("nevals")) > 30
    # What DEAP has made is of the encoding, or this would raise.
    evaluator.evaluate(numpy.stack(final))
    offspring = box.vary(final)
    assert len(offspring) == 30 and not offspring[0].fitness.valid
    evaluator.evaluate(numpy.stack(offspring))


def test_pymoo_evolves_a_grid():
    pytest.importorskip("pymoo")
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.optimize import minimize

    from gpusudoku.with_pymoo import Grids, operators

    evaluator = gpusudoku.Evaluator("easy-1", backend="cpu")
    first = evaluator.evaluate(evaluator.initialise(100)).min()
    result = minimize(Grids(evaluator), GA(pop_size=100, **operators()), ("n_gen", 40), seed=1)
    best = result.X.astype(numpy.uint8)[None]
    assert evaluator.evaluate(best)[0] == result.F[0] < first
