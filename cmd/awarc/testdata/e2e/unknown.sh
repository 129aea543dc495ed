#!/usr/bin/env bash
# Serves a real application that no type of the knowledge base describes, from PyPI, filled by fillunknown.py.
#
#   unknown.sh install            what installs it: Python with venv
#   unknown.sh serve spirit|mezzanine|trac|pelican DIR PORT
#                                 everything goes to DIR; serves on 127.0.0.1:PORT until it is ended. DIR/truth.json,
#                                 written when all is there, lists the texts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

install() {
  python3 -c 'import venv, ensurepip' 2>/dev/null && return 0
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
}

serve() {
  app=$1 dir=$(cd "$2" && pwd) port=$3
  case $app in
    spirit) package=django-spirit==0.14.3 ;;
    mezzanine) package=mezzanine==6.1.1 ;;
    trac) package=Trac==1.6 ;;
    pelican) package='pelican[markdown]==4.12.0' ;;
  esac
  cd "$dir"
  python3 -m venv venv
  venv/bin/pip install -q "$package" 'setuptools<70'
  export PATH="$dir/venv/bin:$PATH"
  case $app in
    spirit)
      spirit startproject board >/dev/null
      cd board
      export DJANGO_SETTINGS_MODULE=board.settings.dev
      # No index is written while it is filled.
      echo 'HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"' >>board/settings/dev.py
      python manage.py spiritinstall >"$dir/install.log" 2>&1
      set -- python manage.py runserver --noreload --insecure "127.0.0.1:$port"
      ;;
    mezzanine)
      mezzanine-project blog >/dev/null
      cd blog
      export DJANGO_SETTINGS_MODULE=blog.settings
      printf '\nDEBUG = False\nALLOWED_HOSTS = ["*"]\n' >>blog/local_settings.py # else robots.txt forbids all
      python manage.py createdb --noinput >"$dir/install.log" 2>&1
      set -- python manage.py runserver --noreload --insecure "127.0.0.1:$port"
      ;;
    trac)
      trac-admin tracker initenv Tracker sqlite:db/trac.db >"$dir/install.log"
      set -- tracd --single-env --hostname 127.0.0.1 --port "$port" "$dir/tracker"
      ;;
    pelican)
      mkdir content
      cat >pelicanconf.py <<'END'
SITENAME = "A blog"
TIMEZONE = "UTC"
DEFAULT_PAGINATION = 8
ARTICLE_URL = ARTICLE_SAVE_AS = "{date:%Y}/{slug}.html"
END
      set -- python -m http.server "$port" --bind 127.0.0.1 --directory output
      ;;
  esac
  PYTHONPATH=. python "$here/fillunknown.py" "$app" "$dir/truth.tmp" "$dir/tracker"
  [ "$app" != pelican ] || pelican content -o output -s pelicanconf.py >"$dir/install.log"
  mv "$dir/truth.tmp" "$dir/truth.json"
  exec "$@" >"$dir/server.log" 2>&1
}

case ${1:-} in
  install) install ;;
  serve) shift; serve "$@" ;;
  *) sed -n '2,9p' "$0"; exit 2 ;;
esac
