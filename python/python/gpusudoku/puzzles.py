"""Puzzles and machines."""

from __future__ import annotations

from . import _native


def generate(size=None, givens="45%", count=1, seed=1, *, unique=False, latin=False, boxes=None):
    """New puzzles, a list of arrays with 0 for blanks. Equal seeds give equal puzzles on every machine.

    ``givens`` is a share such as ``"45%"`` or a number; ``boxes`` a shape such as ``(2, 3)``.

    >>> [puzzle] = generate(9, givens=30, seed=1)
    >>> int((puzzle > 0).sum())
    30
    """
    return _native.generate(size, str(givens), count, seed, unique, latin, boxes)


def check(grid, *, count=2, max_nodes=None, boxes=None, latin=False):
    """Independent verdict on a grid: valid? solved? how many solutions, up to ``count``?

    >>> verdict = check("ai-escargot")
    >>> verdict["solutions"], verdict["verdict"]
    ('1', 'valid, exactly one solution')
    """
    return _native.check(grid, count=count, max_nodes=max_nodes, boxes=boxes, latin=latin)


def adapters():
    """The GPU adapters of this machine, a dict each; ``auto`` marks the one that ``backend="auto"`` takes."""
    return _native.adapters()
