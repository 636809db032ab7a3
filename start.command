#!/bin/sh
# Starts pairopt on macOS: double-click this file. What it does is in start.sh.
exec sh "$(dirname "$0")/start.sh" "$@"
