#!/bin/sh
# Starts Scrapyd in a container. Whoever reaches Scrapyd can run any code, so it listens to others only if it asks them who they are:
# with SCRAPYD_USERNAME and SCRAPYD_PASSWORD. Without them it listens on 127.0.0.1 (scrapyd.conf), which only this container reaches.
set -eu
if [ -n "${SCRAPYD_USERNAME:-}" ] && [ -n "${SCRAPYD_PASSWORD:-}" ]; then
    export SCRAPYD_BIND_ADDRESS="${SCRAPYD_BIND_ADDRESS:-0.0.0.0}"
else
    echo "start.sh: only this container reaches Scrapyd: set SCRAPYD_USERNAME and SCRAPYD_PASSWORD to let others in" >&2
    export SCRAPYD_BIND_ADDRESS=127.0.0.1
fi
# Without a pid file, which would keep it from starting after a crash.
exec scrapyd --pidfile=
