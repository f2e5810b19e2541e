#!/bin/sh
# Installs the harvester on this machine, or a newer version of it, and enables what is named:
# sudo sh deploy/systemd/install.sh [woo] [vergunningen] [monitor] [prune] [tooi] [portal]
# The program is in /opt/woo-harvester, and belongs to root. What it writes is in /var/lib/woo-harvester.
set -eu

# A folder before all paths, to try the script without changing the machine.
root=${DESTDIR:-}
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
program=$root/opt/woo-harvester
data=$root/var/lib/woo-harvester
units=$root/etc/systemd/system
settings=$root/etc/woo-harvester.env

enabled=
for name in "$@"; do
    case $name in
        woo) enabled="$enabled woo-harvester.timer" ;;
        vergunningen | monitor | prune | tooi) enabled="$enabled woo-harvester-$name.timer" ;;
        portal) enabled="$enabled woo-harvester-portal.service" ;;
        *)
            echo "install.sh: unknown $name: expected woo, vergunningen, monitor, prune, tooi or portal" >&2
            exit 2
            ;;
    esac
done

# Nothing is enabled before publishers can see who harvests.
contact=
if [ -n "$enabled" ] && ! grep -qs '^WOO_CONTACT=.' "$settings"; then
    contact=${WOO_CONTACT:-}
    if [ -z "$contact" ] && [ -t 0 ]; then
        printf 'Your URL or e-mail address, at which publishers can complain (WOO_CONTACT): '
        read -r contact || true
    fi
    case $contact in
        *[!A-Za-z0-9./:@_%+?=\&#~,\;-]*) contact= ;;
        http://?* | https://?* | ?*@?*.?*) ;;
        *) contact= ;;
    esac
    if [ -z "$contact" ]; then
        echo "install.sh: expected a URL or an e-mail address of yours: put it before sh, as WOO_CONTACT=https://…" >&2
        exit 2
    fi
fi

if ! id -u woo > /dev/null 2>&1; then
    useradd --system --user-group --no-create-home --home-dir /var/lib/woo-harvester --shell /usr/sbin/nologin woo
fi

mkdir -p "$program" "$data" "$units"
"${PYTHON:-python3}" -m venv "$program/.venv"
"$program/.venv/bin/pip" install --quiet -r "$project/requirements-all.txt"
"$program/.venv/bin/pip" install --quiet --no-deps --force-reinstall "$project"

# The commands of the project work in this folder: cd /var/lib/woo-harvester
if [ ! -e "$data/scrapy.cfg" ]; then
    printf '[settings]\ndefault = woo_harvester.settings\n' > "$data/scrapy.cfg"
fi
chown woo:woo "$data" "$data/scrapy.cfg"
chmod 750 "$data"

# Settings of this machine, some of them secret. Yours stay as they are.
if [ ! -e "$settings" ]; then
    (umask 077 && cp "$here/woo-harvester.env" "$settings")
fi
if [ -n "$contact" ]; then
    printf '\nWOO_CONTACT=%s\n' "$contact" >> "$settings"
fi

for unit in "$here"/woo-harvester*.service "$here"/woo-harvester*.timer; do
    cp "$unit" "$units/"
    chmod 644 "$units/${unit##*/}"
done
systemctl daemon-reload
if [ -n "$enabled" ]; then
    # Without quotes: each is a word.
    systemctl enable --now $enabled
fi
# A portal that runs goes on with the new version.
systemctl try-restart woo-harvester-portal.service

echo "Installed. Enabled now:${enabled:- nothing. Name what is to run: woo, vergunningen, monitor, prune, tooi, portal}"
echo "Permits: write the entry pages to /etc/woo-harvester-entries.csv, with the columns organisatie,url."
echo "Start a run now: systemctl start woo-harvester.service; read its log: journalctl --unit woo-harvester.service"
