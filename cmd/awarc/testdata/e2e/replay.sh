#!/usr/bin/env bash
# Crawls a site on which one page has several addresses, and a WordPress with permalinks, each twice,
# and has pywb replay them from awarc's own indexes: the copies, which are revisit records, must be the
# page, and 50 pages of the WordPress what it serves, as they were found by the first crawl and by the second.
# That refers to the first: the site answers that it was not modified, the WordPress with equal pages.
#
#   replay.sh AWARC TOOLS     AWARC: the program; TOOLS: where pywb is installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
servers=
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT

mkdir "$work/site"
for n in 0 1 2 3 4; do
  mkdir "$work/site/$n"
  { echo "<html><title>a page</title>"; seq 1000; echo '<a href="/">up</a>'; } >"$work/site/$n/page.html"
  echo "<p><a href=\"/$n/page.html\">$n</a></p>" >>"$work/site/index.html"
done
find "$work/site" -type f -exec touch -d "2 hours ago" {} +

port() { "$here/port.sh"; }

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

blog=http://127.0.0.1:$(port)
"$awarc" testsite --cms wordpress --posts 300 --listen "${blog##*/}" >"$work/blog.log" 2>&1 &
servers="$servers $!"
until_up "$blog/"
"$awarc" crawl --delay 0 --min-space 0 --out "$work/blog" "$blog/"
between=$(date -u +%Y%m%d%H%M%S)
sleep 1.1
"$awarc" crawl --delay 0 --min-space 0 --previous "$work/crawl" --out "$work/crawl-2" "$site/"
"$awarc" crawl --delay 0 --min-space 0 --previous "$work/blog" --out "$work/blog-2" "$blog/"
if [ "$(zcat "$work"/crawl-2/archive/*.warc.gz | grep -ac 'WARC-Profile: .*/server-not-modified')" != 6 ]; then
  echo "the second crawl has other than 6 records of what was not modified" >&2
  exit 1
fi

for crawl in crawl blog; do
  for archive in "$crawl" "$crawl-2"; do
    mkdir -p "$work/wayback/collections/$crawl/indexes" "$work/wayback/collections/$crawl/archive"
    cp "$work/$archive"/archive/*.warc.gz "$work/wayback/collections/$crawl/archive/"
    cp "$work/$archive/archive/index.cdxj" "$work/wayback/collections/$crawl/indexes/$archive.cdxj"
  done
done
replay=http://127.0.0.1:$(port)
(cd "$work/wayback" && exec "$tools/pywb/bin/wayback" -b 127.0.0.1 -p "${replay##*:}" >"$work/wayback.log" 2>&1) &
servers="$servers $!"
until_up "$replay/"

# Compares what pywb replays of a crawl, as it was found before and after a time, with a file.
replays() {
  for when in "$between" "$(date -u +%Y%m%d%H%M%S)"; do
    if ! curl -sf "$replay/$1/${when}id_/$2" | cmp - "$3"; then
      echo "pywb does not replay $2 as of $when" >&2
      tail "$work/wayback.log" >&2
      exit 1
    fi
  done
}

revisits=0
for n in 0 1 2 3 4; do
  replays crawl "$site/$n/page.html" "$work/site/$n/page.html"
  revisits=$((revisits + $(cat "$work"/crawl*/archive/index.cdxj | grep -c "/$n/page.html .*warc/revisit")))
done
if [ "$revisits" != 9 ]; then
  echo "$revisits of 9 copies are revisits" >&2
  exit 1
fi

pages=0
for page in $(grep -o '"url":"[^"]*/","mime":"text/html","status":"200"' "$work/blog/archive/index.cdxj" | cut -d'"' -f4 | head -n 50); do
  curl -sf "$page" >"$work/page"
  replays blog "$page" "$work/page"
  pages=$((pages + 1))
done
if [ "$pages" != 50 ]; then
  echo "$pages of 50 pages replayed" >&2
  exit 1
fi
echo "pywb replayed $revisits revisits, 5 of them of what was not modified, and $pages pages of a WordPress twice"
