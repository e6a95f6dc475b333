#!/usr/bin/env bash
# One population over several processes, with a real MPI: the same hashes as one process, the same files, and a
# sentence when a process dies.
#
# tests/mpi.sh PROGRAM, which is built with the feature mpi; KILLS=20 kills more runs than the four of every day.
set -euo pipefail
program=$(realpath "${1:?expected a program built with --features mpi}")
cd "$(dirname "$0")/.."
puzzles=$PWD/puzzles/generated
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# In containers mpirun is root, and there are fewer cores than processes.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
passed=0 failed=0

launch() { # processes, arguments
    local processes=$1
    shift
    mpirun -n "$processes" "$program" "$@"
}

check() { # what, expected, found
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: expected %s, found %s\n' "$1" "$2" "$3" >&2
    fi
}

# Of a line of JSON what is the same everywhere.
essence() {
    python3 -c '
import json, sys
for line in sys.stdin:
    if line.startswith("{"):
        run = json.loads(line)
        keys = "generations evaluations best_fitness solved population_hash stop".split()
        print(*(run[key] for key in keys))
'
}

run() { # arguments: one process on one thread
    "$program" run --backend cpu --threads 1 --format json "$@" 2>/dev/null | essence || true
}

shared() { # processes, arguments
    local processes=$1
    shift
    launch "$processes" run --format json "$@" 2>/dev/null | essence || true
}

echo "mpirun: $(mpirun --version | head -n 1)"

# Every algorithm, populations that do not divide evenly, grids from 9x9 to 49x49 and queens.
cases=(
    "sd2 --algo lsga --pop 101 --max-generations 20"
    "$puzzles/25x25-45.txt --algo lsga --pop 31 --max-generations 6"
    "sd2 --algo ga --pop 53 --max-generations 20"
    "sd2 --algo gpu-ga --pop 200 --set island=32 --set epoch=5 --max-generations 25"
    "sd2 --algo nb-coin --pop 61 --max-generations 15"
    "sd2 --algo reseda --pop 61 --max-generations 15"
    "hard-106 --algo ah-lsga --pop 41 --max-generations 10"
    "sd2 --algo hs --pop 20 --max-generations 40"
    "sd2 --algo fpchs --pop 20 --set improvisations=200 --max-generations 30"
    "$puzzles/49x49-52.txt --algo memetic --pop 7 --set steps=2 --max-generations 5"
    "$puzzles/36x36-50.txt --algo tabu --pop 5 --set moves=200 --max-generations 4"
    "$puzzles/latin-50-70.txt --algo packing --pop 5 --set steps=2 --max-generations 4"
    "queens:50 --algo hpsoga --pop 21 --max-generations 20"
    "torus:25 --algo cga --pop 21 --max-generations 20"
    "queens:60 --algo hgsaga --pop 21 --set stagnation=3 --max-generations 20"
    "torus:35 --algo hgasa --pop 13 --set stagnation=3 --max-generations 15"
    "queens:80 --algo min-conflicts --pop 5 --max-generations 3"
)
for case in "${cases[@]}"; do
    # shellcheck disable=SC2086 # The words of a case are arguments.
    expected=$(run $case)
    for processes in 2 3 4; do
        # shellcheck disable=SC2086
        check "$case by $processes processes" "$expected" "$(shared "$processes" $case --backend cpu)"
    done
done

# Several runs of several problems, with a trace.
expected=$(run sd2 --algo lsga --pop 50 --runs 3 --max-generations 15 --trace "$work/one.csv")
found=$(shared 3 sd2 --algo lsga --pop 50 --runs 3 --max-generations 15 --trace "$work/three.csv" --backend cpu)
check "three runs" "$expected" "$found"
# All columns but the last, which are seconds.
traces=$(for it in one three; do sed 's/,[^,]*$//' "$work/$it.csv" | sha256sum; done | sort -u | wc -l)
check "their traces" 1 "$traces"

# Budgets, and standard input, which only the first process has.
case="--algo lsga --pop 60 --max-evaluations 2000"
# shellcheck disable=SC2086
check "an evaluation budget" "$(run sd2 $case)" "$(shared 2 sd2 $case --backend cpu)"
grid="1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4"
# shellcheck disable=SC2086
check "standard input" "$(run "$grid" --algo lsga --pop 9 --set propagate=none)" \
    "$(mpirun -n 2 "$program" run - --format json --algo lsga --pop 9 --set propagate=none --backend cpu 2>/dev/null <<<"$grid" | essence)"

# A device for each process, where there is an adapter.
if [ "${GPUSUDOKU_SKIP_GPU_TESTS:-}" = 1 ]; then
    echo "devices are SKIPPED: GPUSUDOKU_SKIP_GPU_TESTS=1 is set"
else
    case="sd2 --algo lsga --pop 33 --max-generations 8"
    # shellcheck disable=SC2086
    expected=$(run $case)
    for backend in gpu cpu+gpu; do
        # shellcheck disable=SC2086
        check "$backend in 2 processes" "$expected" "$(shared 2 $case --backend $backend)"
    done
fi

# Bad input: one sentence, and its exit status.
status=0
launch 2 run no-such-puzzle >"$work/out" 2>"$work/err" || status=$?
check "exit status of bad input" 2 "$status"
check "sentences of bad input" 1 "$(grep -c '^gpusudoku: no-such-puzzle' "$work/err")"
status=0
launch 2 check no-such-puzzle >/dev/null 2>&1 || status=$?
check "exit status of another command" 2 "$status"

# A process that dies ends the job with exit status 3 and a sentence, and the last checkpoint is good for any number of
# processes.
long="$puzzles/25x25-45.txt --algo lsga --pop 301 --max-generations 150 --seed 5"
# shellcheck disable=SC2086
expected=$(run $long)
kills=${KILLS:-4}
killed=0 same=0
for ((round = 1; round <= kills; round++)); do
    rm -f "$work/run.chk"
    # shellcheck disable=SC2086
    launch 3 run $long --backend cpu --format text --checkpoint "$work/run.chk" --checkpoint-every 0 \
        >"$work/out" 2>"$work/err" &
    job=$!
    for _ in $(seq 200); do
        [ -s "$work/run.chk" ] && break
        sleep 0.05
    done
    sleep "0.$((RANDOM % 8))"
    # A process that works, of a random rank.
    victims=$(for it in /proc/[0-9]*; do
        tr '\0' '\n' 2>/dev/null <"$it/environ" | grep -qx GPUSUDOKU_WATCHED=1 &&
            tr '\0' ' ' <"$it/cmdline" | grep -qF "$work/run.chk" && basename "$it"
    done || true)
    victim=$(shuf -n 1 <<<"$victims")
    [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && killed=$((killed + 1))
    status=0
    wait "$job" || status=$?
    # Unless the run had come to its end before.
    if grep -q "a process of the run was killed" "$work/err" && ! grep -q " lsga pop 301 " "$work/out"; then
        check "exit status of round $round" 3 "$status"
    fi
    # shellcheck disable=SC2086
    found=$(shared $((1 + round % 4)) --resume "$work/run.chk" --backend cpu)
    [ "$found" = "$expected" ] && same=$((same + 1))
done
check "ends of $kills runs, $killed of them killed" "$kills" "$same"
[ "$killed" -gt 0 ] || check "kills" "one at least" "$killed"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
