#!/usr/bin/env bash
# The same populations on every machine: tries it beyond x86-64 Linux with AVX2.
#
#   tests/platforms.sh [STEP...]   all steps, or some of: check big-endian aarch64 x86-64
#
#   check        the library and the program type-check for Windows and macOS
#   big-endian   a big-endian machine is refused in a sentence
#   aarch64      golden hashes, operators and whole runs on aarch64 (NEON), under qemu
#   x86-64       the same on x86-64 without AVX2, under qemu
#
# Whole runs have to end as those of the native program do. Code for other machines comes from rustup's
# target if it is installed, otherwise from Debian's toolchain, which compiles its own standard library.
# What is missing is installed where there is apt-get; otherwise the step is SKIPPED, and says why.
# A difference is a failure: exit status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

# Neither a GPU nor its drivers belong to this. With the second set the program does not start itself once
# more, which would leave the emulator: the host would run the rest, with AVX2.
export GPUSUDOKU_SKIP_GPU_TESTS=1 NODEVICE_SELECT=1

passed=0
skipped=0
failures=()

step() { printf '\n== %s\n' "$*"; }

pass() {
    passed=$((passed + 1))
    echo "passed: $*"
}

skip() {
    skipped=$((skipped + 1))
    echo "SKIPPED: $*"
}

fail() {
    failures+=("$*")
    echo "FAILED: $*" >&2
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        echo "not root and no sudo: run as root: $*" >&2
        return 1
    fi
}

# Installs packages. Where that cannot be, `lacking` says why.
lacking=
provide() {
    if ! command -v apt-get >/dev/null; then
        lacking="there is no apt-get to install $*"
        return 1
    fi
    echo "installing $*"
    if ! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }; then
        lacking="apt-get could not install $*"
        return 1
    fi
}

installed_target() {
    local folder
    folder=$(rustc --print target-libdir --target "$1" 2>/dev/null) && [ -d "$folder" ]
}

# Debian's rustc and cargo, which need not be the first in the path.
debian=
find_debian() {
    local rustc
    command -v dpkg >/dev/null && dpkg -s cargo-web rust-web-src >/dev/null 2>&1 || return 1
    rustc=$(dpkg -L rustc-web 2>/dev/null | grep '/bin/rustc$') || return 1
    debian=$(dirname "$rustc")
}

have_toolchain() {
    installed_target "$1" || find_debian ||
        { provide rustc-web cargo-web rust-web-src && find_debian; } ||
        { lacking="no Rust for $1: $lacking (or rustup target add $1)" && return 1; }
}

have_emulator() {
    command -v "$1" >/dev/null || provide qemu-user-static || return 1
}

# cargo for another machine: target, command, arguments.
cross() {
    local target=$1 command=$2
    shift 2
    if installed_target "$target"; then
        cargo "$command" --target "$target" "$@"
    else
        RUSTC_BOOTSTRAP=1 RUSTC=$debian/rustc "$debian/cargo" "$command" \
            -Zbuild-std=std,panic_unwind,test --target "$target" "$@"
    fi
}

check() {
    local target
    for target in x86_64-pc-windows-msvc aarch64-apple-darwin; do
        step "type-check for $target"
        if ! have_toolchain "$target"; then
            skip "type-check for $target: $lacking"
        elif cross "$target" check --lib --bins; then
            pass "type-check for $target"
        else
            fail "library and program do not type-check for $target"
        fi
    done
}

big_endian() {
    local target=s390x-unknown-linux-gnu said
    step "refusal of $target"
    if ! have_toolchain "$target"; then
        skip "refusal of $target: $lacking"
    elif said=$(cross "$target" check --lib --no-default-features 2>&1); then
        fail "a big-endian machine is not refused"
    elif grep "error: gpusudoku needs a little-endian machine" <<<"$said"; then
        pass "refusal of $target"
    else
        echo "$said" >&2
        fail "the compiler does not say why a big-endian machine is refused"
    fi
}

# Whole runs: what a user types, without `gpusudoku` and what is the same for all.
runs=(
    "easy-1"
    "sd2 --algo lsga --max-generations 200 --seed 1"
    "puzzles/generated/16x16-40.txt --algo memetic --seed 1"
    "puzzles/generated/25x25-45.txt --algo memetic --max-generations 5 --seed 1"
    "queens:20 --algo hgasa --seed 1"
    # Sine, gamma function and powers, from libm and not from the machine's own library.
    "sd2 --algo fpchs --max-generations 50 --seed 1"
)

# How the runs of a program end, a line each: exit status and all of the JSON but seconds and threads. The
# arguments are the program, after its emulator if there is one.
endings() {
    local run json status
    for run in "${runs[@]}"; do
        status=0
        # shellcheck disable=SC2086 # Each word is an argument.
        json=$("$@" run $run --backend cpu --format json) || status=$?
        printf '%s: exit status %s ' "$run" "$status"
        sed -E 's/"(adapter|seconds)": *("[^"]*"|[^,}]*),?//g' <<<"$json"
    done
    printf 'generate: '
    "$@" generate --size 16 --givens 45% --count 2 --seed 1 --quiet | tr '\n' ' '
    echo
}

