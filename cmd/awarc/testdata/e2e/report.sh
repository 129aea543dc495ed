#!/usr/bin/env bash
# Crawls a test forum up to a limit, makes the report as one file of HTML, and has Chromium open it from disk, wide and on a phone, light
# and dark, with scripts and without: see report.mjs.
#
#   report.sh AWARC TOOLS     AWARC: the program; TOOLS: what tools.sh installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT

port=$("$here/port.sh")
"$awarc" testsite --cms phpbb --template prosilver --posts 300 --listen "127.0.0.1:$port" >/dev/null &
server=$!
for _ in $(seq 300); do
  curl -s -o /dev/null "http://127.0.0.1:$port/" && break
  sleep 0.2
done
"$awarc" crawl --delay 0 --min-space 0 --limit 25 --out "$work/crawl" "http://127.0.0.1:$port/" >/dev/null 2>&1 || [ $? = 4 ]
"$awarc" report "$work/crawl" -o "$work/report.html"
node "$here/report.mjs" "$tools" "$work/report.html"
echo "the report opens in Chromium"
