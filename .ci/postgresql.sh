#!/bin/bash
# Installs the packages that are needed to build and test the SQL extensions; the tests start their own PostgreSQL
# server.
set -euo pipefail
wanted=()
command -v sqlite3 > /dev/null || wanted+=(sqlite3)
for package in postgresql-15 postgresql-server-dev-15 postgresql-15-postgis-3; do
  dpkg -s "$package" > /dev/null 2>&1 || wanted+=("$package")
done
if [ ${#wanted[@]} != 0 ] && [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  # Do not start Debian's own PostgreSQL server.
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
fi
exec "$(dirname "$0")/install.sh" ${wanted[@]+"${wanted[@]}"}
