#!/usr/bin/env bash
# Crawls every test site as a user would, then has other people's tools read the
# result: npm warcio every record and every line of the index, rapper every quad.
#
#   readback.sh AWARC TOOLS     AWARC: the program; TOOLS: where warcio is installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
readback=$(realpath "$(dirname "$0")/../../../../engine/archive/testdata/readback.mjs")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$awarc" demo --out "$work/demo" --posts 60

crawls=0
for crawl in "$work"/demo/*/; do
  (cd "$tools" && node "$readback" "$crawl")
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
echo "$crawls crawls read back by warcio and rapper"
