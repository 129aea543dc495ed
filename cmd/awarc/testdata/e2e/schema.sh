#!/usr/bin/env bash
# Has another validator read the schema of knowledge bases: it must take every
# built-in file and the worked example, and refuse damaged ones.
#
#   schema.sh AWARC     AWARC: the program
set -eu
awarc=$(realpath "$1")
kb=$(realpath "$(dirname "$0")/../../../../kb")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$awarc" kb schema >"$work/awarc-kb.xsd"
valid() { xmllint --noout --schema "$work/awarc-kb.xsd" "$1" >"$work/log" 2>&1; }

files=0
for file in "$kb"/builtin/*.xml "$kb"/testdata/tutorial/*.xml; do
  valid "$file" || { cat "$work/log" >&2; exit 1; }
  files=$((files + 1))
done

example=$kb/testdata/tutorial/slipway.xml
refused=0
for damage in 's/<urls>/<url>/;s/<\/urls>/<\/url>/' 's/weak="yes"/weak="maybe"/' 's/kind="terminal"/kind="final"/' 's/class="sioc:Post"/class="Post"/' \
  's/ to="topic"//' 's/as="date"/as="time"/' 's/id="slipway"/id="Slip way"/' 's/objects="3"/objects="many"/' 's/<paging param="from"/<paging parm="from"/' \
  's/name="created"/name="creator"/' 's/<pattern>.*generator.*/<pattern><\/pattern>/' 's/<drop param="seen"\/>/<drop param="seen">s<\/drop>/'; do
  sed "$damage" "$example" >"$work/damaged.xml"
  if cmp -s "$example" "$work/damaged.xml"; then echo "no damage done by $damage" >&2; exit 1; fi
  if valid "$work/damaged.xml"; then echo "the schema takes what $damage makes" >&2; exit 1; fi
  if "$awarc" kb lint --alone "$work/damaged.xml" >/dev/null 2>&1; then echo "awarc takes what $damage makes" >&2; exit 1; fi
  refused=$((refused + 1))
done
echo "the schema takes $files files and refuses $refused damaged ones, as xmllint reads it"
