#!/bin/sh
# Installs the harvester and its timers on this machine, or a newer version of it: sudo sh deploy/systemd/install.sh
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

if ! id -u woo > /dev/null 2>&1; then
    useradd --system --user-group --no-create-home --home-dir /var/lib/woo-harvester --shell /usr/sbin/nologin woo
fi

mkdir -p "$program" "$data" "$units"
"${PYTHON:-python3}" -m venv "$program/.venv"
"$program/.venv/bin/pip" install --quiet -r "$project/requirements.txt"
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

for unit in "$here"/woo-harvester*.service "$here"/woo-harvester*.timer; do
    cp "$unit" "$units/"
    chmod 644 "$units/${unit##*/}"
done
systemctl daemon-reload
systemctl enable --now woo-harvester.timer woo-harvester-vergunningen.timer \
    woo-harvester-monitor.timer woo-harvester-prune.timer woo-harvester-tooi.timer
# The portal is started only where it is wanted. One that runs goes on with the new version.
systemctl try-restart woo-harvester-portal.service

echo "Installed. Set WOO_CONTACT and the addresses for mail in /etc/woo-harvester.env."
echo "Permits: write the entry pages to /etc/woo-harvester-entries.csv, with the columns organisatie,url."
echo "Start a run now: systemctl start woo-harvester.service; read its log: journalctl --unit woo-harvester.service"
echo "Start the portal on port 8080: systemctl enable --now woo-harvester-portal.service"
