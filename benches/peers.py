#!/usr/bin/env python3
"""Fitness (illegal columns + illegal sub-blocks) of a population of u8 grids in JAX and NumPy.

What a user would write instead of `gpusudoku bench --workload evaluate`, to be run beside it:

    pip install jax numpy
    python benches/peers.py [POPULATION]

Both get the population as they like it best: a grid's digits as bits, united over a unit by OR. Prints
million grids a second, the best of many repetitions. Rows are permutations, as in `evaluate`.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

SECONDS = 3.0


def word_for(box):
    """The narrowest words that hold a bit for each digit."""
    return np.uint16 if box * box <= 16 else np.uint32


def jax_fitness(box):
    word = word_for(box)
    full = word((1 << box * box) - 1)

    def unite(bits, axes):
        return jax.lax.reduce(bits, word(0), jax.lax.bitwise_or, axes)

    @jax.jit
    def fitness(grids):
        bits = word(1) << grids.astype(word)
        columns = unite(bits, (1,))
        blocks = unite(bits.reshape(-1, box, box, box, box), (2, 4))
        illegal = (columns != full).sum(1) + (blocks != full).sum((1, 2))
        return illegal.astype(jnp.uint8)

    return lambda grids: fitness(grids).block_until_ready()


def numpy_fitness(box):
    word = word_for(box)
    full = word((1 << box * box) - 1)

    def fitness(grids):
        bits = word(1) << grids.astype(word)
        columns = np.bitwise_or.reduce(bits, axis=1)
        blocks = np.bitwise_or.reduce(bits.reshape(-1, box, box, box, box), axis=(2, 4))
        return (columns != full).sum(1) + (blocks != full).sum((1, 2))

    return fitness


def rate(fitness, grids):
    fitness(grids)
    best, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        begun = time.perf_counter()
        fitness(grids)
        best = min(best, time.perf_counter() - begun)
    return len(grids) / best / 1e6


def main():
    pop = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    print(f"JAX {jax.__version__}, NumPy {np.__version__}, population {pop}, million grids a second")
    for box in (3, 4, 5):
        n = box * box
        rows = np.random.default_rng(1).permuted(np.tile(np.arange(n, dtype=np.uint8), (pop, n, 1)), axis=2)
        assert (numpy_fitness(box)(rows) == np.asarray(jax_fitness(box)(jnp.asarray(rows)))).all()
        jax_rate = rate(jax_fitness(box), jnp.asarray(rows))
        numpy_rate = rate(numpy_fitness(box), rows)
        print(f"{n}x{n}: JAX {jax_rate:.2f}, NumPy {numpy_rate:.2f}")


if __name__ == "__main__":
    main()
