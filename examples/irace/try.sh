#!/usr/bin/env bash
# Tries target-runner and the scenario: first the runner alone, called as irace calls it, then irace
# itself with a small budget of experiments. Ends with a line that begins with PASS or FAIL.
#
# irace is an R package. Debian and Ubuntu have it as r-cran-irace, which is installed if it is missing.
# A budget this small shows that everything fits together; what it finds is not worth using.
# The program is $GPUSUDOKU, else gpusudoku in PATH, else target/release/gpusudoku.
set -euo pipefail
cd "$(dirname "$0")"
experiments=${1:-300} # irace wants no less for eight parameters

say() { printf '== %s\n' "$*"; }
fail() {
    printf 'FAIL: %s\n' "$*"
    exit 1
}

gpusudoku=${GPUSUDOKU:-$(command -v gpusudoku || echo ../../target/release/gpusudoku)}
gpusudoku=$(command -v "$gpusudoku") || fail "no gpusudoku: build it with cargo build --release, or set GPUSUDOKU"
GPUSUDOKU=$(realpath "$gpusudoku")
export GPUSUDOKU
dir=$(mktemp -d "${TMPDIR:-/tmp}/gpusudoku-irace.XXXXXX")
trap 'rm -rf "$dir"' EXIT

say "target-runner alone"
calls=0
for configuration in \
    "--pop 150 --set elite=50 --set pc1=0.2 --set pc2=0.1 --set pm1=0.3 --set pm2=0.05" \
    "--pop 20 --set elite=0 --set pc1=1 --set pc2=0.9999 --set pm1=0 --set pm2=0.5" \
    "60 --pop 1000 --set tournament=10 --set rounds=0"; do # with a bound, as with capping
    while read -r instance; do
        calls=$((calls + 1))
        # shellcheck disable=SC2086 # irace separates switches by spaces too
        line=$(./target-runner "$calls" "$calls" $((1234567 * calls)) "$instance" $configuration) ||
            fail "status $? on $instance with $configuration"
        [[ $line =~ ^[0-9]+(\.[0-9]+)?\ [0-9.e-]+$ ]] || fail "printed '$line' on $instance with $configuration"
        printf '%-10s %-26s %s\n' "$instance" "$line" "$configuration"
    done < <(grep -v '^#' instances.txt)
done
# A run that is not solved has a cost like any other; a fault has none.
line=$(./target-runner 1 1 1 sd1 --pop 2 --set rounds=0) || fail "an unsolved run is an error: status $?"
[ "${line%% *}" -ge 2000000 ] || fail "an unsolved run costs only ${line%% *}"
if ./target-runner 1 1 1 no-such-puzzle --pop 150 >"$dir/out" 2>&1; then fail "an unknown puzzle is no error"; fi
if ./target-runner 1 1 1 sd1 --set pc1=2 >"$dir/out" 2>&1; then fail "a probability of 2 is no error"; fi

if ! Rscript -e 'library(irace)' >/dev/null 2>&1; then
    say "installing r-cran-irace"
    as_root() {
        if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
    }
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        r-cran-irace >/dev/null || fail "cannot install r-cran-irace"
fi

# The program is inside the package, and in no folder of PATH.
irace=$(Rscript -e 'cat(system.file("bin", "irace", package = "irace", mustWork = TRUE))')
options=(--scenario scenario.txt --log-file "$dir/irace.Rdata" --max-experiments "$experiments")
say "irace, its own check of the scenario"
"$irace" "${options[@]}" --check >"$dir/check" 2>&1 || fail "the check fails: $(tail -n 20 "$dir/check")"
tail -n 3 "$dir/check"
say "irace with $experiments experiments"
"$irace" "${options[@]}" >"$dir/log" 2>&1 || fail "irace fails: $(tail -n 20 "$dir/log")"
sed -n '/^# Best configurations as commandlines/,$p' "$dir/log"
grep -q '^# Best configurations as commandlines' "$dir/log" || fail "irace names no best configuration"
echo "PASS: $calls calls of target-runner, and irace with $experiments experiments"
