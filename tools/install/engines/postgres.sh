#!/bin/bash
# As far as compose.yaml needs it, what the official image of PostgreSQL does when it starts.
set -euo pipefail
export PATH=/usr/lib/postgresql/15/bin:$PATH
if [[ $# -gt 0 && $1 != postgres ]]; then exec "$@"; fi
mkdir -p "$PGDATA" /var/run/postgresql
chown -R postgres "$PGDATA" /var/run/postgresql
chmod 700 "$PGDATA"
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [[ ! -s $PGDATA/PG_VERSION ]]; then
  # shellcheck disable=SC2086
  as_postgres initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  as_postgres pg_ctl --wait --options='-c listen_addresses=' start
  as_postgres createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  as_postgres pg_ctl --wait --mode=fast stop
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -c listen_addresses='*'
