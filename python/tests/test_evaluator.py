"""The evaluator against a slow recount, and what it refuses."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
from conftest import recount

import gpusudoku

SHAPES = [(4, (2, 2)), (6, (2, 3)), (9, (3, 3)), (12, (3, 4)), (16, (4, 4)), (25, (5, 5)), (36, (6, 6)), (49, (7, 7)), (64, (8, 8))]
SKIPS_GPU = os.environ.get("GPUSUDOKU_SKIP_GPU_TESTS") == "1"
GPU = pytest.param("gpu", marks=pytest.mark.skipif(SKIPS_GPU, reason="GPUSUDOKU_SKIP_GPU_TESTS is set"))
BACKENDS = ["cpu", GPU]


def blank(n):
    return numpy.zeros((n, n), numpy.uint8)


def random_rows(n, pop, seed=1):
    rng = numpy.random.default_rng(seed)
    return rng.permuted(numpy.tile(numpy.arange(1, n + 1, dtype=numpy.uint8), (pop, n, 1)), axis=2)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("n", "boxes"), SHAPES)
@pytest.mark.parametrize("latin", [False, True])
def test_fitness_is_that_of_a_slow_recount(n, boxes, latin, backend):
    pop = 40 if n < 20 else 4
    boxes = None if latin else boxes
    kind = {"boxes": boxes, "latin": latin, "backend": backend}
    rows = random_rows(n, pop)
    cells = numpy.random.default_rng(2).integers(1, n + 1, (pop, n, n), numpy.uint8)
    for objective, missing in [("illegal-units", False), ("missing-digits", True)]:
        evaluator = gpusudoku.Evaluator(blank(n), encoding="rows", objective=objective, **kind)
        found = evaluator.evaluate(rows)
        assert found.dtype == numpy.uint32
        assert (found == recount(rows, boxes, missing=missing)).all()
        evaluator = gpusudoku.Evaluator(blank(n), encoding="cells", objective=objective, **kind)
        assert (evaluator.evaluate(cells) == recount(cells, boxes, rows=True, missing=missing)).all()


def test_invalid_individuals_are_named_with_the_reason():
    evaluator = gpusudoku.Evaluator("easy-1", backend="cpu")
    population = evaluator.initialise(1000)
    free = numpy.argwhere(evaluator.givens == 0)[0]
    given = numpy.argwhere(evaluator.givens > 0)[0]
    for place, digit, reason in [(free, 0, "has 0"), (free, 10, "has 10"), (given, 0, "has 0")]:
        wrong = population.copy()
        wrong[777][tuple(place)] = digit
        with pytest.raises(gpusudoku.Error, match=f"individual 777 .*{reason}"):
            evaluator.evaluate(wrong)
    twice = population.copy()
    twice[5, 0] = 1
    with pytest.raises(gpusudoku.Error, match="individual 5 "):
        evaluator.evaluate(twice)


def test_arrays_are_accepted_or_refused_never_misread():
    evaluator = gpusudoku.Evaluator(blank(9), backend="cpu")
    population = random_rows(9, 64)
    expected = recount(population, (3, 3))
    read_only = population.copy()
    read_only.flags.writeable = False
    flat = population.reshape(64, 81)
    for accepted in (population, read_only, flat, population[:0], population[8:24]):
        found = evaluator.evaluate(accepted)
        assert found.shape == (len(accepted),)
    assert (evaluator.evaluate(read_only) == expected).all()
    assert (evaluator.evaluate(flat) == expected).all()
    assert (evaluator.evaluate(population[8:24]) == expected[8:24]).all()
    for refused, sentence in [
        (population[::2], "ascontiguousarray"),
        (population.transpose(0, 2, 1), "ascontiguousarray"),
        (numpy.asfortranarray(population), "ascontiguousarray"),
        (population.astype(numpy.int64), "int64"),
        (population.astype(numpy.float32), "float32"),
        (population.astype(">u2"), "uint8"),
        (population.astype(bool), "bool"),
        (population.astype(object), "object"),
        (population[0], "shape"),
        (population[:, :8], "shape"),
        (population[..., None], "shape"),
        (population.tolist(), "numpy array"),
        (None, "numpy array"),
    ]:
        with pytest.raises(gpusudoku.Error, match=sentence):
            evaluator.evaluate(refused)


def test_errors_are_sentences():
    for arguments, sentence in [
        ({"problem": "no-such-puzzle"}, "no built-in puzzle"),
        ({"problem": "easy-1", "backend": "tpu"}, "backend"),
        ({"problem": "easy-1", "encoding": "columns"}, "encoding"),
        ({"problem": "easy-1", "objective": "beauty"}, "objective"),
        ({"problem": "easy-1", "objective": "conflicts"}, "partial"),
        ({"problem": "queens:8"}, "Sudoku"),
        ({"problem": blank(9)[:8]}, "8 rows and 9 columns"),
        ({"problem": 3.5}, "expected a problem"),
    ]:
        with pytest.raises(gpusudoku.Error, match=sentence):
            gpusudoku.Evaluator(**arguments)
    session = gpusudoku.Evaluator("easy-1", backend="cpu").session(4)
    for call in (
        lambda: session.swap_mutation(1.5, generation=1),
        lambda: session.swap_mutation(0.5, generation=0),
        lambda: session.tabu(5, generation=1),
        lambda: session.load(random_rows(9, 4)),
        lambda: gpusudoku.Evaluator("easy-1", backend="cpu").session(0),
    ):
        with pytest.raises(gpusudoku.Error):
            call()


@pytest.mark.skipif(SKIPS_GPU, reason="GPUSUDOKU_SKIP_GPU_TESTS is set")
def test_operators_make_the_same_populations_on_both_engines():
    made = []
    for backend in ("cpu", "gpu"):
        evaluator = gpusudoku.Evaluator("hard-77", backend=backend)
        population = evaluator.initialise(50, seed=3)
        steps = [population]
        for step in (evaluator.crossover, evaluator.swap_mutation, evaluator.reinitialise_mutation, evaluator.column_search, evaluator.block_search):
            steps.append(step(steps[-1], seed=3, generation=len(steps)))
        partial = gpusudoku.Evaluator("hard-77", backend=backend, encoding="partial")
        steps.append(partial.tabu(partial.initialise(50), 20, generation=1))
        blocks = gpusudoku.Evaluator("hard-77", backend=backend, encoding="blocks")
        steps.append(blocks.sample(50, numpy.ones((9, 9, 9), numpy.uint32)))
        made.append(steps)
    for one, other in zip(*made):
        assert (one == other).all()
    assert all((one != other).any() for one, other in zip(made[0][:4], made[0][1:5]))


def test_threads_may_call_at_once():
    evaluator = gpusudoku.Evaluator(blank(9), backend="cpu")
    populations = [random_rows(9, 500, seed) for seed in range(8)]
    expected = [recount(population[:50], (3, 3)) for population in populations]
    alone = [evaluator.swap_mutation(populations[at], 0.5, seed=at, generation=7) for at in range(8)]

    def work(at):
        right = 0
        for _ in range(30):
            right += bool((evaluator.evaluate(populations[at])[:50] == expected[at]).all())
            swapped = evaluator.swap_mutation(populations[at], 0.5, seed=at, generation=7)
            right += bool((swapped == alone[at]).all())
        return right

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [60] * 8


def test_memory_does_not_grow_over_a_thousand_calls():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("this system does not tell how much memory a process has")
    evaluator = gpusudoku.Evaluator(blank(9), backend="cpu")
    population = random_rows(9, 4096)
    session = evaluator.session(4096)

    def calls(many):
        for generation in range(1, many + 1):
            evaluator.evaluate(population)
            session.swap_mutation(0.3, generation=generation)
            session.population

    calls(100)
    before = resident()
    calls(1000)
    assert resident() - before < 8 << 20


def test_the_lock_is_released_during_work():
    evaluator = gpusudoku.Evaluator(blank(25), backend="cpu", threads=1)
    population = random_rows(25, 60_000)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.perf_counter()
    while time.perf_counter() - begun < 0.5:
        evaluator.evaluate(population)
    took = time.perf_counter() - begun
    stop.set()
    thread.join()
    assert sum(begun < it < begun + took for it in ticks) > 20


def test_control_c_ends_work():
    evaluator = gpusudoku.Evaluator(blank(9), backend="cpu", threads=1)
    population = numpy.tile(random_rows(9, 65536), (60, 1, 1))
    timer = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            evaluator.evaluate(population)
