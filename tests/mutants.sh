#!/usr/bin/env bash
# Plants faults and lists those that no test notices: see mutants.py. Needs the extra "mutants".
set -euo pipefail
cd "$(dirname "$0")/.."
exec nice python tests/mutants.py "$@"
