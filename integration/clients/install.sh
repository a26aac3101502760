#!/bin/sh
# Installs the client programs and drivers that the live client suite uses, from Debian's and npm's packages. Does nothing where they are there.
set -eu

want=""
need() { # need PACKAGE TEST...: the package is wanted unless the test succeeds
  package=$1; shift
  "$@" >/dev/null 2>&1 || want="$want $package"
}
need mariadb-client      test -x /usr/bin/mariadb
need python3             test -x /usr/bin/python3
need python3-pymysql     /usr/bin/python3 -c 'import pymysql'
need perl                perl -e 1
need libdbd-mysql-perl   perl -MDBD::mysql -e 1
need libdbd-mariadb-perl perl -MDBD::MariaDB -e 1
need php-cli             php -v
need php-mysql           php -r 'exit(extension_loaded("mysqli") ? 0 : 1);'
need libmariadb-java     test -e /usr/share/java/mariadb-java-client.jar
need default-jdk-headless javac -version
need nodejs              node --version
need npm                 npm --version
need sysbench            sysbench --version

if [ -n "$want" ]; then
  echo "installing:$want"
  run=""
  [ "$(id -u)" = 0 ] || run="sudo -n"
  $run apt-get update -q
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $run apt-get install -y -q --no-install-recommends $want
fi

# mysql2 for Node goes into a folder of the checkout's cache.
cache=${1:?usage: install.sh CACHE_FOLDER}
mkdir -p "$cache/node"
if [ ! -d "$cache/node/node_modules/mysql2" ]; then
  echo "installing: mysql2 for Node"
  (cd "$cache/node" && npm install --silent --no-audit --no-fund --prefix . mysql2@3)
fi
