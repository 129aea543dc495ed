#!/usr/bin/env bash
# Crawls a site of 1,200 pages with what three of them need to be seen, twice, packs both crawls as WACZ, and has other people's programs
# open them: py-wacz validates, packed.py reads them by the specification, pywb replays, and ReplayWeb.page shows the three pages in
# Chromium. The second crawl refers to the first, since the server answers that files were not modified; what is packed of it is whole.
#
# With AWARC_LONG=1, which make test-long sets, ReplayWeb.page also shows pages of a DokuWiki of Debian's packages.
#
#   packed.sh AWARC TOOLS     AWARC: the program; TOOLS: what tools.sh installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
servers=
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT

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

python3 - "$work/site" <<'PY'
import pathlib
import struct
import sys
import zlib

site = pathlib.Path(sys.argv[1])


def png(path, width, height, color):
    """A picture with stripes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(bytes(c if (x + y) // 8 % 2 else 255 - c for c in color) for x in range(width)) for y in range(height))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write(name, text):
    path = site / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


write("css/site.css", '@import url("type.css");\nbody { background: #eef url("../img/back.png"); margin: 2em }\n')
write("css/type.css", "h1 { color: rgb(160, 20, 20); font: bold 40px serif }\np { font: 18px/1.5 sans-serif; width: 600px }\n")
write("js/date.js", 'document.getElementById("by").textContent = "written by a script";\n')
for n, name in enumerate(["back", "one", "two", "three", "large"]):
    png(site / f"img/{name}.png", 64 + 32 * n, 48 + 16 * n, (40 * n, 90, 200 - 30 * n))
write("img/mark.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="teal"/></svg>\n')
for name, word in ("one", "heron"), ("two", "kestrel"), ("three", "plover"):
    write(f"{name}/index.html", f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>The {word} in winter</title><link rel="icon" href="/img/{name}.png">
<link rel="stylesheet" href="/css/site.css"><style>#by {{ color: rgb(0, 0, 160) }}</style></head>
<body><h1>The {word} in winter</h1><p>The {word} was seen at the weir on a cold morning, and stayed until the ice broke.</p>
<p><img src="/img/{name}.png" alt="a {word}"> <img src="/img/mark.svg" alt="mark">
<img src="/img/one.png" srcset="/img/large.png 1x" alt="large"></p><p id="by"></p><script src="/js/date.js"></script></body></html>
""")
links = "".join(f'<a href="/{name}/">{name}</a>\n' for name in ("one", "two", "three"))
for n in range(1200):
    if n % 40 == 0:
        links += f'<a href="/notes/{n}.html">notes from {n}</a>\n'
    following = "".join(f'<a href="/notes/{m}.html">{m}</a>\n' for m in range(n + 1, n + 40)) if n % 40 == 0 else ""
    write(f"notes/{n}.html", f"<html><head><title>Note {n}</title></head><body><p>Note {n} has a line of text.</p>{following}</body></html>\n")
write("index.html", f"<html><head><title>Notes</title></head><body><p>All notes.</p>{links}</body></html>\n")
PY
find "$work/site" -type f -exec touch -d "2 hours ago" {} +

site=http://127.0.0.1:$(port)
python3 -m http.server --bind 127.0.0.1 --directory "$work/site" "${site##*:}" >/dev/null 2>&1 &
servers=$!
until_up "$site/"
"$awarc" crawl --delay 0 --min-space 0 --requisites --out "$work/crawl" "$site/"
"$awarc" crawl --delay 0 --min-space 0 --requisites --previous "$work/crawl" --out "$work/again" "$site/"
for crawl in crawl again; do
  "$awarc" pack "$work/$crawl" -o "$work/$crawl.wacz"
  "$tools/pywb/bin/wacz" validate -f "$work/$crawl.wacz"
  "$tools/pywb/bin/python" "$here/packed.py" "$work/$crawl.wacz" "$work/$crawl"
  mkdir "$work/shots-$crawl"
  node "$here/replayweb.mjs" "$tools" "$work/$crawl.wacz" "$work/shots-$crawl" weir "$site/one/" "$site/two/" "$site/three/"
done

mkdir "$work/wayback"
cd "$work/wayback"
"$tools/pywb/bin/wb-manager" init crawl >/dev/null 2>&1
"$tools/pywb/bin/wb-manager" add --unpack-wacz crawl "$work/again.wacz" >/dev/null 2>&1
replay=http://127.0.0.1:$(port)
"$tools/pywb/bin/wayback" -b 127.0.0.1 -p "${replay##*:}" >"$work/wayback.log" 2>&1 &
servers="$servers $!"
until_up "$replay/"
for page in one/ two/ three/ css/type.css img/large.png $(seq -f 'notes/%.0f.html' 0 25 1199); do
  if ! curl -sf "$replay/crawl/id_/$site/$page" | cmp - "$work/site/$(echo "$page" | sed 's#/$#/index.html#')"; then
    echo "pywb does not replay $page from the WACZ file" >&2
    tail "$work/wayback.log" >&2
    exit 1
  fi
done
echo "py-wacz, pywb and ReplayWeb.page open the WACZ file"
[ -n "${AWARC_LONG-}" ] || exit 0

"$here/wiki.sh" install
port=$(port)
"$here/wiki.sh" serve dokuwiki "$work/wiki" "$port" >"$work/wiki.log" 2>&1 &
servers="$servers $!"
for _ in $(seq 600); do
  [ -e "$work/wiki/ready" ] && break
  sleep 1
done
echo '$conf["breadcrumbs"] = 0;' >>"$work/wiki/conf/local.php" # what a visitor saw before
wiki=http://127.0.0.1:$port/doku.php
until_up "$wiki"
"$awarc" crawl --delay 0 --min-space 0 --requisites --max-tries 1 --out "$work/handbook" "$wiki" || [ $? = 3 ]
"$awarc" pack "$work/handbook" -o "$work/handbook.wacz"
"$tools/pywb/bin/wacz" validate -f "$work/handbook.wacz"
"$tools/pywb/bin/python" "$here/packed.py" "$work/handbook.wacz" "$work/handbook"
mkdir "$work/shots-handbook"
node "$here/replayweb.mjs" "$tools" "$work/handbook.wacz" "$work/shots-handbook" preseeding "$wiki?id=advanced_administration:automated_installation" \
  "$wiki?id=advanced_administration:lvm" "$wiki"
echo "ReplayWeb.page shows a DokuWiki"
