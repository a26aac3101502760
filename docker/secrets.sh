#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, once: a password for the database servers, the token of the master's API, the key that
# seals what the metadata keeps, and a certificate.
set -eu
cd "$(dirname "$0")/.."
mkdir -p secrets
chmod 700 secrets
for name in db_password token seal_key; do
  if [ ! -s "secrets/$name" ]; then
    od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > "secrets/$name"
    # Containers read it as users of their own; the folder keeps other users of this machine out.
    chmod 644 "secrets/$name"
  fi
done

# Where the master finds the metadata server, with its password.
printf 'root:%s@tcp(metadata:3306)/' "$(cat secrets/db_password)" > secrets/meta_dsn
chmod 644 secrets/meta_dsn

# The API listens on the compose network, so it speaks TLS: a certificate of its own, which the router is told to trust.
if [ ! -s secrets/api_cert.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=master \
    -addext subjectAltName=DNS:master,DNS:localhost,IP:127.0.0.1 -keyout secrets/api_key.pem -out secrets/api_cert.pem 2>/dev/null
  chmod 644 secrets/api_key.pem secrets/api_cert.pem
fi
