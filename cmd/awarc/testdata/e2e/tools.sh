#!/usr/bin/env bash
# Installs what only tests need: a C compiler for the race detector, xz for the
# mirrors of real sites, strace for power cuts, wget, Redis for crawls of several nodes, for the end-to-end scripts node with npm, the warcio
# package, ReplayWeb.page with Chromium and what drives it, rapper, xmllint, pywb, cdxj-indexer, py-wacz, oxigraph, jwarc and Fuseki with
# Java and Maven, and for plugins clang with lld, Rust with its library for WebAssembly, and AssemblyScript. What is there already is used.
#
#   tools.sh DIR     the packages of npm go to DIR
set -eu
dir=$1

install() {
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Whether a rustc, of rustup or of Debian, can build for WebAssembly.
rust_for_wasm() {
  for rustc in rustc /usr/bin/rustc; do
    lib=$("$rustc" --print target-libdir --target wasm32-unknown-unknown 2>/dev/null) || continue
    ls "$lib"/libcore-* >/dev/null 2>&1 && return 0
  done
  return 1
}

missing=
command -v gcc >/dev/null || missing="$missing gcc libc6-dev" # for the race detector
command -v xz >/dev/null || missing="$missing xz-utils"
command -v rapper >/dev/null || missing="$missing raptor2-utils"
command -v strace >/dev/null || missing="$missing strace" # for power cuts
command -v redis-server >/dev/null || missing="$missing redis-server redis-tools" # for crawls of several nodes
command -v xmllint >/dev/null || missing="$missing libxml2-utils"
command -v npm >/dev/null || missing="$missing nodejs npm"
python3 -c "import ensurepip" 2>/dev/null || missing="$missing python3 python3-venv"
command -v wget >/dev/null || missing="$missing wget" # whose requisites ours are held to
command -v curl >/dev/null || missing="$missing curl"
command -v chromium >/dev/null || missing="$missing chromium"
command -v java >/dev/null || missing="$missing default-jre-headless"
command -v mvn >/dev/null || missing="$missing maven"
command -v clang >/dev/null || missing="$missing clang"
command -v wasm-ld >/dev/null || missing="$missing lld"
rust_for_wasm || missing="$missing rustc libstd-rust-dev-wasm32"
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086
  install $missing
fi

mkdir -p "$dir"
# ReplayWeb.page (AGPL) is used as it is published, by tests alone; it asks for a later warcio, which it does not use at run time.
if [ ! -d "$dir/node_modules/replaywebpage" ] || [ ! -d "$dir/node_modules/playwright-core" ] ||
  [ ! -d "$dir/node_modules/axe-core" ] || [ ! -e "$dir/node_modules/.bin/asc" ]; then
  (cd "$dir" && echo '{"private": true, "overrides": {"warcio": "2.4.11"}}' >package.json &&
    npm install --silent --no-audit --no-fund --ignore-scripts warcio@2.4.11 assemblyscript@0.28.20 replaywebpage@2.5.3 playwright-core@1.65.1 axe-core@4.14.1)
fi

# pywb, which replays what was archived, cdxj-indexer, whose index ours is held to, py-wacz, which validates what is packed, and oxigraph,
# which reads graphs.
if [ ! -x "$dir/pywb/bin/wayback" ] || [ ! -x "$dir/pywb/bin/cdxj-indexer" ] || [ ! -x "$dir/pywb/bin/wacz" ] ||
  ! "$dir/pywb/bin/python" -c "import owlrl, pyoxigraph" 2>/dev/null; then
  python3 -m venv "$dir/pywb" && "$dir/pywb/bin/pip" install -q pywb==2.10.0 cdxj-indexer==1.5.0 wacz==0.6.0 pyoxigraph==0.5.13 owlrl==7.6.2
fi

# jwarc, which knows the grammar of WARC headers best.
if [ ! -e "$dir/jwarc-0.36.0.jar" ]; then
  mvn -q dependency:copy -Dartifact=org.netpreserve:jwarc:0.36.0 -DoutputDirectory="$dir"
fi

# Fuseki, the SPARQL server that graphs are pushed into, with Jena's other programs.
if [ ! -e "$dir/jena-fuseki-server-5.2.0.jar" ]; then
  mvn -q dependency:copy -Dartifact=org.apache.jena:jena-fuseki-server:5.2.0 -DoutputDirectory="$dir"
fi

# html5lib-tests, which lie in the source of PyPI's html5lib: what encodings browsers
# take pages to be in. Without them the test that reads them is skipped.
if [ ! -d "$dir/html5lib-tests" ] && python3 -m venv "$dir/venv" >/dev/null 2>&1; then
  if "$dir/venv/bin/pip" install -q setuptools wheel && "$dir/venv/bin/pip" download -q --no-deps --no-build-isolation --no-binary :all: -d "$dir" html5lib==1.1; then
    mkdir -p "$dir/html5lib-tests"
    tar xzf "$dir/html5lib-1.1.tar.gz" -C "$dir/html5lib-tests" --strip-components=4 html5lib-1.1/html5lib/tests/testdata
  fi
  rm -rf "$dir/venv"
fi
