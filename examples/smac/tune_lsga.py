#!/usr/bin/env python3
"""Tunes LSGA with SMAC3: the same parameters and puzzles as ../irace.

Needs Python 3.10 or newer and SMAC 2:

    python3 -m venv venv && venv/bin/pip install smac
    venv/bin/python tune_lsga.py [TRIALS]

The program is $GPUSUDOKU, else gpusudoku in PATH, else target/release/gpusudoku. A few hundred trials
are a beginning; the 20 of the default only show that everything fits together.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ConfigSpace import ConfigurationSpace, Float, Integer
from smac import AlgorithmConfigurationFacade, Scenario

# Puzzles with the number of their givens, from which SMAC learns what they have in common.
PUZZLES = {"medium-29": 29, "hard-77": 28, "hard-106": 24, "sd1": 24, "sd2": 23}
EVALUATIONS = 200_000

BUILT = Path(__file__).resolve().parents[2] / "target/release/gpusudoku"
PROGRAM = os.environ.get("GPUSUDOKU") or shutil.which("gpusudoku") or str(BUILT)


def switches(config) -> str:
    """A configuration as the options of the program."""
    options = {key: f"--set {key}={value}" for key, value in config.items()}
    return " ".join((options | {"pop": f"--pop {config['pop']}"}).values())


def cost(config, instance: str, seed: int = 0) -> float:
    """Evaluations that the solution took, ten times those spent if there was none."""
    command = [PROGRAM, "run", instance, "--algo", "lsga", "--backend", "cpu", "--threads", "1"]
    command += ["--quiet", "--format", "irace", "--seed", str(seed)]
    command += switches(config).split()
    # The algorithm's own limit of generations is lifted: a small population would reach it long
    # before the budget is spent, and failure would look cheap.
    command += ["--max-evaluations", str(EVALUATIONS), "--max-generations", str(2**32 - 1)]
    done = subprocess.run(command, capture_output=True, text=True)
    # 1: not solved, which the cost says too. Anything else is a fault.
    if done.returncode > 1 or done.returncode < 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
    return float(done.stdout.split()[0])


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    # The defaults are the paper's, and the first configuration that SMAC tries.
    space = ConfigurationSpace(seed=1)
    space.add(
        Integer("pop", (20, 1000), default=150, log=True),
        Integer("elite", (0, 200), default=50),
        Float("pc1", (0, 1), default=0.2),
        Float("pc2", (0, 1), default=0.1),
        Float("pm1", (0, 1), default=0.3),
        Float("pm2", (0, 0.5), default=0.05),
        Integer("tournament", (1, 10), default=2),
        Integer("rounds", (0, 10), default=5),
    )
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            space,
            n_trials=trials,
            instances=list(PUZZLES),
            instance_features={name: [givens] for name, givens in PUZZLES.items()},
            seed=1,
            output_directory=Path(folder),
        )
        smac = AlgorithmConfigurationFacade(scenario, cost)
        best = smac.optimize()
        history = smac.runhistory
        print(f"{history.finished} trials of {len(history.get_configs())} configurations")
        # A mean of many trials first: one lucky run says nothing.
        tried = [(-len(history.get_trials(c)), history.get_cost(c), c) for c in history.get_configs()]
        for count, mean, config in sorted(tried, key=lambda entry: entry[:2])[:3]:
            print(f"mean cost {mean:.0f} in {-count} trials: {switches(config)}")
        print(f"best: {switches(best)}")



if __name__ == "__main__":
    main()
