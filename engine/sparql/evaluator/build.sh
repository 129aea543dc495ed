#!/usr/bin/env bash
# Builds ../evaluator.wasm with a Rust that has the target wasm32-wasip1 (rustup target add wasm32-wasip1), and writes ../evaluator.sum:
# the checksums of what it was built from and of itself, and the compiler. Two builds by one compiler are equal, wherever they run.
#
#   build.sh TARGET-DIR [OUTPUT-DIR]
set -euo pipefail
cd "$(dirname "$0")"
target=$(realpath -m "$1")
out=$(realpath -m "${2:-..}")
home=${CARGO_HOME:-$HOME/.cargo}
export RUSTFLAGS="-C target-feature=+simd128 --remap-path-prefix=$home=/cargo --remap-path-prefix=$PWD=/evaluator"
cargo build --quiet --locked --release --target wasm32-wasip1 --target-dir "$target"
mkdir -p "$out"
cp "$target/wasm32-wasip1/release/evaluator.wasm" "$out/"
{
  cat Cargo.toml Cargo.lock src/*.rs | sha256sum | sed 's/ .*/ sources/'
  sha256sum <"$out/evaluator.wasm" | sed 's/ .*/ evaluator.wasm/'
  rustc --version
} >"$out/evaluator.sum"
