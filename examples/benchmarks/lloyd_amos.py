#!/usr/bin/env python3
"""Runs the instances of Lloyd & Amos, and prints a table by class beside the published figures.

    python3 lloyd_amos.py FOLDER [--algo NAME] [--time-limit SECONDS] [--sizes 9,16,25] [--each 100]

FOLDER has the 6,300 files `inst{9x9,16x16,25x25}_{share of givens}_{0..99}.txt` of Lloyd & Amos, "Solving Sudoku with
Ant Colony Optimization" (IEEE Transactions on Games, 2020), in whatever folders below; they come with the authors' program.
Nothing is fetched, and nothing is written.

Runs have one thread and the seed 1. A solution counts if the program says that it is one and `is_solution` below does, which
reads the file of the instance for itself. The status is 1 if an instance was not solved or a solution was wrong.

The program is $GPUSUDOKU, else the one in PATH, else target/release/gpusudoku.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

NAME = re.compile(r"inst(\d+)x\1_(\d+)_(\d+)\.txt")
# Ant colony, iterated local search and dancing links: solved of 100 within 120 s. Of the classes that are not here
# the paper's ant colony solves all.
PUBLISHED = {(25, 40): (98, 69, 76), (25, 45): (85, 10, 49), (25, 50): (93, 41, 99)}


def program():
    built = pathlib.Path(__file__).resolve().parents[2] / "target/release/gpusudoku"
    return os.environ.get("GPUSUDOKU") or shutil.which("gpusudoku") or str(built)


def classes(folder, sizes, each):
    """The files of each size and share of givens."""
    found = {}
    for path in folder.rglob("inst*.txt"):
        match = NAME.fullmatch(path.name)
        if match:
            size, share, number = map(int, match.groups())
            if size in sizes and number < each:
                found.setdefault((size, share), []).append((number, path))
    return {key: [path for _, path in sorted(files)] for key, files in sorted(found.items())}


def read(path):
    """The order of an instance and its cells, blanks as 0."""
    order, _, *cells = map(int, path.read_text().split())
    if len(cells) != order**4:
        sys.exit(f"{path} has {len(cells)} cells, and a grid of order {order} has {order**4}")
    return order, [max(cell, 0) for cell in cells]


def is_solution(path, cells):
    """Whether cells, row by row, solve the instance of a file."""
    order, givens = read(path)
    n = order * order
    if len(cells) != n * n:
        return False
    kept = all(given in (0, cell) for given, cell in zip(givens, cells))
    units = {}
    for at, cell in enumerate(cells):
        row, column = divmod(at, n)
        for unit in [("row", row), ("column", column), ("box", row // order, column // order)]:
            units.setdefault(unit, set()).add(cell)
    return kept and all(unit == set(range(1, n + 1)) for unit in units.values())


def digits(size, text):
    """The cells of a solution in canonical form: one character each up to 9x9, else numbers."""
    return [int(cell) for cell in (text if size <= 9 else text.replace(",", " ").split())]


def line(path):
    """An instance in canonical form: one character a cell up to 9x9, else numbers."""
    order, cells = read(path)
    return ("" if order <= 3 else ",").join(map(str, cells)) + "\n"


def run(options, paths):
    command = [program(), "run", "-", "--algo", options.algo, "--backend", "cpu", "--threads", "1"]
    command += ["--jobs", "1", "--time-limit", str(options.time_limit), "--format", "json"]
    done = subprocess.run(command, input="".join(map(line, paths)), capture_output=True, text=True)
    # 1: not all were solved.
    if done.returncode not in (0, 1):
        sys.exit(f"{program()} ended with status {done.returncode}: {done.stderr.strip()}")
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    if len(runs) != len(paths):
        sys.exit(f"{len(paths)} instances, but {len(runs)} runs: {done.stderr.strip()}")
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--algo", default="memetic")
    parser.add_argument("--time-limit", type=float, default=120)
    parser.add_argument("--sizes", default="9,16,25")
    parser.add_argument("--each", type=int, default=100)
    options = parser.parse_args()
    sizes = {int(size) for size in options.sizes.split(",")}
    found = classes(options.folder, sizes, options.each)
    if not found:
        sys.exit(f"{options.folder} has no files like inst9x9_50_0.txt for these sizes")
    print("| class | solved | by propagation | mean ms | most ms | published: ant colony, ILS, DLX |")
    print("|---|---|---|---|---|---|")
    all_solved, instances, wrong, total = 0, 0, 0, 0.0
    for (size, share), paths in found.items():
        runs = run(options, paths)
        solved = 0
        for path, it in zip(paths, runs):
            if it["solved"]:
                right = is_solution(path, digits(size, it["solution"]))
                solved += right
                wrong += not right
        propagated = sum(it["solved_by"] == "propagation" for it in runs)
        times = [1000 * it["seconds"] for it in runs]
        published = ", ".join(map(str, PUBLISHED.get((size, share), (100, "-", "-"))))
        mean = sum(times) / len(times)
        print(f"| {size}x{size} {share} % | {solved}/{len(paths)} | {propagated} | {mean:.2f} | {max(times):.1f} | {published} |", flush=True)
        all_solved, instances, total = all_solved + solved, instances + len(paths), total + sum(times) / 1000
    print(f"\n{all_solved} of {instances} solved and verified, {wrong} wrong; {total:.1f} s of runs")
    sys.exit(all_solved != instances)


if __name__ == "__main__":
    main()
