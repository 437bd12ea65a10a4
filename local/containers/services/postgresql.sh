#!/bin/sh
# Starts PostgreSQL as the image of the same name does: a first start creates the user and a database of its name, and
# answers on the socket alone until they are there.
set -eu
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --no-sync
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl start --wait --options='-c listen_addresses='
  createdb --username="$POSTGRES_USER" "$POSTGRES_USER"
  pg_ctl stop
fi
exec postgres -c listen_addresses='*' -c fsync=off
