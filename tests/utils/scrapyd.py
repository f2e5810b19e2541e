"""A real Scrapyd on loopback, with the project deployed to it by scrapyd-client's own command."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from tests.conftest import ROOT, skip_or_fail
from tests.utils.guard import Server
from tests.utils.ports import free_port
from tests.utils.waiting import STUCK, wait_until

#: What a deployment takes from the checkout.
SOURCES = (
    *("Makefile", "pyproject.toml", "setup.py", "scrapy.cfg"),
    *("requirements-all.txt", "LICENSE", "README.md"),
)
PROJECT = "woo"
#: Scrapyd looks for new jobs this often; its own default is 5 seconds.
CONF = """\
[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.1
jobs_to_keep = {jobs_to_keep}
"""

_open = build_opener(ProxyHandler({})).open


def need_scrapyd() -> None:
    """Skip the test where Scrapyd or its client is not installed."""
    missing = [name for name in ("scrapyd", "scrapyd_client", "pkg_resources") if find_spec(name) is None]
    if missing:
        skip_or_fail(f"needs {' and '.join(missing)}: make install-dev")


def copy_project(folder: Path) -> Path:
    """A copy of what is deployed, so that a build leaves nothing behind in the checkout."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(ROOT / name, folder)
    for name in ("woo_harvester", "woo_portal", "deploy"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def scrapyd_deploy(project: Path, *options: str, **given: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the folder of the project."""
    done = subprocess.run(
        [sys.executable, "-m", "scrapyd_client.deploy", *options],
        cwd=project,
        env=outside(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def outside(given: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the checkout, in which coverage is not measured."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COV", "PYTHONPATH"))}
    return {**kept, "NO_PROXY": "localhost,127.0.0.1", **given}


class Scrapyd:
    """A server that keeps all in *folder*; its jobs have the environment *given*.

    With a *port*, the ``scrapyd.conf`` in *folder* is used as it is, and *given* has that port.
    """

    def __init__(
        self,
        folder: Path,
        given: Mapping[str, str],
        *,
        jobs_to_keep: int = 5,
        python: str = sys.executable,
        port: int | None = None,
    ) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port or free_port()}/"
        self._environment = outside(given)
        self._python = python
        folder.mkdir(parents=True, exist_ok=True)
        if port is None:
            conf = CONF.format(port=self.url.strip("/").rpartition(":")[2], jobs_to_keep=jobs_to_keep)
            (folder / "scrapyd.conf").write_text(conf, encoding="utf-8")

    def __enter__(self) -> Self:
        log = (self.folder / "scrapyd.log").open("wb")
        self._process = Server(
            [self._python, "-m", "scrapyd", "--pidfile="],
            cwd=self.folder,
            env=self._environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        log.close()
        wait_until(self._answers, "Scrapyd answers")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is not None:
            return
        for job in self.jobs("running"):
            self.cancel(job)
        wait_until(lambda: not self.jobs("running"), "its jobs have ended")
        self._process.terminate()
        self._process.wait(STUCK)

    def kill(self) -> None:
        """Kill the server and its jobs, as when a machine fails."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(STUCK)

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """Return the answer to a GET."""
        return self._ask(f"{path}?{urlencode(query)}", None)

    def post(self, path: str, *fields: tuple[str, str]) -> dict[str, Any]:
        """Return the answer to a POST; a name may come more than once."""
        return self._ask(path, urlencode(fields).encode())

    def deploy(self, project: Path, *options: str) -> str:
        """Deploy by the command; what it says on the way."""
        done = scrapyd_deploy(project, "server", *options, SCRAPYD_URL=self.url)
        answer = json.loads(done.stdout)
        assert answer["status"] == "ok", answer
        return done.stderr

    def schedule(self, *, settings: Mapping[str, object], **arguments: str) -> str:
        """Have a job run; gives its id."""
        given = [("setting", f"{name}={value}") for name, value in settings.items()]
        fields = [("project", PROJECT), ("spider", "woo"), *given, *arguments.items()]
        answer = self.post("schedule.json", *fields)
        assert answer["status"] == "ok", answer
        job: str = answer["jobid"]
        return job

    def cancel(self, job: str) -> None:
        """End a job as an operator does."""
        assert self.post("cancel.json", ("project", PROJECT), ("job", job))["prevstate"] == "running"

    def jobs(self, state: str) -> list[str]:
        """The ids of the jobs that are pending, running or finished."""
        return [job["id"] for job in self.get("listjobs.json", project=PROJECT).get(state, [])]

    def wait(self, job: str) -> str:
        """The log of a job, when it has ended."""
        wait_until(lambda: job in self.jobs("finished"), f"job {job} has ended")
        return self.log(job)

    def log(self, job: str) -> str:
        """Return what a job has logged until now."""
        path = self.folder / "logs" / PROJECT / "woo" / f"{job}.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def _answers(self) -> bool:
        assert self._process.poll() is None, (self.folder / "scrapyd.log").read_text(encoding="utf-8")
        try:
            return bool(self.get("daemonstatus.json")["status"] == "ok")
        except URLError:
            return False

    def _ask(self, path: str, body: bytes | None) -> dict[str, Any]:
        request = Request(self.url + path, body)
        name, password = (self._environment.get(f"SCRAPYD_{each}", "") for each in ("USERNAME", "PASSWORD"))
        if name:
            account = b64encode(f"{name}:{password}".encode()).decode()
            request.add_header("Authorization", f"Basic {account}")
        with _open(request, timeout=STUCK) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