# The same in short: generations, and digests of populations.
shown() {
    sed -nE 's/^(.*exit status [0-9]+) .*("generations": *[0-9]+).*("population_hash": *"[^"]*").*/\1, \2, \3/p'
}

# The endings of the native program, which the others have to equal.
expected=
native() {
    [ -z "$expected" ] || return 0
    step "native program"
    # As the everyday tests have it: built already, if they are.
    cargo test --no-run --test golden
    expected=$(endings "${CARGO_TARGET_DIR:-target}/debug/gpusudoku")
    # What fails at once would be equal everywhere.
    if [ "$(shown <<<"$expected" | wc -l)" != "${#runs[@]}" ] ||
        ! grep -qE '^generate: .{256}' <<<"$expected"; then
        printf 'the native program has not done its work:\n%s\n' "$expected" >&2
        exit 1
    fi
    shown <<<"$expected"
}

# Compares the endings of a program on another machine: its name, the program with its emulator.
compare() {
    local name=$1 found
    shift
    step "whole runs on $name"
    found=$(endings "$@")
    if [ "$found" = "$expected" ]; then
        shown <<<"$found"
        pass "whole runs on $name"
    else
        diff <(echo "$expected") <(echo "$found") >&2 || true
        fail "runs on $name end otherwise than native ones: see the lines above, native first"
    fi
}

# Runs tests by an emulator that cargo was told of: name of the machine, cargo and its arguments.
tests() {
    local name=$1 test
    shift
    for test in golden operators; do
        step "$test on $name"
        # Teams of 64 threads are for machines that have no emulator to carry.
        if "$@" --test "$test" -- --skip shared::; then
            pass "$test on $name"
        else
            fail "$test on $name (if cargo test --test $test fails here as well, it is not the machine)"
        fi
    done
}

aarch64() {
    local target=aarch64-unknown-linux-gnu emulator=(qemu-aarch64-static -L /usr/aarch64-linux-gnu)
    step "$target"
    if ! have_toolchain "$target" || ! have_emulator "${emulator[0]}" ||
        ! { command -v aarch64-linux-gnu-gcc >/dev/null ||
            provide gcc-aarch64-linux-gnu libc6-dev-arm64-cross; }; then
        skip "$target: $lacking"
        return
    fi
    native
    # Built to be run once: soon rather than fast.
    local -x CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="${emulator[*]}"
    # With the tests the program is built as well.
    tests "$target" cross "$target" test --release
    compare "$target" "${emulator[@]}" "${CARGO_TARGET_DIR:-target}/$target/release/gpusudoku"
}

# `pulp` asks the processor, at run time, whether it has AVX2. Nehalem has SSE 4.2 and no AVX.
x86_64() {
    local name="x86-64 without AVX2" emulator=(qemu-x86_64-static -cpu Nehalem) probe
    step "$name"
    if [ "$(uname -sm)" != "Linux x86_64" ]; then
        skip "$name: this is $(uname -sm)"
        return
    elif ! have_emulator "${emulator[0]}"; then
        skip "$name: $lacking"
        return
    fi
    probe=$(mktemp -d)
    # shellcheck disable=SC2064 # The folder of now.
    trap "rm -rf '$probe'" EXIT
    echo 'fn main() { println!("{}", is_x86_feature_detected!("avx2")) }' >"$probe/avx2.rs"
    rustc -o "$probe/avx2" "$probe/avx2.rs"
    echo "AVX2 here: $("$probe/avx2"), and in the emulator: $("${emulator[@]}" "$probe/avx2")"
    if [ "$("${emulator[@]}" "$probe/avx2")" != false ]; then
        fail "the emulator has AVX2, so that nothing would be shown"
        return
    fi
    native
    # Not in release: these are the tests of every day, which are often built already.
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="${emulator[*]}" tests "$name" cargo test
    compare "$name" "${emulator[@]}" "${CARGO_TARGET_DIR:-target}/debug/gpusudoku"
}

[ $# -gt 0 ] || set -- check big-endian aarch64 x86-64
for name in "$@"; do
    case $name in
    check) check ;;
    big-endian) big_endian ;;
    aarch64) aarch64 ;;
    x86-64) x86_64 ;;
    *)
        echo "unknown step '$name': expected check, big-endian, aarch64 or x86-64" >&2
        exit 2
        ;;
    esac
done

echo
if [ ${#failures[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${failures[@]}" >&2
    echo "platforms: $passed passed, $skipped skipped, ${#failures[@]} failed"
    exit 1
fi
echo "platforms: $passed passed, $skipped skipped"
