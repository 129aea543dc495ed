#!/usr/bin/env bash
# Crawls every test site as a user would, and the mirrors of real sites where they are twice, then has
# other people's tools read the result: npm warcio, PyPI warcio and jwarc every record, cdxj-indexer
# every line of the index, rapper every quad.
#
#   readback.sh AWARC TOOLS     AWARC: the program; TOOLS: what tools.sh installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
root=$(realpath "$(dirname "$0")/../../../..")
readback=$root/engine/archive/testdata/readback
sites=$root/../shared/sites
work=$(mktemp -d)
servers=
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT

"$awarc" demo --out "$work/demo" --posts 60

# Crawls again what was crawled.
again() {
  "$awarc" crawl --delay 0 --min-space 0 --previous "$1" --out "$1-again" "$2"
}

# Crawls a mirror: its file and the parameter that its server ignores.
mirror() {
  "$work/replay" -warc "$sites/$1.warc.xz" -listen 127.0.0.1:0 -drop "$2" >"$work/$1.log" 2>/dev/null &
  servers="$servers $!"
  for _ in $(seq 300); do
    if grep -q '^http' "$work/$1.log"; then break; fi
    sleep 0.1
  done
  "$awarc" crawl --delay 0 --min-space 0 --out "$work/demo/$1" "$(head -n 1 "$work/$1.log" | cut -d' ' -f1)"
  again "$work/demo/$1" "$(head -n 1 "$work/$1.log" | cut -d' ' -f1)"
}
if [ -d "$sites/replay" ]; then
  (cd "$sites/replay" && go build -o "$work/replay" .)
  mirror phpbb-3.3-prosilver sid
  mirror wordpress-6.1-twentytwentyone ""
  mirror wordpress-6.1-twentytwentythree ""
else
  echo "the mirrors of real sites are not in ../shared/sites"
fi

# A server that answers that files are not modified.
docs=http://127.0.0.1:$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 -m http.server --bind 127.0.0.1 --directory "$root/docs" "${docs##*:}" 2>/dev/null &
servers="$servers $!"
for _ in $(seq 300); do
  if curl -s -o /dev/null "$docs/"; then break; fi
  sleep 0.1
done
"$awarc" crawl --delay 0 --min-space 0 --out "$work/demo/docs" "$docs/"
again "$work/demo/docs" "$docs/"
zcat "$work"/demo/docs-again/archive/*.warc.gz | grep -aq 'WARC-Profile: .*/server-not-modified'

crawls=0
for crawl in "$work"/demo/*/; do
  earlier=${crawl%/}
  (cd "$tools" && node "$readback.mjs" "$crawl" "${earlier%-again}")
  "$tools/pywb/bin/python" "$readback.py" "$crawl"
  "$awarc" warc verify "$crawl"/archive/*.warc.gz
  for quads in "$crawl"/graph/*.nq.gz; do
    gzip -dc "$quads" | rapper -q -c -i nquads - "http://base.invalid/"
  done
  crawls=$((crawls + 1))
done
if [ "$crawls" -lt 3 ]; then
  echo "only $crawls crawls were read back" >&2
  exit 1
fi
java -jar "$tools"/jwarc-*.jar validate "$work"/demo/*/archive/*.warc.gz
echo "$crawls crawls read back by warcio, cdxj-indexer, jwarc and rapper"
