"""The evaluator against a slow recount, and what it refuses."""

import _thread
import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

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


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("n", "boxes"), SHAPES)
def test_solved_and_damaged_grids_of_a_puzzle_are_told_apart(n, boxes, backend):
    kind = {"boxes": boxes}
    [solved] = gpusudoku.generate(n, givens="100%", seed=3, **kind)
    rng = numpy.random.default_rng(4)
    givens = numpy.where(rng.random((n, n)) < 0.4, solved, 0).astype(numpy.uint8)
    population = numpy.tile(solved, (12, 1, 1))
    # From the fourth on, two cells of a row have changed places, in more and more rows.
    for damage, grid in enumerate(population[3:], 1):
        for row in range(min(damage, n)):
            free = numpy.flatnonzero(givens[row] == 0)
            if len(free) > 1:
                a, b = rng.choice(free, 2, replace=False)
                grid[row, [a, b]] = grid[row, [b, a]]
    evaluator = gpusudoku.Evaluator(givens, backend=backend, **kind)
    found = evaluator.evaluate(population)
    assert (found == recount(population, boxes)).all()
    assert (found[:3] == 0).all() and (found[3:] > 0).any()
    of_blocks = gpusudoku.Evaluator(givens, backend=backend, encoding="blocks", **kind)
    sampled = of_blocks.initialise(12, seed=5)
    assert (of_blocks.evaluate(sampled) == recount(sampled, None, rows=True, missing=True)).all()
    wrong = population.copy()
    wrong[7, -1] = wrong[7, -1, 0]
    with pytest.raises(gpusudoku.Error, match="individual 7 "):
        evaluator.evaluate(wrong)


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
        (population.astype(numpy.int8), "int8"),
        (population.view([("digit", "u1")]), "digit"),
        (numpy.broadcast_to(population[0], (64, 9, 9)), "ascontiguousarray"),
        (numpy.ma.masked_equal(population, 5), "masked"),
        (numpy.array(5, numpy.uint8), "shape"),
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


def test_populations_in_a_file_are_read_where_they_are(tmp_path):
    evaluator = gpusudoku.Evaluator(blank(9), backend="cpu")
    numpy.save(tmp_path / "population.npy", random_rows(9, 500))
    mapped = numpy.load(tmp_path / "population.npy", mmap_mode="r")
    assert (evaluator.evaluate(mapped) == evaluator.evaluate(random_rows(9, 500))).all()


def test_the_command_line_tells_the_same_of_a_file(tmp_path, program):
    evaluator = gpusudoku.Evaluator("hard-77", backend="cpu")
    population = evaluator.initialise(300, seed=2)
    numpy.save(tmp_path / "population.npy", population)
    program("evaluate", "hard-77", tmp_path / "population.npy", "--backend", "cpu", "--out", tmp_path / "fitness.npy")
    told = numpy.load(tmp_path / "fitness.npy")
    assert told.dtype == numpy.uint32 and (told == evaluator.evaluate(population)).all()
    population[41, 3, 3] = 77
    numpy.save(tmp_path / "population.npy", population)
    refused = program("evaluate", "hard-77", tmp_path / "population.npy", "--backend", "cpu", check=False)
    with pytest.raises(gpusudoku.Error) as error:
        evaluator.evaluate(population)
    assert refused.returncode == 2 and refused.stderr.strip().endswith(str(error.value))


def test_evaluators_can_be_copied_and_sent():
    evaluator = gpusudoku.Evaluator(blank(12), backend="cpu", encoding="cells", objective="missing-digits", boxes=(2, 6))
    population = random_rows(12, 50)
    expected = evaluator.evaluate(population)
    for other in (copy.deepcopy(evaluator), pickle.loads(pickle.dumps(evaluator))):
        assert (other.boxes, other.encoding, other.objective) == ((2, 6), "cells", "missing-digits")
        assert (other.evaluate(population) == expected).all()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert (pool.submit(evaluator.evaluate, population).result() == expected).all()


def resident():
    """Bytes of memory that this process has."""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("this system does not tell how much memory a process has")
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_does_not_grow_over_a_thousand_runs():
    def runs(many):
        for _ in range(many):
            gpusudoku.run("easy-1", "lsga", pop=20, max_generations=3, backend="cpu", threads=1)
            gpusudoku.Evaluator("easy-1", backend="cpu").initialise(20)

    runs(100)
    before = resident()
    runs(1000)
    assert resident() - before < 8 << 20


def test_memory_does_not_grow_over_a_thousand_calls():
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


WATCHED = """
import threading, numpy, gpusudoku
evaluator = gpusudoku.Evaluator(numpy.zeros((9, 9), numpy.uint8), backend="cpu", threads=1)
population = numpy.tile(numpy.arange(1, 10, dtype=numpy.uint8), (200_000, 9, 1))
worker = threading.Thread(target=lambda: [evaluator.evaluate(population) for _ in range(30)])
worker.start()
while worker.is_alive():
    evaluator.engine, evaluator.boxes, evaluator.encoding, evaluator.objective
"""


def test_who_looks_at_an_evaluator_at_work_does_not_stop_it():
    # If each waited for the other, this process would hang as well.
    subprocess.run([sys.executable, "-c", WATCHED], check=True, timeout=120)


def press_control_c():
    # Windows has no way to send the signal to this process alone.
    _thread.interrupt_main() if os.name == "nt" else os.kill(os.getpid(), signal.SIGINT)


def interrupted(work):
    """Whether Ctrl-C ends this soon."""
    timer = threading.Timer(0.2, press_control_c)
    timer.start()
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    return time.perf_counter() - begun < 20


def test_control_c_ends_work():
    evaluator = gpusudoku.Evaluator(blank(9), backend="cpu", threads=1)
    population = numpy.tile(random_rows(9, 65536), (30, 1, 1))

    def evaluates():
        while True:
            evaluator.evaluate(population)

    # None of these would be over by itself in minutes.
    assert interrupted(evaluates)
    [puzzle] = gpusudoku.generate(25, givens="45%")
    long = {"pop": 500, "max_generations": 10**9, "time_limit": 600}
    assert interrupted(lambda: gpusudoku.run(puzzle, "lsga", backend="cpu", **long))
    assert interrupted(lambda: gpusudoku.compare(["lsga"], {"large": puzzle}, runs=8, **long))
