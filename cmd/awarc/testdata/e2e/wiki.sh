#!/usr/bin/env bash
# Serves a wiki of Debian's packages with what fillwiki.php makes of the Debian Administrator's Handbook.
# What is not installed is installed.
#
#   wiki.sh install                              the packages
#   wiki.sh serve mediawiki|dokuwiki DIR PORT    everything goes to DIR; serves on 127.0.0.1:PORT until it is ended.
#                                                DIR/ready is written when all is there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

install() {
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  missing=
  [ -d /usr/share/mediawiki ] || missing=mediawiki
  [ -d /usr/share/dokuwiki ] || missing="$missing dokuwiki"
  [ -d /usr/share/doc/debian-handbook ] || missing="$missing debian-handbook"
  command -v php >/dev/null || missing="$missing php-cli"
  for module in sqlite3 intl mbstring xml; do
    php -m 2>/dev/null | grep -qx "$module" || missing="$missing php-$module"
  done
  [ -n "$missing" ] || return 0
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

mediawiki() {
  root=/usr/share/mediawiki
  export MW_CONFIG_FILE=$dir/LocalSettings.php
  php -d error_reporting=0 $root/maintenance/install.php --confpath "$dir" --dbtype sqlite --dbpath "$dir/data" --server "http://127.0.0.1:$port" --scriptpath "" \
    --pass no-password-of-use Handbook Editor >"$dir/install.log"
  cat >>"$MW_CONFIG_FILE" <<'PHP'
$wgDefaultSkin = 'vector';
$wgJobRunRate = 0;
$wgMainCacheType = CACHE_DB;
$wgEnableEmail = false;
PHP
  php "$here/fillwiki.php" mediawiki >"$dir/pages.xml"
  php -d error_reporting=0 $root/maintenance/importDump.php --no-updates --quiet "$dir/pages.xml" >"$dir/fill.log" 2>&1
  for task in rebuildall initSiteStats rebuildmessages; do php -d error_reporting=0 $root/maintenance/$task.php >>"$dir/fill.log" 2>&1; done
}

dokuwiki() {
  root=$dir/site
  cp -rL /usr/share/dokuwiki "$root" 2>/dev/null || true # links to files of packages that were left out
  cp -rL /etc/dokuwiki "$dir/conf"
  cp -r /var/lib/dokuwiki/data "$dir/data"
  cat >"$root/inc/preload.php" <<PHP
<?php
define('DOKU_CONF', '$dir/conf/');
PHP
  cat >"$dir/conf/local.php" <<PHP
<?php
\$conf['title'] = 'Handbook';
\$conf['savedir'] = '$dir/data';
\$conf['useacl'] = 0;
PHP
  rm -f "$root/install.php"
  php "$here/fillwiki.php" dokuwiki "$dir/data"
}

serve() {
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  $wiki
  cat >"$dir/router.php" <<'PHP'
<?php
// Scripts and files as they are, what follows a script as its path; all else is the front page.
$root = $_SERVER['DOCUMENT_ROOT'];
$path = urldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (preg_match('#^(.*?\.php)(/.*)?$#', $path, $m) && is_file($root . $m[1])) {
    $_SERVER['SCRIPT_NAME'] = $m[1];
    $_SERVER['PHP_SELF'] = $path;
    $_SERVER['SCRIPT_FILENAME'] = $root . $m[1];
    $_SERVER['PATH_INFO'] = $m[2] ?? '';
    chdir(dirname($root . $m[1]));
    require $root . $m[1];
    return true;
}
if (is_file($root . $path) || $path === '/') return false;
http_response_code(404);
PHP
  # What it started ends with it, PHP's workers too.
  trap 'kill -- -$web 2>/dev/null; wait' EXIT
  trap 'exit 0' INT TERM
  PHP_CLI_SERVER_WORKERS=2 setsid php -d error_reporting=0 -S "127.0.0.1:$port" -t "$root" "$dir/router.php" >"$dir/web.log" 2>&1 &
  web=$!
  touch "$dir/ready"
  wait $web
}

case ${1-} in
install) install ;;
serve) wiki=$2 dir=$3 port=$4; serve ;;
*) sed -n '2,8p' "$0" >&2; exit 2 ;;
esac
