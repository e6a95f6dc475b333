#!/usr/bin/env bash
# Counts the instructions of the native engine with callgrind, and compares with instructions.tsv.
#
#   benches/instructions.sh [NAME...]   all work, or that whose name contains one of these (lsga/9)
#   benches/instructions.sh --store     counts everything, and writes instructions.tsv anew
#
# This crate is compiled as for a release, but for LTO, and its dependencies as for tests, which have
# them already: all code that counts is in this crate, or generic.
set -euo pipefail
cd "$(dirname "$0")/.."

flags=()
for setting in opt-level=3 codegen-units=1 debug-assertions=false overflow-checks=false; do
    flags+=(--config "profile.dev.package.gpusudoku.$setting")
done
CARGO_INCREMENTAL=0 exec cargo run --quiet "${flags[@]}" --example instructions -- "$@"
