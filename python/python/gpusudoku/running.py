"""Runs of the published algorithms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from . import _native, _show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Boxes, Path, Problem

TRACE = numpy.dtype(
    [
        ("generation", "u4"),
        ("best", "u4"),
        ("mean", "f8"),
        ("worst", "u4"),
        ("diversity", "f8"),
        ("swaps", "u8"),
        ("operator", "U16"),
        ("evaluations", "u8"),
        ("seconds", "f8"),
    ]
)


class Result:
    """What came of a run: the names of ``run --format json`` as attributes, and arrays.

    ``solution`` is the verified solution or None, ``best`` the best individual of the run, ``trace`` a structured
    array with a row for every generation, ``givens`` the puzzle. In a notebook a result shows its grid and its curve.
    """

    json: dict[str, Any]
    trace: NDArray[Any]
    best: NDArray[Any]
    givens: NDArray[numpy.uint8] | None

    def __init__(
        self, told: dict[str, Any], trace: NDArray[Any], best: NDArray[Any], givens: NDArray[numpy.uint8] | None
    ) -> None:
        self.json = told
        self.trace = trace
        self.best = best
        self.givens = givens

    @property
    def solution(self) -> NDArray[Any] | None:
        """The verified solution as an array, or None."""
        return self.best if self.json["solved"] else None

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["json"][name]
        except KeyError:
            raise AttributeError(f"a result has no {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.json]

    def __repr__(self) -> str:
        end = "solved and verified" if self.solved else f"not solved, best {self.best_fitness}"
        return (
            f"<{self.problem}: {end}; {self.algo} pop {self.pop} seed {self.seed} on {self.backend}: "
            f"generation {self.generations}, {self.evaluations} evaluations, {self.seconds:.3f} s>"
        )

    def _repr_html_(self) -> str:
        return _show.result(self)


def run(
    problem: Problem | None = None,
    algo: str | None = None,
    pop: int | None = None,
    seed: int = 1,
    backend: str = "auto",
    params: Mapping[str, Any] | None = None,
    *,
    max_generations: int | None = None,
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    threads: int = 0,
    adapter: str | None = None,
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
    population: bool = False,
    diversity: bool | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: float = 30.0,
    resume: Path | None = None,
    boxes: Boxes = None,
    latin: bool = False,
) -> Result:
    """Solves a problem with a population algorithm, as ``gpusudoku run`` does.

    ``callback`` is called after every batch of generations with a dict of ``generation``, ``best``, ``mean``,
    ``worst``, ``diversity``, ``evaluations``, ``seconds``, ``operator``, and with ``population=True`` also
    ``population`` and ``fitness``. If it returns False, the run ends. ``diversity`` costs time; it is there if there
    is a callback, or if asked for.

    ``checkpoint`` is a file to save the run to; if this run is there already, it goes on from there. ``resume`` goes
    on with whatever run a file has.

    >>> run("easy-1", "lsga", pop=150, backend="cpu", max_generations=2000).solved
    True
    """
    told, columns, best, givens = _native.run(
        problem,
        algo=algo,
        pop=pop,
        seed=seed,
        backend=backend,
        adapter=adapter,
        threads=threads,
        params=[(key, _text(value)) for key, value in (params or {}).items()],
        max_generations=max_generations,
        max_evaluations=max_evaluations,
        time_limit=time_limit,
        callback=callback,
        population=population,
        diversity=callback is not None if diversity is None else diversity,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
        boxes=boxes,
        latin=latin,
    )
    trace = numpy.empty(len(columns["generation"]), TRACE)
    for name in TRACE.names or ():
        trace[name] = columns[name]
    return Result(json.loads(told), trace, best, givens)


def _text(value: Any) -> str:
    """A parameter as the command line writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def algorithms() -> list[dict[str, Any]]:
    """Every algorithm, a dict each.

    >>> [it["pop"] for it in algorithms() if it["name"] == "lsga"]
    [150]
    """
    keys = ("name", "title", "source", "pop", "max_generations")
    return [dict(zip(keys, values)) for values in _native.algorithms()]
