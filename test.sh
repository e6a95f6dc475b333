#!/usr/bin/env bash
# Passes every check of the project on a fresh machine with Rust. Without an argument it runs all parts; `./test.sh core`
# runs the named ones.
#
# core       installs a software Vulkan driver where there is no adapter, and Chromium and valgrind where there are none
#            (Debian and Ubuntu), then runs fmt, clippy, docs and all tests. Licences and sources of dependencies are
#            checked where there is cargo-deny. Instructions are counted where there is valgrind: code that has become
#            slower does not fail, but is named at the end.
# gpu        counts what kernels would cost on a Radeon, and fails where a chosen layout spills, uses scratch memory or has
#            wrong bits: benches/gpu.sh
# web        builds the page for browsers and uses it in Chromium: web/build.sh, web/test
# python     makes the wheel of python/, installs it with what its tests need into a venv of its own, and runs them
# mpi        one population over several processes, with Open MPI: tests/mpi.sh
# platforms  the same populations on other machines: tests/platforms.sh
#
# GPU tests fail without an adapter. GPUSUDOKU_SKIP_GPU_TESTS=1 skips them, and says so. The tests of reports and of the
# page fail without Chromium; GPUSUDOKU_SKIP_BROWSER_TESTS=1 skips them in the same way, GPUSUDOKU_SKIP_PYTHON_TESTS=1 all
# of Python, and GPUSUDOKU_SKIP_MPI_TESTS=1 all of MPI.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        echo "not root and no sudo: run as root: $*" >&2
        return 1
    fi
}

