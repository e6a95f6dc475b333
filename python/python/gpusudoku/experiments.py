"""Experiments: algorithms x problems x runs, here or on whatever machines an executor has."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas

    from ._types import Path as Pathlike
    from ._types import Pool, Problem, Told

    Failed = list[tuple[str, str, int, str]]
    Progress = Callable[[int, int], object]


class Comparison:
    """Results of an experiment.

    ``runs`` is a list of dicts with the names of ``run --format json``, ``summary`` the statistics that
    ``gpusudoku compare`` prints, ``failed`` what workers have lost: (contender, problem, seed, reason).
    """

    def __init__(self, told: Told, failed: Failed, path: Path | None) -> None:
        self.experiment = told["experiment"]
        self.contenders = told["contenders"]
        self.problems = told["problems"]
        self.summary = told["summary"]
        self.missing = told["missing"]
        self.disagreements = told["disagreements"]
        self.runs = told["runs"]
        self.failed = failed
        self.path = path

    @property
    def frame(self) -> pandas.DataFrame:
        """The runs as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        solved = sum(run["solved"] for run in self.runs)
        return f"<{len(self.runs)} runs of {len(self.contenders)} contenders, {solved} solved, {self.missing} missing>"


class Table:
    """A paper's table, published and measured figures side by side."""

    def __init__(self, told: Told, failed: Failed | tuple[()] = ()) -> None:
        self.name = told["table"]
        self.source = told["source"]
        self.title = told["title"]
        self.measure = told["measure"]
        self.rows = told["rows"]
        self.errors = told["errors"]
        self.failed = list(failed)

    @property
    def frame(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame; published and measured figures have columns of their own."""
        import pandas

        return pandas.json_normalize(self.rows)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.title}; {self.source}>"


def compare(
    algos: str | Sequence[str],
    problems: Mapping[str, Problem] | Iterable[Problem],
    runs: int = 100,
    *,
    out: Pathlike | None = None,
    seed: int = 1,
    pop: int | None = None,
    backend: str | Sequence[str] = "cpu",
    max_generations: int | None = None,
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    by: str = "evaluations",
    jobs: int | None = None,
    threads: int = 1,
    executor: Pool = None,
    progress: Progress | None = None,
) -> Comparison:
    """Runs algorithms on problems many times, and returns a :class:`Comparison`.

    ``algos`` are texts such as ``"lsga:elite=0:pop=300"``, ``problems`` whatever :func:`gpusudoku.run` takes, or a
    dict of names. ``out`` is a file of results, as ``gpusudoku compare --out`` writes it: if it is there, the
    experiment goes on where it stopped, and ``gpusudoku report`` reads it.

    ``executor`` is any of ``concurrent.futures``, and so one of mpi4py, of Dask (``client.get_executor()``) or of Ray;
    without one there are threads of this process, ``jobs`` of them. A function without arguments that makes an
    executor is called again when a worker's death has broken the one before: only the runs that killed their workers
    are lost. Results are verified before they are written. ``progress(done, all)`` is called after each.

    >>> results = compare(["lsga", "nb-coin"], ["easy-1"], runs=2, max_generations=50, pop=20)
    >>> len(results)
    4
    """
    named = problems.items() if isinstance(problems, dict) else ((None, problem) for problem in problems)
    experiment = _native.Experiment(
        [algos] if isinstance(algos, str) else list(algos),
        list(named),
        runs=runs,
        seed=seed,
        pop=pop,
        backends=[backend] if isinstance(backend, str) else list(backend),
        max_generations=max_generations,
        max_evaluations=max_evaluations,
        time_limit=time_limit,
    )
    with _destination(out) as path:
        store, failed = _carry_out(experiment, path, jobs, threads, executor, progress)
        return Comparison(json.loads(store.results(by)), failed, None if out is None else Path(path))


def reproduce(
    table: str,
    runs: int | None = None,
    *,
    out: Pathlike | None = None,
    seed: int = 1,
    all: bool = False,
    jobs: int | None = None,
    threads: int = 1,
    executor: Pool = None,
    progress: Progress | None = None,
) -> Table:
    """Runs a paper's table again. ``tables()`` lists them; the arguments are those of :func:`compare`."""
    experiment = _native.Experiment.of_table(table, runs=runs, seed=seed, all=all)
    with _destination(out) as path:
        store, failed = _carry_out(experiment, path, jobs, threads, executor, progress)
        return Table(json.loads(store.table(table)), failed)


def tables() -> list[Table]:
    """The papers' tables as they were published.

    >>> "lsga-2" in [table.name for table in tables()]
    True
    """
    return [Table(told) for told in json.loads(_native.tables())]


def report(
    files: Pathlike | Iterable[Pathlike],
    out: Pathlike = "report.html",
    *,
    figures: Pathlike | None = None,
    csv: Pathlike | None = None,
    ioh: Pathlike | None = None,
    by: str = "evaluations",
) -> Path:
    """Makes a page of results, as ``gpusudoku report`` does: of one file, or of those of all parts of an experiment."""
    files = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    found, missing = _native.report(files, out, figures=figures, csv=csv, ioh=ioh, by=by)
    if missing:
        warnings.warn(f"{missing} of {found + missing} planned runs are missing", stacklevel=2)
    return Path(out)


class _destination:
    """The file of results; if nobody wants it, one that is gone afterwards."""

    def __init__(self, out: Pathlike | None) -> None:
        self.out = out

    def __enter__(self) -> str:
        if self.out is not None:
            return os.fspath(self.out)
        self.folder = tempfile.TemporaryDirectory()
        return os.path.join(self.folder.name, "results.jsonl")

    def __exit__(self, *_: object) -> None:
        if self.out is None:
            self.folder.cleanup()


# Experiments of this process by their plan: a worker reads each once.
_known: dict[str, _native.Experiment] = {}


def _work(plan: str, index: int, threads: int) -> str:
    """Carries out a run of a plan; what a worker is sent."""
    if plan not in _known:
        _known.clear()
        _known[plan] = _native.Experiment.from_plan(plan)
    return _known[plan].run(index, threads)


def _carry_out(
    experiment: _native.Experiment,
    path: str,
    jobs: int | None,
    threads: int,
    executor: Pool,
    progress: Progress | None,
) -> tuple[_native.Store, Failed]:
    """Has all runs that the file lacks carried out."""
    store = _native.Store(path, experiment)
    missing = store.missing()
    lost: dict[int, str] = {}
    done = len(experiment) - len(missing)

    def finished(index: int, line: str) -> None:
        nonlocal done
        try:
            store.verify(line)
        except (_native.Error, TypeError) as error:
            lost[index] = str(error)
            return
        store.add(line)
        done += 1
        if progress:
            progress(done, len(experiment))

    if executor is None:
        with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            try:
                _collect(pool, lambda index: (experiment.run, index, threads), missing, finished, lost)
            except BaseException:
                # Threads would be waited for.
                experiment.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    elif isinstance(executor, Executor) or hasattr(executor, "submit"):
        broken = _collect(executor, lambda index: (_work, experiment.plan, index, threads), missing, finished, lost)
        lost.update((index, "the executor is broken") for index in broken)
    else:
        _survive(executor, experiment.plan, threads, missing, finished, lost)
    for index, reason in lost.items():
        warnings.warn(f"a run is lost: {', '.join(map(str, experiment.case_of(index)))}: {reason}", stacklevel=3)
    return store, [(*experiment.case_of(index), reason) for index, reason in lost.items()]


def _survive(
    make: Callable[[], Any],
    plan: str,
    threads: int,
    missing: list[int],
    finished: Callable[[int, str], None],
    lost: dict[int, str],
) -> None:
    """With a new executor whenever one is broken. Then it is not known whose run did it, so each has one to itself."""

    def task(index: int) -> tuple[Any, ...]:
        return _work, plan, index, threads

    with make() as pool:
        left = _collect(pool, task, missing, finished, lost)
    for index in left:
        with make() as pool:
            if _collect(pool, task, [index], finished, lost):
                lost[index] = "its worker died"


def _collect(
    pool: Any,
    task: Callable[[int], tuple[Any, ...]],
    indices: list[int],
    finished: Callable[[int, str], None],
    lost: dict[int, str],
) -> list[int]:
    """Hands runs over as they come back; returns those that a broken executor has not done."""
    broken: list[int] = []
    futures: dict[Any, int] = {}
    try:
        for index in indices:
            try:
                futures[pool.submit(*task(index))] = index
            except BrokenExecutor:
                broken.append(index)
        for future in as_completed(futures) if isinstance(pool, Executor) else futures:
            index = futures[future]
            try:
                line = future.result()
            except BrokenExecutor:
                broken.append(index)
            except Exception as error:
                lost[index] = f"{type(error).__name__}: {error}"
            else:
                finished(index, line)
    except BaseException:
        # Ctrl-C, or an error that is not a worker's: what has not begun need not.
        for future in futures:
            getattr(future, "cancel", bool)()
        raise
    return sorted(broken)
