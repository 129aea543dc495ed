#!/usr/bin/env bash
# Serves a WordPress of Debian's packages over a MariaDB of its own, and what there is of
# them is filled by fill.php. What is not installed is installed.
#
#   wordpress.sh install          the packages
#   wordpress.sh serve DIR PORT   everything goes to DIR; serves on 127.0.0.1:PORT until it is
#                                 ended. DIR/truth.json, written when all is there, lists the
#                                 objects of the database.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

install() {
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  missing=
  [ -d /usr/share/wordpress/wp-content/themes/twentytwentyone ] || missing="wordpress wordpress-theme-twentytwentyone"
  [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server"
  command -v php >/dev/null || missing="$missing php-cli"
  php -m 2>/dev/null | grep -q mysqli || missing="$missing php-mysql"
  [ -n "$missing" ] || return 0
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# The database, reached by a socket in the folder alone.
database() {
  mkdir -p "$dir/data"
  mariadb-install-db --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db --user="$(id -un)" >"$dir/install.log" 2>&1
  mariadbd --no-defaults --datadir="$dir/data" --socket="$dir/db.sock" --pid-file="$dir/db.pid" --skip-networking --user="$(id -un)" \
    --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=64M >"$dir/db.log" 2>&1 &
  db=$!
  tries=0
  until mariadb-admin --no-defaults --socket="$dir/db.sock" -u root ping >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ] || ! kill -0 $db; then cat "$dir/db.log" >&2; exit 1; fi
    sleep 0.2
  done
  mariadb --no-defaults --socket="$dir/db.sock" -u root -e 'CREATE DATABASE wordpress CHARACTER SET utf8mb4'
}

# A copy of the program with a configuration of its own: Debian's looks in /etc.
program() {
  cp -rL /usr/share/wordpress "$dir/site" 2>/dev/null || true # links to files of packages that were left out
  rm -f "$dir/site/wp-config.php"
  cat >"$dir/site/wp-config.php" <<PHP
<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:$dir/db.sock');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', 'http://127.0.0.1:$port');
define('WP_SITEURL', 'http://127.0.0.1:$port');
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('AUTH_KEY', 'a'); define('SECURE_AUTH_KEY', 'b'); define('LOGGED_IN_KEY', 'c'); define('NONCE_KEY', 'd');
define('AUTH_SALT', 'e'); define('SECURE_AUTH_SALT', 'f'); define('LOGGED_IN_SALT', 'g'); define('NONCE_SALT', 'h');
\$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
PHP
  cat >"$dir/router.php" <<'PHP'
<?php
// The rules that WordPress writes into .htaccess: files as they are, all else to index.php.
$path = urldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if ($path !== '/' && is_file($_SERVER['DOCUMENT_ROOT'] . $path)) return false;
if (is_dir($_SERVER['DOCUMENT_ROOT'] . $path) && is_file($_SERVER['DOCUMENT_ROOT'] . rtrim($path, '/') . '/index.php') && $path !== '/') return false;
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
chdir($_SERVER['DOCUMENT_ROOT']);
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
PHP
}

serve() {
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  # What it started ends with it, PHP's workers too.
  trap 'kill -- ${web:+-$web} $db 2>/dev/null; wait' EXIT
  trap 'exit 0' INT TERM
  web= db=
  database
  program
  php -d error_reporting=0 "$here/fill.php" "$dir/site" >"$dir/truth.tmp"
  PHP_CLI_SERVER_WORKERS=2 setsid php -d error_reporting=0 -S "127.0.0.1:$port" -t "$dir/site" "$dir/router.php" >"$dir/web.log" 2>&1 &
  web=$!
  mv "$dir/truth.tmp" "$dir/truth.json"
  wait $web
}

case ${1-} in
install) install ;;
serve) dir=$2 port=$3; serve ;;
*) sed -n '2,9p' "$0" >&2; exit 2 ;;
esac
