#!/usr/bin/env bash
# Crawls a site on which one page has several addresses, and a WordPress with permalinks, and has
# pywb replay them from awarc's own index: the copies, which are revisit records, must be the page,
# and 50 pages of the WordPress what it serves.
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

blog=http://127.0.0.1:$(port)
"$awarc" testsite --cms wordpress --posts 300 --listen "${blog##*/}" >"$work/blog.log" 2>&1 &
servers="$servers $!"
until_up "$blog/"
"$awarc" crawl --delay 0 --min-space 0 --out "$work/blog" "$blog/"

for crawl in crawl blog; do
  mkdir -p "$work/wayback/collections/$crawl/indexes"
  cp -r "$work/$crawl/archive" "$work/wayback/collections/$crawl/archive"
  cp "$work/$crawl/archive/index.cdxj" "$work/wayback/collections/$crawl/indexes/"
done
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

pages=0
for page in $(grep -o '"url":"[^"]*/","mime":"text/html","status":"200"' "$work/blog/archive/index.cdxj" | cut -d'"' -f4 | head -n 50); do
  curl -sf "$page" >"$work/page"
  if ! curl -sf "$replay/blog/id_/$page" | cmp - "$work/page"; then
    echo "pywb does not replay $page" >&2
    tail "$work/wayback.log" >&2
    exit 1
  fi
  pages=$((pages + 1))
done
if [ "$pages" != 50 ]; then
  echo "$pages of 50 pages replayed" >&2
  exit 1
fi
echo "pywb replayed $revisits revisits and $pages pages of a WordPress"
