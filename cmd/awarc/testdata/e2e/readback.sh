#!/usr/bin/env bash
# Crawls every test site as a user would, one of them killed again and again, and, twice, files of a server that knows what was not
# modified and the mirrors of real sites where they are; then has other people's tools read the result: npm warcio, PyPI warcio and
# jwarc every record, cdxj-indexer every line of the index, rapper, Jena's riot and oxigraph every quad, Jena's
# shacl what things carry, owlrl that graphs are consistent with SIOC, py-wacz what is packed of it.
#
# With AWARC_LONG=1, which make test-long sets, mirrors are crawled with what pages need and killed, too, and pywb serves 50 pages of
# each from awarc's own index as the mirrors do.
#
#   readback.sh AWARC TOOLS     AWARC: the program; TOOLS: what tools.sh installed
set -eu
awarc=$(realpath "$1")
tools=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../../../..")
readback=$root/engine/archive/testdata/readback
sites=$root/../shared/sites
work=$(mktemp -d)
crawls=$work/crawls
servers=
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT

# Starts a server that prints its address first, which is in $site then.
serve() {
  "$@" >"$work/server.log" 2>/dev/null &
  servers="$servers $!"
  site=
  for _ in $(seq 600); do
    site=$(grep -o 'http://[0-9.:]*' "$work/server.log" | head -n 1)
    [ -z "$site" ] || return 0
    sleep 0.1
  done
  echo "$1 does not serve" >&2
  exit 1
}

# crawl NAME SITE FLAGS...; what pages need may be on hosts that are not there, which is status 3. NAME-again is crawled after NAME.
crawl() {
  name=$1
  shift
  case $name in *-again) set -- "$@" --previous "$crawls/${name%-again}" ;; esac
  "$awarc" crawl --delay 0 --min-space 0 --out "$crawls/$name" "$@" || [ $? = 3 ]
}

# Crawls as crawl does, and kills the crawl again and again.
killed() {
  name=$1
  shift
  kills=0
  "$awarc" crawl --delay 0 --min-space 0 --out "$crawls/$name" "$@" >"$work/killed.log" 2>&1 &
  for _ in $(seq 600); do # what has made no folder yet cannot be resumed
    [ ! -s "$crawls/$name/log/crawl.jsonl" ] || break
    sleep 0.1
  done
  for pause in 0.6 0.3 0.9 0.4 0.7 0.5; do
    crawl=$!
    sleep $pause
    kill -9 $crawl 2>/dev/null || break
    wait $crawl 2>/dev/null || true
    kills=$((kills + 1))
    "$awarc" resume "$crawls/$name" >"$work/killed.log" 2>&1 &
  done
  wait $! || [ $? = 3 ] || { cat "$work/killed.log" >&2; exit 1; }
  if [ $kills -lt 3 ]; then
    echo "the crawl of $name was killed only $kills times" >&2
    exit 1
  fi
  echo "$name was killed $kills times"
}

# shacl FILE: whether Jena says that triples carry what the vocabulary promises; those of mirrors also what they usually have.
shacl() {
  java -cp "$tools"/jena-fuseki-server-*.jar shacl.shacl validate --shapes "$work/vocabulary.ttl" --data "$1" >"$work/report.ttl"
  case $(basename "$crawl") in phpbb-3.3-prosilver* | wordpress-6*) wrong='sh:conforms *false' ;; *) wrong=sh:Violation ;; esac
  ! grep -B 6 "$wrong" "$work/report.ttl" >&2
}

"$awarc" graph vocabulary >"$work/vocabulary.ttl"
rapper -q -c -i turtle "$work/vocabulary.ttl"
java -cp "$tools"/jena-fuseki-server-*.jar riotcmd.riot --validate --strict "$work/vocabulary.ttl"
"$awarc" demo --out "$crawls" --posts 60
serve "$awarc" testsite --cms phpbb --posts 3000 --listen 127.0.0.1:0
killed killed "$site/"

serve python3 -u -m http.server --bind 127.0.0.1 --directory "$root/docs" 0
crawl docs "$site/"
crawl brackets "$site/?f[]=1&x=%zz" # which is no IRI
crawl docs-again "$site/"
zcat "$crawls"/docs-again/archive/*.warc.gz | grep -aq 'WARC-Profile: .*/server-not-modified'

