#!/usr/bin/env bash
# Puts waymark into a directory of this job and on the PATH of later steps.
set -euo pipefail

fail() {
  echo "::error title=Waymark cannot be installed::$1"
  exit 1
}

place="$RUNNER_TEMP/waymark-cli"
mkdir -p "$place/bin"

if [[ -n $INPUT_BINARY_URL ]]; then
  [[ $INPUT_BINARY_SHA256 =~ ^[0-9a-f]{64}$ ]] || fail 'binary-url needs binary-sha256, 64 hexadecimal digits'
  curl --fail --silent --show-error --location --retry 3 --output "$place/download" "$INPUT_BINARY_URL" ||
    fail 'binary-url could not be downloaded'
  echo "$INPUT_BINARY_SHA256  $place/download" | sha256sum --check --status || {
    rm -f "$place/download"
    fail 'what came from binary-url is not what binary-sha256 says'
  }
  chmod 0755 "$place/download"
  mv "$place/download" "$place/bin/waymark"
else
  [[ $INPUT_VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
    fail 'version must be one version, such as 0.1.0, and no range'
  npm install --global --prefix "$place" --ignore-scripts --no-audit --no-fund --loglevel=error \
    "@waymark/cli@$INPUT_VERSION"
fi

echo "$place/bin" >> "$GITHUB_PATH"
echo "waymark $("$place/bin/waymark" --version)"
