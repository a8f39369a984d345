#!/bin/bash
# Makes sure that there is a broker for the heavy tests; they start their own, on the loopback.
set -euo pipefail
PATH=$PATH:/usr/sbin
command -v mosquitto > /dev/null || exec "$(dirname "$0")/install.sh" mosquitto
