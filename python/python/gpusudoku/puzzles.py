"""Puzzles and machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._types import Boxes, Problem


def generate(
    size: int | None = None,
    givens: str | int = "45%",
    count: int = 1,
    seed: int = 1,
    *,
    unique: bool = False,
    latin: bool = False,
    boxes: Boxes = None,
) -> list[NDArray[numpy.uint8]]:
    """New puzzles, a list of arrays with 0 for blanks. Equal seeds give equal puzzles on every machine.

    ``givens`` is a share such as ``"45%"`` or a number; ``boxes`` a shape such as ``(2, 3)``.

    >>> [puzzle] = generate(9, givens=30, seed=1)
    >>> int((puzzle > 0).sum())
    30
    """
    return _native.generate(size, str(givens), count, seed, unique, latin, boxes)


def check(
    grid: Problem, *, count: int = 2, max_nodes: int | None = None, boxes: Boxes = None, latin: bool = False
) -> dict[str, Any]:
    """Independent verdict on a grid: valid? solved? how many solutions, up to ``count``?

    >>> verdict = check("ai-escargot")
    >>> verdict["solutions"], verdict["verdict"]
    ('1', 'valid, exactly one solution')
    """
    return _native.check(grid, count=count, max_nodes=max_nodes, boxes=boxes, latin=latin)


def adapters() -> list[dict[str, Any]]:
    """The GPU adapters of this machine, a dict each: what ``gpusudoku adapters --format json`` tells.

    ``auto`` marks the one that ``backend="auto"`` takes.

    >>> all({"name", "driver", "auto"} <= set(adapter) for adapter in adapters())
    True
    """
    return _native.adapters()
