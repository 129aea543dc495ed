#!/bin/sh
# Unpacks the Debian packages of which corpora.Packaged makes corpora, without installing
# them.
#
#   tools.sh DIR     the packages' files go below DIR
set -eu
dir=$1
[ -e "$dir/complete" ] && exit 0

mkdir -p "$dir"
if ! apt-cache policy ieee-data | grep -q 'Candidate: [0-9]'; then
  if [ "$(id -u)" = 0 ]; then apt-get update -qq; else sudo apt-get update -qq; fi
fi
cd "$dir"
apt-get download -qq ieee-data iso-codes kanjidic edict fortunes fortunes-de scid-data miscfiles pci.ids dict-jargon
for package in *.deb; do
  dpkg -x "$package" .
  rm "$package"
done
touch complete
