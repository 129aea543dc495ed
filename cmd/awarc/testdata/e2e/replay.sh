#!/usr/bin/env bash
# Crawls a site on which one page has several addresses, and has pywb replay it from
# awarc's own index: the copies, which are revisit records, must be the page.
#
#   replay.sh AWARC TOOLS     AWARC: the program; TOOLS: where pywb is installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
work=$(mktemp -d)
servers=
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT

mkdir "$work/site"
for n in 0 1 2 3 4; do
  mkdir "$work/site/$n"
  { echo "<html><title>a page</title>"; seq 1000; echo '<a href="/">up</a>'; } >"$work/site/$n/page.html"
  echo "<p><a href=\"/$n/page.html\">$n</a></p>" >>"$work/site/index.html"
done

# Prints a port that is free.
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Waits until a server answers.
until_up() {
  for _ in $(seq 300); do
    curl -s -o /dev/null "$1" && return
    sleep 0.2
  done
  echo "$1 does not answer" >&2
  exit 1
}

site=http://127.0.0.1:$(port)
python3 -m http.server --bind 127.0.0.1 --directory "$work/site" "${site##*:}" 2>/dev/null &
servers=$!
until_up "$site/"
"$awarc" crawl --delay 0 --min-space 0 --out "$work/crawl" "$site/"

mkdir -p "$work/wayback/collections/crawl/indexes"
cp -r "$work/crawl/archive" "$work/wayback/collections/crawl/archive"
cp "$work/crawl/archive/index.cdxj" "$work/wayback/collections/crawl/indexes/"
replay=http://127.0.0.1:$(port)
(cd "$work/wayback" && exec "$tools/pywb/bin/wayback" -b 127.0.0.1 -p "${replay##*:}" >"$work/wayback.log" 2>&1) &
servers="$servers $!"
until_up "$replay/"

revisits=0
for n in 0 1 2 3 4; do
  if ! curl -sf "$replay/crawl/id_/$site/$n/page.html" | cmp - "$work/site/$n/page.html"; then
    tail "$work/wayback.log" >&2
    exit 1
  fi
  if grep -q "/$n/page.html .*warc/revisit" "$work/crawl/archive/index.cdxj"; then revisits=$((revisits + 1)); fi
done
if [ "$revisits" != 4 ]; then
  echo "$revisits of 4 copies are revisits" >&2
  exit 1
fi
echo "pywb replayed $revisits revisits"
