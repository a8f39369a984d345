#!/bin/bash
# Installs the programs and packages that the tests of brokers and services need; these tests start their own servers on
# the loopback interface.
set -euo pipefail
PATH=$PATH:/usr/sbin
wanted=()
command -v mosquitto > /dev/null || wanted+=(mosquitto)
command -v mosquitto_pub > /dev/null || wanted+=(mosquitto-clients)
python3 -c 'import ensurepip' 2> /dev/null || wanted+=(python3-venv)
exec "$(dirname "$0")/install.sh" ${wanted[@]+"${wanted[@]}"}
