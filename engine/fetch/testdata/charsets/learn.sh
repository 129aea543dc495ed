#!/usr/bin/env bash
# Learns ../../letters.txt anew: how likely letters of languages and characters of East
# Asia are, from translations that Debian distributes. It needs root's apt-get, unzip
# and about 1 GB below DIR.
#
#   learn.sh DIR
set -eu
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir/deb" "$dir/text"
cd "$dir/deb"
apt-get download \
  firefox-esr-l10n-{ar,bg,cs,da,de,el,es-es,et,fi,fr,he,hr,hu,it,ja,ko,lt,lv,nb-no,nl,pl,pt-br,ro,ru,sk,sl,sv-se,th,tr,uk,vi,zh-cn,zh-tw} \
  thunderbird-l10n-{ar,el,tr,ja,ko,zh-cn,zh-tw,ru,pl,he,th} \
  libreoffice-help-{ja,ko,zh-cn,zh-tw,ru,el,tr,pl,cs,hu,de,fr,sv}
for deb in *.deb; do
  dpkg-deb -x "$deb" "$dir/x"
done
for pack in "$dir"/x/usr/lib/*/*/extensions/langpack-*.xpi "$dir"/x/usr/lib/*/extensions/langpack-*.xpi; do
  [ -e "$pack" ] || continue
  name=$(basename "$pack")
  lang=${name#langpack-} lang=${lang%%@*}
  unzip -p "$pack" '*.ftl' '*.properties' 2>/dev/null | sed 's/^[^=]*= *//' >>"$dir/text/$lang" || true
done
for help in "$dir"/x/usr/share/libreoffice/help/*/text; do
  lang=$(basename "$(dirname "$help")")
  find "$help" -name '*.html' -exec cat {} + | sed 's/<[^>]*>/ /g' >>"$dir/text/$lang"
done
cd "$here"
go run . "$dir/text" >../../letters.txt
