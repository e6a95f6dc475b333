#!/usr/bin/env python3
"""Runs all readings of LSGA that its eight switches allow on the paper's nine puzzles, and compares their average
generations with the published ones.

    python3 lsga.py FOLDER [--runs 10] [--within 25] [--problems easy-1,sd1] [--jobs 2]

FOLDER, which is made if it is missing, gets a file of results for each puzzle, and a page about it. What is in the file is not
run again. A run ends at four times the published generations, at 60 on the two easy puzzles. So the figure of a reading is its
expected running time: the generations of all its runs over the number of solutions. With all runs solved that is their mean.
A reading is near if this is within so many percent of the published figure.

The program is $GPUSUDOKU, else the one in PATH, else target/release/gpusudoku.
"""

import argparse
import collections
import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

# Table II and Table III of the paper, solved in 100 of 100 runs each.
PUBLISHED = {
    "easy-1": 2,
    "easy-11": 6,
    "medium-27": 23,
    "medium-29": 57,
    "hard-77": 254,
    "hard-106": 1269,
    "sd1": 424,
    "sd2": 538,
    "sd3": 3926,
}

# What the paper leaves open. A switch that another one makes idle has no value of its own: `accept` only matters to
# survivors, `admits` only to a queue.
CHOICES = [
    ("selection=survivor:accept=not-worse", "selection=survivor:accept=better", "selection=parent"),
    ("elite=50:admits=improvement", "elite=50:admits=every-best", "elite=0"),
    ("mutate=row", "mutate=individual"),
    ("rounds=5", "rounds=1"),
    ("partners=all", "partners=1"),
    ("repeats=every", "repeats=later"),
]
READINGS = ["lsga:" + ":".join(choice) for choice in itertools.product(*CHOICES)]

FEWEST_GENERATIONS = 60


def program():
    built = pathlib.Path(__file__).resolve().parents[2] / "target/release/gpusudoku"
    return os.environ.get("GPUSUDOKU") or shutil.which("gpusudoku") or str(built)


def generations(options, problem):
    """Of each reading that solved a run, the generations it needs for a solution."""
    most = max(FEWEST_GENERATIONS, 4 * PUBLISHED[problem])
    file = options.folder / f"{problem}.jsonl"
    command = [program(), "compare", "--algo", ",".join(READINGS), "--problem", problem]
    command += ["--runs", str(options.runs), "--budget", f"generations={most}", "--jobs", str(options.jobs)]
    command += ["--backend", "cpu", "--quiet", "--format", "json", "--out", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    # 1: not all were solved.
    if done.returncode not in (0, 1):
        sys.exit(f"{program()} ended with status {done.returncode}: {done.stderr.strip()}")
    runs, spent, solved = (collections.Counter() for _ in range(3))
    for line in file.read_text().splitlines():
        run = json.loads(line)
        if run["kind"] == "run" and run["run"] < options.runs:
            runs[run["contender"]] += 1
            spent[run["contender"]] += run["generations"]
            solved[run["contender"]] += run["solved"]
    if any(runs[reading] != options.runs for reading in READINGS):
        sys.exit(f"{file} has not {options.runs} runs of {len(READINGS)} readings")
    return {reading: spent[reading] / solved[reading] for reading in READINGS if solved[reading]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--within", type=float, default=25, metavar="PERCENT")
    parser.add_argument("--problems", default=",".join(PUBLISHED))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    problems = options.problems.split(",")
    if unknown := [problem for problem in problems if problem not in PUBLISHED]:
        sys.exit(f"no figures were published for {', '.join(unknown)}")
    if not shutil.which(program()):
        sys.exit(f"no {program()}: build it with cargo build --release, or set GPUSUDOKU")
    options.folder.mkdir(parents=True, exist_ok=True)

    near = collections.defaultdict(list)
    print(f"{len(READINGS)} readings, {options.runs} runs each\n")
    print(f"| | published | readings within {options.within:g} % | the nearest |")
    print("|---|---|---|---|")
    for problem in problems:
        published = PUBLISHED[problem]
        needed = generations(options, problem)
        within = [it for it in needed if abs(needed[it] / published - 1) <= options.within / 100]
        for reading in within:
            near[reading].append(problem)
        distance = {it: abs(math.log(needed[it] / published)) for it in needed if needed[it] > 0}
        nearest = min(distance, key=distance.get, default=None)
        best = f"{needed[nearest]:.1f} (`{nearest}`)" if nearest else "-"
        print(f"| {problem} | {published} | {len(within)} | {best} |", flush=True)
    print()
    most = max(map(len, near.values()), default=0)
    print(f"Most puzzles on which one reading is within {options.within:g} %: {most} of {len(problems)}")
    for reading, its in near.items():
        if len(its) == most > 0:
            print(f"- `{reading}`: {', '.join(its)}")


if __name__ == "__main__":
    main()
