#!/usr/bin/env bash
# Passes every check of the project on a fresh machine with Rust: installs a software Vulkan
# driver where there is no adapter (Debian and Ubuntu), then runs fmt, clippy, docs and all tests.
#
# GPU tests fail without an adapter. GPUSUDOKU_SKIP_GPU_TESTS=1 skips them, and says so.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        echo "not root and no sudo: run as root: $*" >&2
        return 1
    fi
}

have_adapter() {
    cargo run --quiet -- adapters --format json | grep -q '"name"'
}

step "format"
cargo fmt --check

step "build"
cargo build --all-targets

step "adapter"
if [ "${GPUSUDOKU_SKIP_GPU_TESTS:-}" = 1 ]; then
    echo "GPU tests are SKIPPED: GPUSUDOKU_SKIP_GPU_TESTS=1 is set"
elif ! have_adapter; then
    if ! command -v apt-get >/dev/null; then
        echo "no Vulkan adapter found: install a driver, for instance Mesa's lavapipe" >&2
        exit 1
    fi
    echo "no Vulkan adapter: installing Mesa's software driver"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends libvulkan1 mesa-vulkan-drivers >/dev/null
fi
cargo run --quiet -- adapters

step "lints"
cargo clippy --all-targets -- -D warnings
cargo clippy --lib --no-default-features -- -D warnings

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --quiet

step "WebAssembly"
if rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null | xargs -I{} test -d {}; then
    cargo check --lib --no-default-features --target wasm32-unknown-unknown
else
    echo "SKIPPED: the target is not installed (rustup target add wasm32-unknown-unknown)"
fi

step "examples"
cargo run --quiet --example solve
cargo run --quiet --example own_algorithm

step "tests"
cargo test