# Installs what is missing: what it is, what helps where there is no apt-get, the packages.
provide() {
    local what=$1 otherwise=$2
    shift 2
    if ! command -v apt-get >/dev/null; then
        echo "no $what found: $otherwise" >&2
        return 1
    fi
    echo "no $what: installing $*"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

have_browser() {
    [ -n "${GPUSUDOKU_CHROMIUM:-}" ] || command -v chromium chromium-browser google-chrome >/dev/null
}

have_adapter() {
    cargo run --quiet -- adapters --format json | grep -q '"name"'
}

core() {
    step "format"
    cargo fmt --check

    step "build"
    cargo build --all-targets

    step "adapter"
    if [ "${GPUSUDOKU_SKIP_GPU_TESTS:-}" = 1 ]; then
        echo "GPU tests are SKIPPED: GPUSUDOKU_SKIP_GPU_TESTS=1 is set"
    elif ! have_adapter; then
        provide "Vulkan adapter" "install a driver, for instance Mesa's lavapipe" \
            libvulkan1 mesa-vulkan-drivers
    fi
    cargo run --quiet -- adapters

    step "browser"
    if [ "${GPUSUDOKU_SKIP_BROWSER_TESTS:-}" = 1 ]; then
        echo "the test of reports in a browser is SKIPPED: GPUSUDOKU_SKIP_BROWSER_TESTS=1 is set"
    elif ! have_browser; then
        provide Chromium "install it, or name it in GPUSUDOKU_CHROMIUM" chromium fonts-dejavu-core
    fi

    step "lints"
    cargo clippy --all-targets -- -D warnings
    cargo clippy --lib --no-default-features -- -D warnings

    step "documentation"
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --quiet

    step "supply chain"
    if cargo deny --version >/dev/null 2>&1; then
        cargo deny check bans licenses sources
    else
        echo "SKIPPED: cargo-deny is not installed (cargo install cargo-deny --locked)"
    fi

    step "examples"
    cargo run --quiet --example solve
    cargo run --quiet --example own_algorithm
    cargo run --quiet --example own_kernel
    cargo run --quiet --example own_fitness
    [ "${GPUSUDOKU_SKIP_GPU_TESTS:-}" = 1 ] || cargo run --quiet --example evaluate

    step "instructions"
    command -v valgrind >/dev/null || provide valgrind "install it to have instructions counted" valgrind || true
    local counts=
    if command -v valgrind >/dev/null; then
        counts=$(benches/instructions.sh)
        echo "$counts"
    else
        echo "SKIPPED: valgrind is not installed"
    fi

    step "tests"
    cargo test

    if grep -q REGRESSION <<<"$counts"; then
        step "instructions, once more"
        grep REGRESSION <<<"$counts"
    fi
}

gpu() {
    step "the meter"
    if [ "${GPUSUDOKU_SKIP_GPU_TESTS:-}" = 1 ]; then
        echo "the meter is SKIPPED: GPUSUDOKU_SKIP_GPU_TESTS=1 is set"
        return
    fi
    compgen -G '/usr/share/vulkan/icd.d/radeon_icd*.json' >/dev/null ||
        provide "RADV, Mesa's driver for Radeons" "install it: it needs no Radeon" libvulkan1 mesa-vulkan-drivers
    cargo fmt --check --manifest-path tools/gpu-meter/Cargo.toml
    cargo test --release --quiet --manifest-path tools/gpu-meter/Cargo.toml
    benches/gpu.sh

    step "another driver"
    # Chromium brings one with subgroups of 4 lanes.
    local swiftshader
    swiftshader=$(find -L /usr/lib/chromium* /opt/google/chrome -name 'vk_swiftshader_icd.json' 2>/dev/null | head -n 1 || true)
    if [ -n "$swiftshader" ]; then
        VK_ICD_FILENAMES=$swiftshader VK_DRIVER_FILES=$swiftshader cargo run --quiet -- selftest --short --adapter SwiftShader
    else
        echo "SKIPPED: there is no SwiftShader (Debian's chromium has it)"
    fi
}

python() {
    step "Python"
    if [ "${GPUSUDOKU_SKIP_PYTHON_TESTS:-}" = 1 ]; then
        echo "the Python package is SKIPPED: GPUSUDOKU_SKIP_PYTHON_TESTS=1 is set"
        return
    fi
    python3 -c 'import ensurepip' 2>/dev/null ||
        provide "Python with venv" "install Python 3.9 or newer with its module venv" python3 python3-venv
    local -x CARGO_TARGET_DIR=$PWD/target
    cargo fmt --check --manifest-path python/Cargo.toml
    cargo clippy --manifest-path python/Cargo.toml -- -D warnings
    # Hashes are compared with those of the program, as the everyday tests have it.
    cargo test --no-run --test golden
    [ -x target/python/bin/pip ] || python3 -m venv target/python
    target/python/bin/pip install --quiet --disable-pip-version-check "./python[test]"
    (cd python && ../target/python/bin/python -m pytest --quiet)
}

web() {
    step "the page"
    cargo fmt --check --manifest-path web/Cargo.toml
    cargo fmt --check --manifest-path web/bindgen/Cargo.toml
    web/build.sh

    step "the page in a browser"
    if [ "${GPUSUDOKU_SKIP_BROWSER_TESTS:-}" = 1 ]; then
        echo "the tests of the page are SKIPPED: GPUSUDOKU_SKIP_BROWSER_TESTS=1 is set"
        return
    fi
    have_browser || provide Chromium "install it, or name it in GPUSUDOKU_CHROMIUM" chromium fonts-dejavu-core
    command -v npm >/dev/null || provide "Node.js with npm" "install it" nodejs npm
    (cd web && npm ci --no-audit --no-fund --silent && npm test --silent)
}

mpi() {
    step "MPI"
    if [ "${GPUSUDOKU_SKIP_MPI_TESTS:-}" = 1 ]; then
        echo "the tests with MPI are SKIPPED: GPUSUDOKU_SKIP_MPI_TESTS=1 is set"
        return
    fi
    if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
        if ! command -v apt-get >/dev/null; then
            echo "the tests with MPI are SKIPPED: there is no mpirun with mpicc, and no apt-get to install Open MPI"
            return
        fi
        # clang is for the bindings, which are made of MPI's headers.
        provide MPI "install Open MPI or MPICH, and libclang" libopenmpi-dev openmpi-bin libclang-dev clang
    fi
    cargo clippy --features mpi -- -D warnings
    cargo build --features mpi
    cp target/debug/gpusudoku target/gpusudoku-mpi
    tests/mpi.sh target/gpusudoku-mpi
}

platforms() {
    step "platforms"
    tests/platforms.sh
}

for part in "${@:-all}"; do
    case $part in
    all)
        core
        gpu
        # A core compiles the page while another one compiles the wheel. If that fails, `web` says why.
        web/build.sh toolchain
        web/build.sh >/dev/null 2>&1 &
        python
        wait || true
        web
        mpi
        # After the everyday tests are built, which it runs without AVX2 as well.
        platforms
        ;;
    core | gpu | web | python | mpi | platforms) "$part" ;;
    *)
        echo "there is no part $part: core, gpu, web, python, mpi or platforms" >&2
        exit 2
        ;;
    esac
done
