#!/bin/sh
# Starts pairopt without a terminal: makes its environment once, then opens the page.
# Double-click this file (macOS: start.command, Windows: start.bat), or type: sh start.sh
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
environment="$here/.pairopt-environment"
version="$here/pairopt/version.py"
log="$environment/install.log"
events="$HOME/pairopt-events"

say() {
  printf '%s\n' "$@"
}

# Say what is wrong and what to do. The window stays open until the reader presses Enter.
stop() {
  say "" "$@"
  if [ -t 0 ]; then
    printf '\nPress Enter to close this window. '
    read -r _
  fi
  exit 1
}

# Whether a command is Python 3.11 or later.
is_new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Print the first Python that is new enough.
find_python() {
  for candidate in python3 python3.14 python3.13 python3.12 python3.11 python \
    /usr/local/bin/python3 /opt/homebrew/bin/python3; do
    if is_new_enough "$candidate"; then
      say "$candidate"
      return
    fi
  done
}

require_python() {
  python=$(find_python)
  [ -z "$python" ] || return 0
  old=$(python3 --version 2>/dev/null) || old=""
  if [ -n "$old" ]; then
    stop "This computer has $old, and pairopt needs Python 3.11 or later." \
      "Install a newer one from https://www.python.org/downloads/ and start pairopt again."
  fi
  stop "There is no Python on this computer, and pairopt needs Python 3.11 or later." \
    "Install it from https://www.python.org/downloads/" \
    "or, on Debian and Ubuntu, with: sudo apt install python3 python3-venv" \
    "Then start pairopt again."
}

make_environment() {
  require_python
  say "pairopt is set up once, in $environment." \
    "This needs the internet and takes a few minutes…"
  mkdir -p "$environment" 2>/dev/null && : 2>/dev/null >"$log" ||
    stop "This folder can't be written: $here" \
      "Copy the whole folder to another place, for example your home folder," \
      "and start pairopt there."
  "$python" -m venv "$environment" >>"$log" 2>&1 ||
    stop "Python could not make an environment. It said:" "$(tail -n 3 "$log")" \
      "On Debian and Ubuntu, type: sudo apt install python3-venv" \
      "Then start pairopt again."
  "$environment/bin/python" -m pip install --quiet "${here}[web]" >>"$log" 2>&1 ||
    stop "What pairopt needs could not be installed. The last lines were:" \
      "$(tail -n 3 "$log")" \
      "Is this computer connected to the internet? Then start pairopt again." \
      "The whole text is in $log."
  cp "$version" "$environment/ready"
}

# The version that is ready is written down last, so a set-up that was stopped is done again, and
# a newer version of this folder is installed.
if ! cmp -s "$version" "$environment/ready" || ! is_new_enough "$environment/bin/python"; then
  make_environment
fi

mkdir -p "$events" 2>/dev/null && cd "$events" ||
  stop "The folder of your events can't be made: $events" \
    "Make it yourself, and start pairopt again."

say "Your events are in $events." \
  "The page opens in your browser. This window stays open while pairopt runs:" \
  "close it, or press Ctrl-C in it, to end pairopt."
"$environment/bin/python" -m pairopt serve "$@"
code=$?
case $code in
  0 | 130 | 143) exit 0 ;;
  *) stop "pairopt ended with the error above (code $code)." \
    "If it names a port that cannot be used, another program has it:" \
    "start pairopt again as: sh start.sh --port 8460" ;;
esac
