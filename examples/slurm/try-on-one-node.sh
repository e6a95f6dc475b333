#!/usr/bin/env bash
# Tries compare.sbatch on a real Slurm of one node: this machine.
#
# Starts munged, slurmctld and slurmd in a temporary folder, as the user that calls it; submits an array
# of four tasks, stops one of them midway and has it start again, merges the parts in a dependent job, and
# compares every run with the same experiment in one piece. Ends with a line that begins with PASS
# or FAIL. All daemons are stopped and the folder is removed at the end, whatever happens.
#
# Debian and Ubuntu: installs slurm-wlm and munge if they are missing. Needs neither systemd nor
# cgroups, so a container will do. A Slurm that is already there is not touched.
# The program is $GPUSUDOKU, else gpusudoku in PATH, else target/release/gpusudoku.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin

tasks=4
runs=32
experiment=(--algo "lsga,nb-coin" --problem "sd1,sd2,sd3" --runs "$runs" --budget evaluations=100000)
lines=$((2 * 3 * runs))
limit=400 # seconds to wait for all jobs

say() { printf '== %s\n' "$*"; }
fail() {
    if [ -n "${dir:-}" ]; then
        tail -n 15 "$dir"/*.log "$dir"/results/*.log 2>/dev/null || true
    fi
    printf 'FAIL: %s\n' "$*"
    exit 1
}

gpusudoku=${GPUSUDOKU:-$(command -v gpusudoku || echo "$here/../../target/release/gpusudoku")}
gpusudoku=$(command -v "$gpusudoku") || fail "no gpusudoku: build it with cargo build --release, or set GPUSUDOKU"
GPUSUDOKU=$(realpath "$gpusudoku")
export GPUSUDOKU

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
if ! { command -v slurmctld && command -v slurmd && command -v sbatch && command -v munged; } >/dev/null; then
    say "installing slurm-wlm and munge"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        slurm-wlm munge >/dev/null || fail "cannot install slurm-wlm and munge"
fi

# Nothing of another cluster, or of a job that this runs in, may reach the one started here.
for name in $(compgen -e | grep -E '^(SLURM|SBATCH|SQUEUE|SCANCEL)' || true); do unset "$name"; done

dir=$(mktemp -d "${TMPDIR:-/tmp}/gpusudoku-slurm.XXXXXX")
mkdir "$dir/results" "$dir/state" "$dir/spool" "$dir/munge"
chmod 755 "$dir"
export SLURM_CONF=$dir/slurm.conf
pids=()
stop() {
    status=$?
    trap - EXIT INT TERM
    # The jobs first: slurmstepd, their parent, outlives slurmd.
    if [ "${#pids[@]}" -gt 1 ]; then
        timeout 10 scancel --quiet --user="$(id -un)" 2>/dev/null || true
        for _ in {1..40}; do
            [ -n "$(timeout 5 squeue --noheader 2>/dev/null || true)" ] || break
            sleep 0.5
        done
    fi
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
        kill "${pids[i]}" 2>/dev/null || true
        for _ in {1..20}; do
            kill -0 "${pids[i]}" 2>/dev/null || break
            sleep 0.25
        done
        kill -KILL "${pids[i]}" 2>/dev/null || true
        wait "${pids[i]}" 2>/dev/null || true
    done
    # What the daemons should have ended but did not: nobody else has this file in the environment.
    for process in /proc/[0-9]*; do
        if grep -qzxF "SLURM_CONF=$SLURM_CONF" "$process/environ" 2>/dev/null; then
            kill -KILL "${process#/proc/}" 2>/dev/null || true
        fi
    done
    rm -rf "$dir"
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        # Nobody answers: free.
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# `within SECONDS COMMAND...`: waits until the command succeeds.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}

say "starting munged, slurmctld and slurmd in $dir"
(umask 077 && head -c 128 /dev/urandom >"$dir/munge/key")
# setsid: an interrupt from the keyboard is for this script alone, which then stops them in order.
# --force: it would rather not have its files below /tmp.
setsid munged --foreground --force --socket="$dir/munge/socket" --key-file="$dir/munge/key" \
    --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" \
    >"$dir/munged.log" 2>&1 &
pids+=($!)
within 20 test -S "$dir/munge/socket" || fail "munged does not start"

host=$(uname -n)
host=${host%%.*}
user=$(id -un)
ctld_port=$(free_port)
slurmd_port=$ctld_port
while [ "$slurmd_port" = "$ctld_port" ]; do slurmd_port=$(free_port); done
# cred_expire: a requeued job waits until its old credential has expired, usually two minutes.
cat >"$SLURM_CONF" <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ctld_port
SlurmdPort=$slurmd_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
MailProg=/bin/true
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=try Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
setsid slurmctld -D >"$dir/slurmctld.out.log" 2>&1 &
pids+=($!)
setsid slurmd -D >"$dir/slurmd.out.log" 2>&1 &
pids+=($!)
idle() { [ "$(timeout 5 sinfo --noheader --format=%T 2>/dev/null || true)" = idle ]; }
within 60 idle || fail "the node does not become ready"
sinfo --version

cd "$dir/results"
say "an array of $tasks tasks: compare ${experiment[*]}"
submit=(sbatch --parsable --chdir="$dir/results")
job=$("${submit[@]}" --array=1-$tasks --cpus-per-task=1 --mem=100M --time=10 \
    "$here/compare.sbatch" "${experiment[@]}")

# What merges: `report`, where the program has it; and always `compare`, on all parts in one file, which
# then must have nothing left to run.
# shellcheck disable=SC2016 # the job expands it
if "$GPUSUDOKU" report --help >/dev/null 2>&1; then
    report='"$GPUSUDOKU" report results.*-of-*.jsonl'
else
    report='cat results.*-of-*.jsonl >all.jsonl && "$GPUSUDOKU" compare --out all.jsonl '"${experiment[*]}"
fi
merge=$("${submit[@]}" --dependency="afterok:$job" --mem=100M --time=5 --output=merge.log --wrap="$report")

# Task 2 is stopped as a lost node or a preemption would, once it has some runs but not all.
part=results.2-of-$tasks.jsonl
share=$((lines / tasks))
begun() { [ -e "$part" ] && [ "$(wc -l <"$part")" -ge 9 ]; }
within 120 begun || fail "task 2 does not begin"
scontrol requeue "${job}_2" || fail "task 2 cannot be requeued"

say "task 2 stopped after $(($(wc -l <"$part") - 1)) of its $share runs; waiting for it to start again"

# The dependent job ends last; a part that fails leaves it waiting for ever, and the limit ends that.
state() { timeout 5 scontrol --oneliner show job "$1" 2>/dev/null | sed -nE 's/.* JobState=([A-Z_]+).*/\1/p'; }
merged() { [ "$(state "$merge")" = COMPLETED ]; }
stuck() { scontrol --oneliner show job "$merge" | grep -qE 'DependencyNeverSatisfied|JobState=FAILED'; }
merged_or_stuck() { merged || stuck; }
within "$limit" merged_or_stuck || fail "the jobs did not end within $limit seconds: $(squeue)"
merged || fail "a task or the merging job failed"

log=gpusudoku.${job}_2.log
resumed=$(sed -nE 's/.*: goes on after ([0-9]+) runs.*/\1/p' "$log")
grep -q 'start 2$' "$log" || fail "task 2 did not start again"
if [ -z "$resumed" ] || [ "$resumed" -ge "$share" ]; then
    fail "task 2 went on after '$resumed' of $share runs: it was not stopped midway"
fi
say "task 2 went on after $resumed of its $share runs; the merging job says:"
cat merge.log

say "the same experiment in one piece"
"$GPUSUDOKU" compare --quiet --out whole.jsonl "${experiment[@]}" >whole.txt
# Of every run: algorithm, number, problem and the digest of its last population.
digests() {
    cat "$@" | sed -nE \
        's/.*"contender":"([^"]*)","run":([0-9]+),.*"problem":"([^"]*)".*"population_hash":"([0-9a-f]+)".*/\1 \3 \2 \4/p' |
        sort
}
digests whole.jsonl >whole.digests
digests results.*-of-$tasks.jsonl >parts.digests
[ "$(wc -l <whole.digests)" = "$lines" ] || fail "in one piece: $(wc -l <whole.digests) runs, not $lines"
diff whole.digests parts.digests >different || fail "the parts are not the whole: $(head -n 5 different)"

cat results.*-of-$tasks.jsonl >all.jsonl
"$GPUSUDOKU" compare --quiet --out all.jsonl "${experiment[@]}" >all.txt 2>all.err
grep -q "goes on after $lines runs" all.err || fail "the merged parts were not complete: $(cat all.err)"
[ "$(digests all.jsonl | wc -l)" = "$lines" ] || fail "the merged parts had runs left"

# Of the JSON of a run what is the same wherever and in however many parts it ran.
essence() { grep -ohE '"(generations|evaluations|population_hash)":[^,]*' "$@" | tail -n 3 | tr '\n' ' '; }

search=("$here/../../puzzles/generated/25x25-45.txt" --algo lsga --pop 64 --max-generations 20000 --seed 9 --format json)
say "one long run in two tasks of an array, the first of which has no time to end: ${search[*]}"
"$GPUSUDOKU" run --quiet --threads 1 "${search[@]}" >long.whole.json || [ $? = 1 ]
mkdir long
# A task has ten minutes, and keeps all but three seconds of them.
long=$(SPARE=597 sbatch --parsable --chdir="$dir/results/long" --array=1-2%1 --cpus-per-task=1 --mem=100M --time=10 \
    "$here/long-run.sbatch" "${search[@]}" --checkpoint-every 0.5)
# Jobs that have ended are forgotten after a while.
ended() { [ -z "$(timeout 5 squeue --noheader --job="$1" 2>/dev/null || true)" ]; }
within "$limit" ended "$long" || fail "the long run did not end within $limit seconds: $(squeue)"
first=$(essence "long/gpusudoku.${long}_1.log")
last=$(essence "long/gpusudoku.${long}_2.log")
[ "$first" != "$last" ] || fail "the first task had time for all of it"
[ "$last" = "$(essence long.whole.json)" ] || fail "the long run: $last, not $(essence long.whole.json)"
say "the tasks ended with $first and $last"

shared=not-tried
if ldd "$GPUSUDOKU" | grep -q libmpi; then
    shared=
    for mpi in pmi2 pmix; do
        say "one population in two processes: srun --mpi=$mpi"
        mkdir "shared-$mpi"
        job=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPI=$mpi \
            sbatch --parsable --chdir="$dir/results/shared-$mpi" --nodes=1 --ntasks-per-node=2 --cpus-per-task=1 \
            --mem=200M --time=10 "$here/shared.sbatch" "${search[@]}")
        within "$limit" ended "$job" || fail "the shared run did not end within $limit seconds: $(squeue)"
        log=shared-$mpi/gpusudoku.$job.log
        grep -q '"adapter":"2 processes, each 1 thread"' "$log" || { tail -n 5 "$log"; continue; }
        [ "$(essence "$log")" = "$(essence long.whole.json)" ] || fail "the shared run: $(essence "$log")"
        shared="$shared $mpi"
    done
    [ -n "$shared" ] || fail "no kind of MPI that Slurm knows started two processes"
fi

say "stopping the daemons"
echo "PASS: $tasks tasks, one of them stopped after $resumed runs and started again, gave the $lines runs of the whole experiment, every population_hash the same; so did one run in two tasks, and in two processes with: $shared"
