#!/usr/bin/env bash
# Builds the plugin of each language with the commands of the SDKs; `make plugins` does it.
#
#   build.sh AWARC ASC OUT
set -eu
cd "$(dirname "$0")"
awarc=$1 asc=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp echo.* plugin.json ../../sdk/c/awarc.h ../../sdk/rust/awarc.rs ../../sdk/assemblyscript/awarc.ts "$work"
cd "$work"
clang --target=wasm32 -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -mbulk-memory -Wl,--no-entry,--strip-debug -o c-echo.wasm echo.c
"${RUSTC:-rustc}" --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown -O -D warnings -C panic=abort -C strip=debuginfo -C linker=wasm-ld -o rust-echo.wasm echo.rs
"$asc" echo.ts -O3 --runtime stub --exportStart _initialize -o as-echo.wasm
for lang in c rust as; do
  "$awarc" plugin pack "$lang-echo.wasm" plugin.json -o "$out/$lang-echo.wasm"
done
