"""The files in deploy/ are what their tools accept, and name what is there."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from ruamel.yaml import YAML

from tests.conftest import ROOT, skip_or_fail
from tests.utils.deployment import copied, run_instructions
from woo_harvester.default_settings import SETTINGS

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
UNITS = sorted(path for path in (DEPLOY / "systemd").iterdir() if path.suffix in (".service", ".timer"))
SERVICES = [path for path in UNITS if path.suffix == ".service"]
NAMES = {setting.name for setting in SETTINGS}


def yaml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(path)
    return found


def tool(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def test_compose_yaml_is_what_the_compose_specification_allows() -> None:
    done = tool(
        sys.executable,
        *("-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"),
        DEPLOY / "compose.yaml",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_compose_yaml_builds_the_image_from_the_checkout_and_publishes_to_this_machine_only() -> None:
    services = yaml(DEPLOY / "compose.yaml")["services"]
    build = services["scrapyd"]["build"]
    context = (DEPLOY / build["context"]).resolve()
    assert context == ROOT
    assert (context / build["dockerfile"]).is_file()
    for service in services.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        assert set(service.get("depends_on", ())) <= services.keys()
    scrapyd = services["scrapyd"]
    assert scrapyd["read_only"] is True
    assert scrapyd["environment"]["WOO_NODE"]
    assert "spooled:/tmp" in scrapyd["volumes"]
    assert "tmpfs" not in scrapyd, "documents are larger than memory"


def test_every_named_volume_of_compose_yaml_is_declared() -> None:
    compose = yaml(DEPLOY / "compose.yaml")
    used = {volume.split(":")[0] for each in compose["services"].values() for volume in each["volumes"]}
    assert used == set(compose["volumes"])


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.name)
def test_a_manifest_is_what_the_schema_of_kubernetes_allows(manifest: Path) -> None:
    done = tool(Path(sys.executable).with_name("kubernetes-validate"), "--strict", manifest)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_job_has_as_many_completions_as_there_are_shards() -> None:
    job = yaml(DEPLOY / "kubernetes" / "cronjob.yaml")["spec"]["jobTemplate"]["spec"]
    (container,) = job["template"]["spec"]["containers"]
    shards = {each["name"]: each["value"] for each in container["env"]}["SHARDS"]
    assert job["completions"] == int(shards)
    assert job["completionMode"] == "Indexed"


def test_what_the_pods_mount_is_declared() -> None:
    pod = yaml(DEPLOY / "kubernetes" / "cronjob.yaml")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    volumes = {each["name"]: each for each in pod["volumes"]}
    (container,) = pod["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes.keys()
    claimed = volumes["data"]["persistentVolumeClaim"]["claimName"]
    assert claimed == yaml(DEPLOY / "kubernetes" / "storage.yaml")["metadata"]["name"]


def test_pods_run_as_the_user_of_the_image() -> None:
    pod = yaml(DEPLOY / "kubernetes" / "cronjob.yaml")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert f"--uid {pod['securityContext']['runAsUser']} " in DOCKERFILE


def test_every_setting_that_a_file_gives_is_one() -> None:
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            named = set(re.findall(r"WOO_[A-Z_]+", path.read_text(encoding="utf-8")))
            assert not named - NAMES, path


def shard(folder: Path, program: str) -> subprocess.Popen[str]:
    """The command of the second pod, with a shell script for ``scrapy``."""
    job = yaml(DEPLOY / "kubernetes" / "cronjob.yaml")["spec"]["jobTemplate"]["spec"]
    (container,) = job["template"]["spec"]["containers"]
    path = folder / "bin" / "scrapy"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    given = {"PATH": f"{path.parent}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": "1", "SHARDS": "8"}
    command = [*container["command"], *container["args"]]
    return subprocess.Popen(command, cwd=folder, env=given, stdout=subprocess.PIPE, text=True)


def test_a_pod_ends_with_the_exit_status_of_its_run(tmp_path: Path) -> None:
    with shard(tmp_path, 'echo "$WOO_NODE" "$@"; exit 2') as pod:
        told, _ = pod.communicate(timeout=120)
    assert (pod.returncode, told) == (2, "shard-2 crawl woo -a shard=2/8\n")


def test_a_pod_that_is_reported_to_stop_waits_for_its_run_and_does_not_count_as_done(tmp_path: Path) -> None:
    run = "trap 'echo ended; exit 0' TERM; echo begun; while :; do sleep 0.1; done"
    with shard(tmp_path, run) as pod:
        assert pod.stdout is not None
        assert pod.stdout.readline() == "begun\n"
        pod.terminate()
        told, _ = pod.communicate(timeout=120)
    assert (pod.returncode, told) == (143, "ended\n")


def test_who_stops_a_run_waits_longer_than_a_stop_takes() -> None:
    (longest,) = (setting.default for setting in SETTINGS if setting.name == "WOO_STOP_TIMEOUT")
    pod = yaml(DEPLOY / "kubernetes" / "cronjob.yaml")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] >= longest + 10
    service = yaml(DEPLOY / "compose.yaml")["services"]["scrapyd"]
    assert int(service["stop_grace_period"].removesuffix("s")) >= longest + 10
    for unit in DEPLOY.glob("systemd/*.service"):
        (minutes,) = re.findall(r"^TimeoutStopSec=(\d+)min$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        assert int(minutes) * 60 >= longest + 10


def test_what_the_image_is_made_of_is_there_and_not_ignored() -> None:
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for path in copied(DOCKERFILE):
        assert (ROOT / path).exists(), path
        assert any(path.rstrip("/").startswith(line[1:]) for line in kept if line.startswith("!")), path


def test_the_image_is_slim_not_of_root_and_tells_its_health() -> None:
    words = [line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if line[:1].isupper()]
    named = dict(words)
    assert all(re.match(r"python:3\.\d+-slim\b", rest) for word, rest in words if word == "FROM")
    assert (named["USER"], named["WORKDIR"], named["VOLUME"]) == ("woo", "/data", "/data")
    assert "HEALTHCHECK" in named
    assert words[-1] == ["CMD", '["scrapyd", "--pidfile="]']


@pytest.mark.parametrize("command", [each for stage in run_instructions(DOCKERFILE) for each in stage])
def test_every_command_of_the_image_is_one_that_a_shell_can_read(command: str) -> None:
    done = tool("sh", "-n", "-c", command)
    assert done.returncode == 0, done.stderr


def test_every_package_of_the_system_that_the_image_installs_is_one_that_ci_has_too() -> None:
    packages = re.findall(r"^ARG PACKAGES=(\S+)", DOCKERFILE, re.MULTILINE)
    assert packages
    assert all(package in (ROOT / ".ci" / "run").read_text(encoding="utf-8") for package in packages)


def test_scrapyd_is_tested_in_the_version_that_is_deployed() -> None:
    lines = (DEPLOY / "scrapyd" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert {pin.name for pin in pins} == {"scrapyd", "setuptools"}
    for pin in pins:
        assert str(pin.specifier) == f"=={version(pin.name)}"


def test_scrapyd_keeps_its_hands_off_the_records() -> None:
    conf = configparser.ConfigParser()
    conf.read(DEPLOY / "scrapyd" / "scrapyd.conf")
    given = conf["scrapyd"]
    assert (given["items_dir"], given["jobs_dir"], given["bind_address"]) == ("", "", "127.0.0.1")


def test_the_units_are_what_systemd_accepts(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        skip_or_fail("needs systemd-analyze (on Debian: apt install systemd)")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:  # the program need not be installed here
        text = re.sub(r"^(ExecStart=)\S+", rf"\g<1>{program}", unit.read_text(), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    done = tool("systemd-analyze", "verify", "--man=no", *(tmp_path / unit.name for unit in UNITS))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_a_service_may_do_little_more_than_it_needs(service: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        skip_or_fail("needs systemd-analyze (on Debian: apt install systemd)")
    done = tool("systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", service)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_service_that_fails_is_mailed_except_the_mail_itself() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in SERVICES}
    mails = "OnFailure=woo-harvester-failed@%n.service\n"
    assert [name for name, text in texts.items() if mails not in text] == ["woo-harvester-failed@.service"]
    assert "scrapy monitor --failed %i\n" in texts["woo-harvester-failed@.service"]


@pytest.fixture
def machine(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Return a folder in the place of a machine's root, and an environment of which each command is noted."""
    root, programs = tmp_path / "root", tmp_path / "bin"
    programs.mkdir()
    note = f'#!/bin/sh\necho "$(basename "$0") $*" >> {tmp_path}/commands\n'
    venv = 'mkdir -p "$3/bin" && cp "$(dirname "$0")/pip" "$3/bin/pip"\n'
    bodies = {"id": "exit 1\n", "useradd": "", "chown": "", "systemctl": "", "pip": "", "python3": venv}
    for name, body in bodies.items():
        (programs / name).write_text(note + body)
        (programs / name).chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "DESTDIR": str(root)}
    environ.pop("PYTHON", None)
    return root, environ


