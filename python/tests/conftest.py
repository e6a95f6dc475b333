"""What the tests share: the program, and a slow recount."""

import itertools
import json
import os
import subprocess
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The command line of the same sources: hashes have to be equal."""
    named = os.environ.get("GPUSUDOKU_PROGRAM")
    found = [Path(named)] if named else [ROOT / "target" / kind / "gpusudoku" for kind in ("debug", "release")]
    found = [path for path in found if path.exists()]
    assert found, "build the program first (cargo build), or name it in GPUSUDOKU_PROGRAM"
    newest = max(found, key=lambda path: path.stat().st_mtime)

    def call(*arguments, check=True):
        done = subprocess.run([newest, *map(str, arguments)], capture_output=True, text=True, timeout=600)
        assert not check or done.returncode in (0, 1), done.stderr
        return done

    call.json = lambda *arguments: json.loads(call(*arguments, "--format", "json").stdout)
    return call


def recount(grids, boxes, rows=False, missing=False):
    """Illegal units, or missing digits, of each grid; as slow and obvious as can be."""
    pop, n, _ = grids.shape
    houses = [[(r, c) for r in range(n)] for c in range(n)]
    if rows:
        houses += [[(r, c) for c in range(n)] for r in range(n)]
    if boxes:
        h, w = boxes
        houses += [
            [(r + dr, c + dc) for dr, dc in itertools.product(range(h), range(w))]
            for r, c in itertools.product(range(0, n, h), range(0, n, w))
        ]
    lacking = numpy.array([[n - len({g[cell] for cell in house}) for house in houses] for g in grids])
    return lacking.sum(1) if missing else (lacking > 0).sum(1)
