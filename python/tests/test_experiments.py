"""Experiments: here, in processes, on a Dask cluster, and with workers that die."""

import json
import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import gpusudoku
from gpusudoku import experiments

PLAN = {"algos": ["lsga", "nb-coin:pop=30"], "problems": ["easy-1", "medium-27"], "runs": 2, "max_generations": 60, "pop": 20}


def processes():
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


def hashes(comparison):
    return sorted((run["contender"], run["problem"], run["seed"], run["population_hash"]) for run in comparison.runs)


@pytest.fixture(scope="module")
def expected():
    return hashes(gpusudoku.compare(**PLAN))


def test_the_file_is_that_of_the_command_line(tmp_path, expected, program):
    out = tmp_path / "results.jsonl"
    done = []
    results = gpusudoku.compare(**PLAN, out=out, progress=lambda *told: done.append(told))
    assert done[-1] == (8, 8) and len(results) == 8 and not results.failed and results.missing == 0
    assert results.frame.groupby("contender")["solved"].count().to_dict() == {"lsga": 4, "nb-coin:pop=30": 4}
    assert hashes(results) == expected
    page = gpusudoku.report(out, tmp_path / "page.html", csv=tmp_path / "runs.csv", figures=tmp_path / "figures")
    assert page.read_text().startswith("<!doctype html>") and (tmp_path / "runs.csv").exists()
    program("report", out, "--out", tmp_path / "cli.html")
    other = tmp_path / "cli.jsonl"
    program("compare", "--algo", ",".join(PLAN["algos"]), "--problem", ",".join(PLAN["problems"]), "--runs", 2,
            "--budget", "generations=60", "--pop", 20, "--out", other, "--quiet")
    lines = [json.loads(line) for line in other.read_text().splitlines()]
    found = [(it["contender"], it["problem"], it["seed"], it["population_hash"]) for it in lines if it["kind"] == "run"]
    assert sorted(found) == expected


def test_an_experiment_goes_on_where_it_stopped(tmp_path, expected):
    out = tmp_path / "results.jsonl"
    gpusudoku.compare(**{**PLAN, "runs": 1}, out=out)
    done = []
    results = gpusudoku.compare(**PLAN, out=out, progress=lambda *told: done.append(told))
    assert len(done) == 4 and hashes(results) == expected
    with pytest.raises(gpusudoku.Error, match="another experiment"):
        gpusudoku.compare(**{**PLAN, "seed": 9}, out=out)


def test_processes_bring_back_the_same_runs(expected):
    with processes() as pool:
        assert hashes(gpusudoku.compare(**PLAN, executor=pool)) == expected


def test_a_dask_cluster_brings_back_the_same_runs(expected):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            assert hashes(gpusudoku.compare(**PLAN, executor=client.get_executor())) == expected


def test_a_dask_cluster_loses_the_run_that_kills_its_workers_only(tmp_path, expected):
    distributed = pytest.importorskip("distributed")
    out = tmp_path / "results.jsonl"
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client, pytest.warns(UserWarning, match="KilledWorker"):
            results = gpusudoku.compare(**PLAN, out=out, executor=Bad(client.get_executor(), dies))
    assert len(results) == 7 and len(results.failed) == 1
    assert hashes(gpusudoku.compare(**PLAN, out=out)) == expected


def dies(plan, index, threads):
    """A worker that one run kills."""
    if index == 3:
        os._exit(1)
    return experiments._work(plan, index, threads)


def lies(plan, index, threads):
    """A worker that makes a solution up."""
    told = json.loads(experiments._work(plan, index, threads))
    if index == 2:
        told.update(solved=True, verified=True, best_fitness=0, solution="1" * 81, solved_by="search", stop="solved")
    return json.dumps(told)


class Bad:
    """An executor whose workers do something else than they are asked to."""

    def __init__(self, pool, work):
        self.pool, self.work = pool, work

    def submit(self, _, *arguments):
        return self.pool.submit(self.work, *arguments)

    def __enter__(self):
        return self

    def __exit__(self, *told):
        self.pool.__exit__(*told)


def test_a_broken_worker_loses_its_run_only(tmp_path, expected):
    out = tmp_path / "results.jsonl"
    with pytest.warns(UserWarning, match="its worker died"):
        results = gpusudoku.compare(**PLAN, out=out, executor=lambda: Bad(processes(), dies))
    assert len(results) == 7 and results.missing == 1 and len(results.failed) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hashes(gpusudoku.compare(**PLAN, out=out)) == expected


def test_a_made_up_solution_is_not_written(tmp_path):
    out = tmp_path / "results.jsonl"
    with processes() as pool, pytest.warns(UserWarning, match="lost"):
        results = gpusudoku.compare(**PLAN, out=out, executor=Bad(pool, lies))
    assert len(results) == 7 and results.missing == 1
    assert all(run["solution"] != "1" * 81 for run in results.runs)


def test_a_table_is_reproduced():
    table = gpusudoku.reproduce("lsga-2", runs=1)
    assert table.frame["row"].nunique() == 6
    measured = [row["measured"] for row in table.rows if row["measured"]]
    assert measured and all(it["runs"] == 1 for it in measured)
    with pytest.raises(gpusudoku.Error, match="no table"):
        gpusudoku.reproduce("lsga-99")


def test_what_cannot_be_run_is_refused_before_anything_is():
    for arguments, sentence in [
        ({"algos": ["lsgaa"]}, "no algorithm"),
        ({"algos": ["lsga", "lsga"]}, "twice"),
        ({"problems": ["queens:8"]}, "not for queens"),
        ({"backend": "auto"}, "backend"),
    ]:
        with pytest.raises(gpusudoku.Error, match=sentence):
            gpusudoku.compare(**{**PLAN, **arguments})
