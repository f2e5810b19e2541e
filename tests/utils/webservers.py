"""The real nginx and Apache, which list a folder on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import skip_or_fail
from tests.utils.guard import Server, unwatch, watch_folder
from tests.utils.ports import free_port
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Authority

#: Where distributions keep the programs of servers, which is not on every user's path.
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])

APACHE_FOLDER = "/usr/lib/apache2/modules"
#: Some are built in, on some distributions.
APACHE_MODULES = ("mpm_event", "authz_core", "unixd", "dir", "mime", "autoindex", "ssl")

NGINX = """\
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  types {{ application/xml xml; text/plain txt; }}
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/server.pem;
    ssl_certificate_key {folder}/server.pem;
    root {root};
    location / {{ autoindex on; {options} }}
  }}
}}
"""

APACHE = """\
ServerName localhost
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/apache.pid
ErrorLog {folder}/error.log
Listen 127.0.0.1:{port}
{modules}
{user}
TypesConfig /dev/null
AddType application/xml .xml
SSLEngine on
SSLCertificateFile {folder}/server.pem
DocumentRoot {root}
<Directory {root}>
  Require all granted
  Options +Indexes
  {options}
</Directory>
"""


@dataclass(frozen=True)
class WebServer:
    """A server of files."""

    root: Path
    """The folder that it serves."""
    port: int

    def url(self, path: str) -> str:
        """Return the address of a path."""
        return f"https://localhost:{self.port}{path}"


@contextmanager
def nginx(authority: Authority, options: str = "") -> Iterator[WebServer]:
    """The web server nginx with ``autoindex``; *options* are directives of its location."""
    found = program("nginx", package="nginx-light")
    user = "user root;" if os.geteuid() == 0 else ""
    with _folder(authority) as (folder, port):
        config = folder / "nginx.conf"
        config.write_text(
            NGINX.format(folder=folder, port=port, root=folder / "www", options=options, user=user),
            encoding="utf-8",
        )
        with running([found, "-p", str(folder), "-c", str(config), "-e", str(folder / "error.log")], port):
            yield WebServer(folder / "www", port)


@contextmanager
def apache(authority: Authority, options: str = "") -> Iterator[WebServer]:
    """Apache with ``mod_autoindex``; *options* are directives of its folder."""
    found = program("apache2", package="apache2")
    modules = "\n".join(
        f"<IfModule !{name}_module>\nLoadModule {name}_module {APACHE_FOLDER}/mod_{name}.so\n</IfModule>"
        for name in APACHE_MODULES
    )
    user = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
    with _folder(authority) as (folder, port):
        config = folder / "apache.conf"
        config.write_text(
            APACHE.format(
                folder=folder, port=port, root=folder / "www", options=options, user=user, modules=modules
            ),
            encoding="utf-8",
        )
        with running([found, "-f", str(config), "-D", "FOREGROUND"], port):
            yield WebServer(folder / "www", port)


def program(name: str, package: str) -> str:
    """Return the path of a server; skip the test if the machine lacks it."""
    found = shutil.which(name, path=PATH)
    if found is None:
        skip_or_fail(f"needs {name} (Debian: {package})")
    return found


@contextmanager
def _folder(authority: Authority) -> Iterator[tuple[Path, int]]:
    """A folder that a server's own user may read, with its certificate, and a port."""
    with TemporaryDirectory(prefix="woo-web-") as name:
        folder = Path(name)
        watch_folder(folder)
        folder.chmod(0o755)
        (folder / "www").mkdir()
        authority.write_certificate(folder / "server.pem")
        yield folder, free_port()
    unwatch(folder)


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[None]:
    """Run a server for the block, from the moment that it answers on *port*."""
    with Server(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            wait_until(lambda: _answers(port), f"{command[0]} answers", lambda: process.poll() is None)
            yield
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
