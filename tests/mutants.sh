#!/usr/bin/env bash
# Plants faults and lists those that no test notices: those drawn by mutants.py, which needs the extra
# "mutants", or after the word "planted" the known ones of planted_faults.toml.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = planted ]; then
  shift
  exec nice python tests/planted_faults.py "$@"
fi
exec nice python tests/mutants.py "$@"
