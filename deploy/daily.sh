#!/bin/sh
# Runs a command every day, each day at another time, where no timer or cron does: in a container.
#   daily.sh NAME HH:MM MINUTES COMMAND…
# starts it at HH:MM in TZ, or up to so many MINUTES later. The day of the last start is in $WOO_DATA_DIR/daily-NAME: a
# day that was missed is made up for at once. HH:MM is not between 02:00 and 03:00, an hour that one day a year lacks.
# With PUSHGATEWAY_URL, the figures in WOO_METRICS_FILE go there afterwards.
set -eu
name=$1 at=$2 minutes=$3
shift 3
stamp=${WOO_DATA_DIR:-.scrapy}/daily-$name

# Waits for what was put in the background last. A signal goes on to that, and then ends this script too.
stopped=
trap 'stopped=yes; kill -TERM "$!" 2> /dev/null || exit 143' TERM INT
finish() {
    status=0
    wait "$!" || status=$?
    if [ -n "$stopped" ]; then
        status=0 # that of the signal, until now
        wait "$!" || status=$?
        exit "$status"
    fi
}

mkdir -p "${stamp%/*}"
# The first time, a moment of today that is past does not count as missed.
if [ ! -e "$stamp" ]; then
    day=yesterday
    if [ "$(date +%s)" -ge "$(date --date="$at" +%s)" ]; then day=today; fi
    date --date="$day" +%F > "$stamp"
fi

while :; do
    now=$(date +%s)
    due=$(date --date="$at" +%s)
    if [ "$now" -ge "$due" ]; then
        due=$now
        if [ "$(cat "$stamp")" = "$(date +%F)" ]; then due=$(date --date="tomorrow $at" +%s); fi
    fi
    sleep $((due - now + $(shuf --input-range="0-$((minutes * 60))" --head-count=1))) &
    finish
    date +%F > "$stamp"
    "$@" &
    finish
    if [ "$status" -ne 0 ]; then echo "daily.sh: $name ended with status $status" >&2; fi
    if [ -n "${PUSHGATEWAY_URL:-}" ]; then python "${0%/*}/push.py" || true; fi # it says itself what is wrong
done
