#!/usr/bin/env bash
# Gives later steps what was given to this one.
set -euo pipefail

set_variable() {
  local name=$1 value=$2
  if [[ -z $value ]]; then
    return
  fi
  # A second line would be a variable that somebody else chose.
  if [[ $value == *[[:cntrl:]]* ]]; then
    echo "::error title=Waymark::$name holds a line break or another control character"
    exit 1
  fi
  echo "$name=$value" >> "$GITHUB_ENV"
}

set_variable WAYMARK_HOST "$INPUT_HOST"
set_variable WAYMARK_ORG "$INPUT_ORG"
set_variable WAYMARK_FLOW "$INPUT_FLOW"
