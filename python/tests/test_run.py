"""Runs: the same as the command line's, to the hash."""

import json

import numpy
import pytest

import gpusudoku

ALGORITHMS = [it["name"] for it in gpusudoku.algorithms()]


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_hashes_equal_those_of_the_command_line(algo, program):
    arguments = ("--algo", algo, "--pop", 40, "--seed", 7, "--max-generations", 20, "--backend", "cpu")
    expected = program.json("run", "hard-106", *arguments)
    found = gpusudoku.run("hard-106", algo, pop=40, seed=7, max_generations=20, backend="cpu")
    for key in ("population_hash", "generations", "evaluations", "best_fitness", "solved", "params", "stop"):
        assert found.json[key] == expected[key], key


def test_a_result_has_solution_and_trace():
    result = gpusudoku.run("easy-1", "lsga", pop=150, seed=1, backend="cpu")
    assert result.solved and result.verified
    assert result.solution.shape == (9, 9)
    assert gpusudoku.check(result.solution)["solved"]
    trace = result.trace
    assert trace["generation"].tolist() == list(range(result.generations + 1))
    assert trace["best"][-1] == 0 and trace["evaluations"][-1] <= result.evaluations
    assert set(trace["operator"]) <= {"initialise", "breed"}
    html = result._repr_html_()
    assert "<table" in html and "polyline" in html
    with pytest.raises(AttributeError):
        result.beauty


def test_a_trace_is_that_of_the_command_line(tmp_path, program):
    arguments = ("--algo", "lsga", "--pop", 30, "--max-generations", 25, "--backend", "cpu", "--trace", tmp_path / "trace.csv")
    program("run", "hard-106", *arguments)
    expected = numpy.genfromtxt(tmp_path / "trace.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    found = gpusudoku.run("hard-106", "lsga", pop=30, max_generations=25, backend="cpu", diversity=True).trace
    assert len(found) == len(expected) == 26
    for name in ("generation", "best", "worst", "swaps", "operator", "evaluations"):
        assert (found[name] == expected[name]).all(), name
    for name in ("mean", "diversity"):
        assert numpy.allclose(found[name], expected[name], atol=1e-3), name


def test_callbacks_see_every_batch_and_may_end_the_run():
    seen = []

    def callback(told):
        seen.append(told)
        return told["generation"] < 50

    result = gpusudoku.run(
        "sd2", "ga", pop=60, backend="cpu", max_generations=100_000, callback=callback, population=True
    )
    assert result.stop == "stopped"
    assert [it["generation"] for it in seen] == sorted({it["generation"] for it in seen})
    last = seen[-1]
    assert last["population"].shape == (60, 9, 9) and last["fitness"].min() == last["best"]
    assert 0 < last["diversity"] <= 1
    evaluator = gpusudoku.Evaluator("sd2", backend="cpu", encoding="blocks")
    assert (evaluator.evaluate(last["population"]) == last["fitness"]).all()

    def fails(told):
        raise ZeroDivisionError("as it should")

    with pytest.raises(ZeroDivisionError):
        gpusudoku.run("sd2", "ga", pop=60, backend="cpu", callback=fails)


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    file = tmp_path / "run.checkpoint"
    whole = gpusudoku.run("sd2", "lsga", pop=20, seed=3, max_generations=40, backend="cpu")
    part = gpusudoku.run("sd2", "lsga", pop=20, seed=3, max_generations=15, backend="cpu", checkpoint=file)
    assert part.generations == 15
    on = gpusudoku.run("sd2", "lsga", pop=20, seed=3, max_generations=25, backend="cpu", checkpoint=file)
    assert on.generations == 25 and on.trace["generation"][0] >= 15
    end = gpusudoku.run(resume=file, max_generations=40, backend="cpu")
    assert end.population_hash == whole.population_hash
    with pytest.raises(gpusudoku.Error, match="another run"):
        gpusudoku.run("sd2", "lsga", pop=21, seed=3, backend="cpu", checkpoint=file)
    (tmp_path / "text").write_text("nothing")
    with pytest.raises(gpusudoku.Error, match="no checkpoint"):
        gpusudoku.run(resume=tmp_path / "text")


def test_errors_carry_the_sentence_of_the_command_line(program):
    for problem, arguments, flags in [
        ("no-such", {}, []),
        ("easy-1", {"algo": "lsgaa"}, ["--algo", "lsgaa"]),
        ("easy-1", {"algo": "lsga", "params": {"elites": 1}}, ["--algo", "lsga", "--set", "elites=1"]),
        ("easy-1", {"algo": "lsga", "params": {"pc1": 2}}, ["--algo", "lsga", "--set", "pc1=2"]),
        ("queens:8", {"algo": "lsga"}, ["--algo", "lsga"]),
    ]:
        sentence = program("run", problem, *flags, "--backend", "cpu", check=False).stderr.strip()
        with pytest.raises(gpusudoku.Error) as refused:
            gpusudoku.run(problem, backend="cpu", **arguments)
        assert sentence == f"gpusudoku: {refused.value}"


def test_queens_latin_squares_and_arrays_are_problems():
    queens = gpusudoku.run("queens:12", backend="cpu")
    assert queens.solved and sorted(queens.solution.tolist()) == list(range(1, 13))
    [square] = gpusudoku.generate(8, givens="40%", latin=True)
    result = gpusudoku.run(square, latin=True, backend="cpu")
    assert result.solved and (result.solution[square > 0] == square[square > 0]).all()
    parameters = gpusudoku.run("easy-1", "lsga", backend="cpu", params={"elite": 0, "column-search": False, "pc1": 0.5})
    assert parameters.params["elite"] == 0 and parameters.params["column-search"] in (False, "off")


def test_puzzles_are_those_of_the_command_line(program):
    puzzles = gpusudoku.generate(9, givens="40%", count=3, seed=5)
    text = program("generate", "--size", 9, "--givens", "40%", "--count", 3, "--seed", 5, "--to", "line", "--quiet").stdout
    lines = ["".join(str(digit or ".") for digit in puzzle.ravel()) for puzzle in puzzles]
    assert text.replace("0", ".").split() == lines
    assert all(gpusudoku.check(puzzle)["valid"] for puzzle in puzzles)
    wrong = numpy.ones((9, 9), numpy.uint8)
    verdict = gpusudoku.check(wrong)
    assert not verdict["valid"] and verdict["solution"] is None
    for arguments, flags in [
        ({"givens": 200}, ["--givens", 200]),
        ({"size": 25, "unique": True}, ["--size", 25, "--unique"]),
        ({"size": 9, "boxes": (2, 3)}, ["--size", 9, "--box", "2x3"]),
        ({"size": 1}, ["--size", 1]),
    ]:
        sentence = program("generate", *flags, check=False).stderr.strip()
        with pytest.raises(gpusudoku.Error) as refused:
            gpusudoku.generate(**arguments)
        assert sentence == f"gpusudoku: {refused.value}"
    with pytest.raises(gpusudoku.Error, match="not both"):
        gpusudoku.generate(9, boxes=(3, 3), latin=True)


def test_adapters_are_those_of_the_command_line(program):
    told = program("adapters", "--format", "json").stdout
    assert gpusudoku.adapters() == [json.loads(line) for line in told.splitlines()]