mirrors=
if [ -d "$sites/replay" ]; then
  (cd "$sites/replay" && go build -o "$work/replay" .)
  while read -r mirror drop; do
    serve "$work/replay" -warc "$sites/$mirror.warc.xz" -listen 127.0.0.1:0 -drop "$drop"
    mirrors="$mirrors $mirror $mirror-again"
    crawl "$mirror" "$site/"
    crawl "$mirror-again" "$site/"
    [ -n "${AWARC_LONG-}" ] || continue
    mirrors="$mirrors $mirror-requisites $mirror-requisites-again $mirror-killed"
    crawl "$mirror-requisites" "$site/" --requisites --max-tries 1
    crawl "$mirror-requisites-again" "$site/" --requisites --max-tries 1
    killed "$mirror-killed" "$site/"
  done <<'END'
phpbb-3.3-prosilver sid
wordpress-6.1-twentytwentyone
wordpress-6.1-twentytwentythree
END
else
  echo "the mirrors of real sites are not in ../shared/sites"
fi

count=0
for crawl in "$crawls"/*/; do
  crawl=${crawl%/}
  (cd "$tools" && node "$readback.mjs" "$crawl" "${crawl%-again}")
  "$tools/pywb/bin/python" "$readback.py" "$crawl"
  "$awarc" warc verify "$crawl"/archive/*.warc.gz
  for quads in "$crawl"/graph/*.nq.gz; do
    gzip -dc "$quads" | rapper -q -c -i nquads - "http://base.invalid/"
  done
  "$tools/pywb/bin/python" "$root/engine/graph/testdata/oxigraph.py" "$crawl"/graph/*.nq.gz
  "$awarc" query --crawl "$crawl" --format nt 'CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }' >"$work/crawl.nt"
  shacl "$work/crawl.nt" || { echo "the graph of $crawl does not carry what awarc graph vocabulary promises" >&2; exit 1; }
  "$tools/pywb/bin/python" "$root/engine/graph/testdata/owl.py" "$root/engine/graph/testdata/sioc.ttl" "$work/vocabulary.ttl" "$work/crawl.nt"
  "$awarc" pack "$crawl" -o "$work/packed.wacz"
  "$tools/pywb/bin/wacz" validate -f "$work/packed.wacz"
  "$tools/pywb/bin/python" "$here/packed.py" "$work/packed.wacz" "$crawl"
  count=$((count + 1))
done
if [ "$count" -lt 3 ]; then
  echo "only $count crawls were read back" >&2
  exit 1
fi
grep -v '#wasGeneratedBy>' "$work/crawl.nt" >"$work/less.nt"
if shacl "$work/less.nt" 2>"$work/less.log"; then
  echo "captures without a crawl are taken for whole ones" >&2
  exit 1
fi
java -cp "$tools"/jena-fuseki-server-*.jar riotcmd.riot --validate --strict "$crawls"/*/graph/*.nq.gz
java -jar "$tools"/jwarc-*.jar validate "$crawls"/*/archive/*.warc.gz
echo "$count crawls read back by warcio, cdxj-indexer, jwarc, rapper, riot, oxigraph and py-wacz"
[ -n "${AWARC_LONG-}" ] || exit 0

# A collection of pywb holds a crawl, with the earlier one that its revisits may refer to.
for name in $mirrors; do
  collection=$work/wayback/collections/$name
  mkdir -p "$collection/indexes" "$collection/archive"
  for crawl in "$crawls/$name" "$crawls/${name%-again}"; do
    cp "$crawl"/archive/*.warc.gz "$collection/archive/"
    cp "$crawl/archive/index.cdxj" "$collection/indexes/$(basename "$crawl").cdxj"
  done
done
port=$("$here/port.sh")
(cd "$work/wayback" && exec "$tools/pywb/bin/wayback" -b 127.0.0.1 -p "$port" >"$work/wayback.log" 2>&1) &
servers="$servers $!"
for _ in $(seq 300); do
  curl -s -o /dev/null "http://127.0.0.1:$port/" && break
  sleep 0.2
done
now=$(date -u +%Y%m%d%H%M%S)
for name in $mirrors; do
  grep -E '"mime":"(text/html|warc/revisit)","status":"(200|304)"' "$crawls/$name/archive/index.cdxj" | grep -o '"url":"[^"]*"' |
    cut -d'"' -f4 | grep -v '/robots.txt$' | sort -u | shuf -n 50 --random-source="$readback.py" >"$work/pages"
  while read -r page; do
    curl -sf "$page" >"$work/page"
    if ! curl -sf "http://127.0.0.1:$port/$name/${now}id_/$page" | cmp - "$work/page"; then
      echo "pywb does not replay $page of $name" >&2
      tail "$work/wayback.log" >&2
      exit 1
    fi
  done <"$work/pages"
  echo "pywb replayed $(wc -l <"$work/pages") pages of $name"
  [ "$(wc -l <"$work/pages")" = 50 ]
done
