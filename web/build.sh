#!/usr/bin/env bash
# Makes web/dist/, the page as static files: the library for WebAssembly, its bindings, and web/page/.
#
# rustc's own target is used if it is there (rustup target add wasm32-unknown-unknown); otherwise, on Debian, its
# toolchain for browsers (rustc-web and the sources of std), which is installed where there is apt-get.
#
# web/build.sh toolchain   only says which toolchain is taken, and installs it
# web/build.sh check       type-checks the library for WebAssembly, without a warning
set -euo pipefail
cd "$(dirname "$0")"

readonly TARGET=wasm32-unknown-unknown
# What the page may weigh: bytes of gzipped WebAssembly.
readonly MOST=2500000
# The oldest compiler that builds it, as in Cargo.toml.
readonly OLDEST=1.89

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install() {
    if ! command -v apt-get >/dev/null; then
        echo "no $1 found: $2" >&2
        exit 1
    fi
    echo "no $1: installing ${*:3}"
    shift 2
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Whether the compiler on the path has the target.
has_target() {
    rustc --print target-libdir --target "$TARGET" 2>/dev/null | xargs -I{} test -d {}
}

# Debian's compiler, which is not the one of rustup that may be first on the path.
debian_bin() {
    dpkg -L "$1" 2>/dev/null | grep -E "/bin/$2\$" | head -n 1
}

CARGO=(cargo)
toolchain() {
    if has_target; then
        RUSTC=$(command -v rustc)
    else
        if ! dpkg -s rustc-web cargo-web rust-web-src lld >/dev/null 2>&1; then
            install "compiler for $TARGET" "rustup target add $TARGET" rustc-web cargo-web rust-web-src lld
        fi
        RUSTC=$(debian_bin rustc-web rustc)
        # std is compiled from its sources, which is not yet a stable option.
        export RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
        CARGO=("$(debian_bin cargo-web cargo)" -Zbuild-std=std,panic_abort)
    fi
    export RUSTC
    local version
    version=$("$RUSTC" --version | cut -d' ' -f2)
    if [ "$(printf '%s\n' "$OLDEST" "$version" | sort -V | head -n 1)" != "$OLDEST" ]; then
        echo "$RUSTC is $version: expected $OLDEST or newer" >&2
        exit 1
    fi
    echo "toolchain: $RUSTC $version"
}

check() {
    RUSTFLAGS="-D warnings" "${CARGO[@]}" check --locked --target "$TARGET" --release
}

bindgen() {
    local locked wanted
    locked=$(grep -A1 '^name = "wasm-bindgen"$' Cargo.lock | sed -n 's/version = "\(.*\)"/\1/p')
    wanted=$(sed -n 's/.*support = "=\(.*\)"/\1/p' bindgen/Cargo.toml)
    if [ "$locked" != "$wanted" ]; then
        echo "web/Cargo.lock has wasm-bindgen $locked, web/bindgen has $wanted: expected the same" >&2
        exit 1
    fi
    # The machine's own compiler: this program runs here.
    env -u RUSTC -u RUSTC_BOOTSTRAP cargo run --quiet --locked --release --manifest-path bindgen/Cargo.toml -- "$@"
}

build() {
    RUSTFLAGS="-D warnings" "${CARGO[@]}" build --locked --target "$TARGET" --release
    # Made beside it and put into place whole: a server may be showing the old one.
    local made=target/dist
    rm -rf "$made"
    mkdir -p "$made"
    bindgen "target/$TARGET/release/gpusudoku_web.wasm" "$made"
    # No wasm-opt: docs/web.md has what it would gain.
    cp page/* "$made/"
    rm -rf dist
    mv "$made" dist
    local bytes
    bytes=$(gzip -9 -c dist/gpusudoku_bg.wasm | wc -c)
    echo "web/dist: $(wc -c <dist/gpusudoku_bg.wasm) bytes of WebAssembly, $bytes compressed"
    if [ "$bytes" -gt "$MOST" ]; then
        echo "expected at most $MOST compressed" >&2
        exit 1
    fi
}

toolchain
case ${1:-build} in
toolchain) ;;
check | build) "${1:-build}" ;;
*)
    echo "there is no $1: expected build, check or toolchain" >&2
    exit 2
    ;;
esac
