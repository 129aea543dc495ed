#!/usr/bin/env bash
# Installs what only tests need: a C compiler for the race detector, xz for the
# mirrors of real sites, and for the end-to-end scripts node with npm, the warcio
# package, rapper and xmllint. What is there already is used.
#
#   tools.sh DIR     the warcio package goes to DIR
set -eu
dir=$1

install() {
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

missing=
command -v gcc >/dev/null || missing="$missing gcc libc6-dev" # for the race detector
command -v xz >/dev/null || missing="$missing xz-utils"
command -v rapper >/dev/null || missing="$missing raptor2-utils"
command -v xmllint >/dev/null || missing="$missing libxml2-utils"
command -v npm >/dev/null || missing="$missing nodejs npm"
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086
  install $missing
fi

mkdir -p "$dir"
if [ ! -d "$dir/node_modules/warcio" ]; then
  (cd "$dir" && echo '{"private": true}' >package.json && npm install --silent --no-audit --no-fund warcio@2.4.11)
fi
