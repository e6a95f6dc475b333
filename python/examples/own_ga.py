"""A genetic algorithm of one's own in 40 lines of Python; its kernels run on the GPU if there is one.

    python python/examples/own_ga.py [PROBLEM]
"""

import sys

import gpusudoku


def evolve(problem, pop=4096, seed=1, generations=2000, backend="auto"):
    """Tournaments, crossover, mutation, then local search every fifth generation. The population never leaves the engine."""
    evaluator = gpusudoku.Evaluator(problem, backend=backend)
    session = evaluator.session(pop, seed)
    curve = []
    for generation in range(1, generations + 1):
        record = session.breed(
            generation=generation,
            parents=2,
            crossover=0.3,
            row_rate=0.2,
            swap=0.2,
            column_search=generation % 5 == 0,
            block_search=generation % 5 == 0,
            survivors=2,
        )
        curve.append((record["best"], record["mean"]))
        if record["best"] == 0:
            return session.population[record["best_at"]], curve
    return None, curve


if __name__ == "__main__":
    solution, curve = evolve(sys.argv[1] if len(sys.argv) > 1 else "medium-29")
    print(f"{len(curve)} generations, best {curve[-1][0]}")
    print(solution)
    if solution is not None:
        assert gpusudoku.check(solution)["solved"]
