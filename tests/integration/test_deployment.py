"""What docs/deployment.md and the files in deploy/ have a person or a machine type, typed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import ROOT, skip_or_fail
from tests.portal.records import full
from tests.utils import guard
from tests.utils.command import SETTINGS, read_lines
from tests.utils.daily import numbered, publish
from tests.utils.deployment import commands_of, pip_settings, run_instructions, type_in
from tests.utils.elasticsearch import PASSWORD, USER, MissingError, Server
from tests.utils.ports import free_port
from tests.utils.scrapyd import Scrapyd, copy_project, need_scrapyd, outside
from tests.utils.sites import write_register
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration

PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
#: What the page does not have: a publisher on loopback stands in for the public ones.
LOOPBACK = {"WOO_ALLOW_PRIVATE_HOSTS": "1", "NO_PROXY": "localhost,127.0.0.1"}


@pytest.fixture
def publisher(site: Site) -> Site:
    publish(site, numbered(5))
    sitemap = site.pages["/s0.xml"]
    assert isinstance(sitemap, Page)
    titled = b"".join(sitemap.chunks()).replace(b">Besluit<", b">Stikstofbesluit<")
    site.pages["/s0.xml"] = replace(sitemap, body=titled)
    for name in numbered(5):
        site.pages[f"/d/{name}.pdf"] = site.pages["/robots.txt"]
    return site


@pytest.fixture
def register(publisher: Site, tmp_path: Path) -> Path:
    return write_register(tmp_path / "register.xml", {"Gemeente": [publisher.url("/d")]})


@pytest.fixture
def server() -> Iterator[Server]:
    """Elasticsearch with an account and without HTTPS, as compose has it."""
    with TemporaryDirectory(prefix="woo-test-es-") as folder:
        Path(folder).chmod(0o755)
        made = Server(Path(folder) / "node", secure=True, tls=False)
        try:
            made.start()
        except MissingError as error:
            skip_or_fail(str(error))
        yield made
        made.stop()


def test_the_page_leads_from_an_empty_folder_to_a_run_on_scrapyd(
    publisher: Site, register: Path, ca_bundle: Path, server: Server, tmp_path: Path
) -> None:
    need_scrapyd()
    folder, port = tmp_path / "empty", free_port()
    folder.mkdir()
    public = outside({"ELASTIC_PASSWORD": PASSWORD, **pip_settings()})
    own = {
        **outside(LOOPBACK),
        "SSL_CERT_FILE": str(ca_bundle),
        "WOO_REGISTER": str(register),
        "SCRAPYD_HTTP_PORT": str(port),
    }
    clone, *commands = commands_of(PAGE, "Scrapyd")
    assert clone.startswith("git clone ")
    project = copy_project(folder / "woo-harvester")
    here = {
        "localhost:6800": f"localhost:{port}",
        "www.gemeente.nl": publisher.host,
        "http://localhost:9200": server.url,
        "USER=elastic": f"USER={USER}",
        "elastic:": f"{USER}:",
    }
    cfg = project / "scrapy.cfg"
    cfg.write_text(cfg.read_text().replace("localhost:6800", here["localhost:6800"]), encoding="utf-8")
    with ExitStack() as stack:
        for written in commands:
            command = re.sub("|".join(map(re.escape, here)), lambda found: here[found[0]], written)
            if command.endswith("&"):
                started = guard.Server(["bash", "-c", command], cwd=folder, env=own)
                stack.callback(end_group, started)
                wait_until(lambda: "started" in read(folder / "server" / "scrapyd.log"), "Scrapyd is up")
            elif command.startswith("ls "):
                wait_until(lambda: any(folder.glob("server/reports/*/stats.json")), "the job has ended")
                shown = type_in(command, folder, public)
                assert shown.count(".log") == shown.count(".jsonl") == 1
            else:
                answer = type_in(command, folder, public)
                if "schedule.json" in command:
                    assert json.loads(answer)["status"] == "ok"
                elif "listspiders.json" in command:
                    assert "woo" in json.loads(answer)["spiders"]
                elif "_search" in command:
                    found = json.loads(answer)["hits"]["hits"]
    (records,) = folder.glob("server/records/*.jsonl")
    assert len(read_lines(records)) == 5
    assert (folder / "server" / "state" / "woo-state.sqlite").exists()
    titles = [hit["_source"]["document"]["titelcollectie"]["officieleTitel"] for hit in found]
    assert titles == ["Stikstofbesluit"] * 5


def test_what_the_image_runs_works_in_a_fresh_environment(
    publisher: Site, register: Path, ca_bundle: Path, tmp_path: Path
) -> None:
    need_scrapyd()
    project, venv, port = (
        install(tmp_path, "build", "build-harvest", "build-scrapyd"),
        tmp_path / "venv",
        free_port(),
    )
    etc = tmp_path / "data"
    etc.mkdir()
    # In the image they are in /etc/scrapyd, which this machine may have for itself.
    conf = [(project / "deploy" / "scrapyd" / name).read_text() for name in ("scrapyd.conf", "project.conf")]
    (etc / "scrapyd.conf").write_text("\n".join(conf), encoding="utf-8")
    account = {"SCRAPYD_USERNAME": "woo", "SCRAPYD_PASSWORD": "geheim"}
    given = {
        **LOOPBACK,
        "SSL_CERT_FILE": str(ca_bundle),
        "SCRAPYD_HTTP_PORT": str(port),
        "SCRAPY_SETTINGS_MODULE": "woo_harvester.settings",
        "WOO_DATA_DIR": str(etc / "state"),
        "WOO_REGISTER": str(register),
    }
    health = [str(venv / "bin" / "python"), str(project / "deploy" / "scrapyd" / "health.py")]

    def healthy(**more: str) -> bool:
        done = subprocess.run(health, env=outside({**given, **more}), capture_output=True, check=False)
        return done.returncode == 0

    assert not healthy()
    with Scrapyd(etc, given, python=str(venv / "bin" / "python"), port=port) as scrapyd:
        assert healthy()
        assert "woo" in scrapyd.get("listspiders.json", project="woo")["spiders"]
        log = scrapyd.wait(scrapyd.schedule(settings=SETTINGS, domains=publisher.host))
        assert "'finish_reason': 'finished'" in log
        (records,) = etc.glob("records/*.jsonl")
        assert len(read_lines(records)) == 5
    with Scrapyd(etc, {**given, **account}, python=str(venv / "bin" / "python"), port=port):
        assert healthy(**account)
        assert not healthy()


def test_the_image_of_the_portal_needs_nothing_of_a_harvest(tmp_path: Path) -> None:
    install(tmp_path, "build", "build-portal")
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "woo.jsonl").write_text(json.dumps(full()) + "\n", encoding="utf-8")
    port = free_port()
    command = [
        str(tmp_path / "venv" / "bin" / "woo-harvester"),
        "portal",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    given = outside(
        {"SCRAPY_SETTINGS_MODULE": "woo_harvester.settings", "WOO_DATA_DIR": str(tmp_path / "index")}
    )
    with guard.Server(command, cwd=tmp_path, env=given) as portal:
        wait_until(lambda: healthy(port), "the portal answers", lambda: portal.poll() is None)
        portal.terminate()
    lacking = subprocess.check_output(
        [tmp_path / "venv" / "bin" / "pip", "list", "--format=freeze"], text=True
    ).lower()
    assert not re.search("^(kreuzberg|pyproj|psycopg|botocore|scrapyd)==", lacking, re.MULTILINE)


def healthy(port: int) -> bool:
    """Return whether the health check of the image is well, at another port."""
    (check,) = re.findall(r'CMD (\["python", "-c", .*\])', DOCKERFILE)
    _, *options = json.loads(check.replace("8080", str(port)))
    return subprocess.run([sys.executable, *options], capture_output=True, check=False).returncode == 0


def install(folder: Path, *stages: str) -> Path:
    """Run what these stages of the image run, in ``venv`` below *folder*; return the copy of the project."""
    project = copy_project(folder / "context")
    for command in (each for stage in stages for each in run_instructions(DOCKERFILE)[stage]):
        type_in(command, project, outside({"VENV": str(folder / "venv"), **pip_settings()}))
    return project


def read(path: Path) -> str:
    """The text of a file; none where it is not there yet."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def end_group(started: subprocess.Popen[str]) -> None:
    """End all that a line of a shell has left in the background."""
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGTERM)
    started.wait()