def install(environ: dict[str, str]) -> None:
    script = DEPLOY / "systemd" / "install.sh"
    done = subprocess.run(["sh", script], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_installer_makes_the_user_the_program_and_the_units(
    machine: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    root, environ = machine
    install(environ)
    commands = (tmp_path / "commands").read_text().splitlines()
    assert commands[1].startswith("useradd --system --user-group ")
    assert commands[2:5] == [
        f"python3 -m venv {root}/opt/woo-harvester/.venv",
        f"pip install --quiet -r {ROOT}/requirements.txt",
        f"pip install --quiet --no-deps --force-reinstall {ROOT}",
    ]
    timers = [path.name for path in UNITS if path.suffix == ".timer"]
    assert commands[-2] == "systemctl daemon-reload"
    assert sorted(commands[-1].removeprefix("systemctl enable --now ").split()) == timers
    installed = {path.name for path in (root / "etc" / "systemd" / "system").iterdir()}
    assert installed == {path.name for path in UNITS} - {"scrapyd.service"}
    assert (root / "etc" / "woo-harvester.env").stat().st_mode & 0o777 == 0o600
    data = root / "var" / "lib" / "woo-harvester"
    assert data.stat().st_mode & 0o777 == 0o750
    conf = configparser.ConfigParser()
    conf.read(data / "scrapy.cfg")
    assert conf["settings"]["default"] == "woo_harvester.settings"


def test_a_second_installation_changes_no_settings_of_the_machine(
    machine: tuple[Path, dict[str, str]],
) -> None:
    root, environ = machine
    install(environ)
    mine = {"etc/woo-harvester.env": "WOO_CONTACT=x\n", "var/lib/woo-harvester/scrapy.cfg": "[settings]\n"}
    for name, text in mine.items():
        (root / name).write_text(text)
    install(environ)
    assert {name: (root / name).read_text() for name in mine} == mine


def test_the_paths_of_the_units_are_those_that_the_installer_makes() -> None:
    script = (DEPLOY / "systemd" / "install.sh").read_text(encoding="utf-8")
    for path in SERVICES:
        if path.name != "scrapyd.service":
            text = path.read_text(encoding="utf-8")
            assert "WorkingDirectory=/var/lib/woo-harvester\n" in text
            assert "ExecStart=/opt/woo-harvester/.venv/bin/scrapy " in text
    assert "program=$root/opt/woo-harvester\ndata=$root/var/lib/woo-harvester\n" in script


@pytest.mark.parametrize("unit", ["woo-harvester.service", "woo-harvester.timer"])
def test_the_page_shows_a_unit_as_it_is(unit: str) -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    text = (DEPLOY / "systemd" / unit).read_text(encoding="utf-8")
    shown = "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())
    assert f"    # deploy/systemd/{unit}\n{shown}" in page
