"""The files in deploy/ for containers and Scrapyd are what their tools accept, and name what is there."""

from __future__ import annotations

import configparser
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT
from tests.utils.deployment import copied, images, run_instructions
from woo_harvester.running.default_settings import SETTINGS

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
#: The services of Compose that run a command every day, and all that write in the folder of the harvest.
DAILY = ("woo", "vergunningen", "monitor", "prune", "tooi")
HARVESTERS = ("harvest", "scrapyd", *DAILY)
#: The image of each target of the Dockerfile.
IMAGES = {"harvest": "woo-harvester", "portal": "woo-harvester:portal", "scrapyd": "woo-harvester:scrapyd"}
NAMES = {setting.name for setting in SETTINGS}


def yaml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(path)
    return found


def pods() -> dict[str, dict[str, Any]]:
    """Return the pod of each manifest that has one, by the name of the file."""
    found = {}
    for path in MANIFESTS:
        for each in YAML(typ="safe", pure=True).load_all(path):
            spec = each["spec"].get("jobTemplate", each)["spec"]
            if "template" in spec:
                pod = found[path.name] = spec["template"]["spec"]
                pod["volumes"] += [each["metadata"] for each in spec.get("volumeClaimTemplates", ())]
    return found


PODS = pods()


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
    for name in (*HARVESTERS, "portal"):
        build, target = services[name]["build"], name if name in IMAGES else "harvest"
        assert (DEPLOY / build["context"]).resolve() == ROOT
        assert (ROOT / build["dockerfile"], build["target"]) == (DEPLOY / "Dockerfile", target)
        assert services[name]["image"] == IMAGES[target]
    for service in services.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        assert set(service.get("depends_on", ())) <= services.keys()
    for name in HARVESTERS:
        service = services[name]
        assert service["read_only"] is True
        assert service["environment"]["WOO_NODE"] == "compose", "they write on one disk"
        assert service["mem_limit"]
        assert service["volumes"] == ["harvested:/data", "spooled:/tmp"]
        assert "tmpfs" not in service, "documents are larger than memory"


def test_compose_yaml_starts_only_what_is_asked_for() -> None:
    services = yaml(DEPLOY / "compose.yaml")["services"]
    asked = {name: services[name]["profiles"] for name in HARVESTERS}
    assert asked == {
        "harvest": ["command"],
        "scrapyd": ["scrapyd"],
        "woo": ["daily"],
        "vergunningen": ["permits"],
        **{name: ["daily", "permits"] for name in ("monitor", "prune", "tooi")},
    }
    for name in DAILY:
        assert services[name]["entrypoint"] == ["sh", "/usr/local/lib/daily.sh"]
        stamp, at, minutes, program, *rest = services[name]["command"]
        assert (stamp, program) == (name, "woo-harvester")
        assert re.fullmatch(r"(0[3-9]|1\d):\d\d", at), "an hour that every day has"
        assert int(minutes) > 0
        assert rest[0] == name or rest[:2] == ["crawl", name]
    assert "COPY deploy/daily.sh deploy/push.py /usr/local/lib/\n" in DOCKERFILE
    assert services["woo"]["environment"]["TZ"] == "Europe/Amsterdam"


def test_the_portal_of_compose_yaml_can_change_nothing_of_the_harvest_and_knows_no_password() -> None:
    compose = yaml(DEPLOY / "compose.yaml")
    portal, proxy = compose["services"]["portal"], compose["services"]["proxy"]
    assert portal["volumes"] == ["harvested:/data:ro", "searched:/index"]
    assert portal["environment"] == {"WOO_DATA_DIR": "/index"}
    assert portal["command"][:4] == ["woo-harvester", "portal", "--host", "127.0.0.1"]
    assert portal["networks"] == ["portal"]
    assert (proxy["network_mode"], proxy["read_only"]) == ("service:portal", True), "it asks it on loopback"
    assert (DEPLOY / compose["configs"]["proxy"]["file"]).is_file()
    assert "/data /index\n" in DOCKERFILE


def test_every_named_volume_of_compose_yaml_is_declared() -> None:
    compose = yaml(DEPLOY / "compose.yaml")
    services = compose["services"].values()
    used = {volume.split(":")[0] for each in services for volume in each.get("volumes", ())}
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


@pytest.mark.parametrize("name", PODS)
def test_what_a_pod_mounts_is_declared(name: str) -> None:
    volumes = {each["name"]: each for each in PODS[name]["volumes"]}
    for container in PODS[name]["containers"]:
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes.keys()
    claimed = volumes["data"].get("persistentVolumeClaim", {}).get("claimName")
    own = yaml(DEPLOY / "kubernetes" / "storage.yaml")["metadata"]["name"]
    assert claimed == (None if name == "own-volumes.yaml" else own)


@pytest.mark.parametrize("name", PODS)
def test_a_pod_runs_as_the_user_of_the_image_and_may_do_nothing_else(name: str) -> None:
    pod = PODS[name]
    assert f"--uid {pod['securityContext']['runAsUser']} " in DOCKERFILE
    for container in pod["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert container["resources"]["limits"].keys() == {"memory"}
        assert container["image"] == IMAGES["portal" if name == "portal.yaml" else "harvest"]


def test_the_pod_of_the_portal_reads_the_folders_of_all_runs_and_gets_no_secret_of_the_harvest() -> None:
    (portal,) = PODS["portal.yaml"]["containers"]
    assert "envFrom" not in portal
    mounts = {mount["name"]: mount.get("readOnly", False) for mount in portal["volumeMounts"]}
    assert mounts == {"data": True, "index": False, "tmp": False}
    paths = {kind: portal[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "readiness", "liveness")}
    # A pod whose engine is away gets no visitors. To kill it would not help.
    assert paths == {"startup": "/gezond", "readiness": "/gezond", "liveness": "/robots.txt"}


def test_every_setting_that_a_file_gives_is_one() -> None:
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            named = set(re.findall(r"WOO_[A-Z_]+", path.read_text(encoding="utf-8")))
            assert not named - NAMES, path


def pod(folder: Path, name: str, program: str, **given: str) -> subprocess.Popen[str]:
    """The command of the first container of a pod, with a shell script for ``woo-harvester``."""
    container = PODS[name]["containers"][0]
    path = folder / "bin" / "woo-harvester"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    given = {"PATH": f"{path.parent}:{os.environ['PATH']}", **given}
    command = [*container["command"], *container["args"]]
    return subprocess.Popen(command, cwd=folder, env=given, stdout=subprocess.PIPE, text=True)


def shard(folder: Path, program: str, **given: str) -> subprocess.Popen[str]:
    """The command of the second pod of the harvest."""
    return pod(folder, "cronjob.yaml", program, JOB_COMPLETION_INDEX="1", SHARDS="8", **given)


def test_the_pod_of_the_portal_names_files_of_records_unless_it_asks_elasticsearch(tmp_path: Path) -> None:
    begin = "portal --host 0.0.0.0 --port 8080"
    for url, files in (("", " shard-*/records/*.jsonl permits/records/*.jsonl"), ("http://es:9200", "")):
        with pod(tmp_path, "portal.yaml", 'echo "$@"', WOO_ELASTICSEARCH_URL=url) as portal:
            assert portal.communicate(timeout=120)[0] == f"{begin}{files}\n"


def test_a_pod_with_a_volume_of_its_own_runs_the_shard_of_its_number_every_day(tmp_path: Path) -> None:
    script = tmp_path / "sh"
    script.write_text('#!/bin/sh\necho "$WOO_NODE" "$@"\n')
    script.chmod(0o755)
    given = {"HOSTNAME": "woo-harvester-3", "SHARDS": "8", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    container, *others = PODS["own-volumes.yaml"]["containers"]
    command = [*container["command"], *container["args"]]
    printed = subprocess.check_output(command, env=given, text=True)
    daily = "/usr/local/lib/daily.sh"
    assert printed == f"shard-4 {daily} woo 05:15 15 woo-harvester crawl woo -a shard=4/8\n"
    asked = [each["command"][1:3] for each in others]
    assert asked == [[daily, each] for each in ("tooi", "monitor", "prune")]
    *_, stateful = YAML(typ="safe", pure=True).load_all(DEPLOY / "kubernetes" / "own-volumes.yaml")
    assert (stateful["kind"], stateful["spec"]["replicas"]) == ("StatefulSet", 8)
    assert stateful["spec"]["volumeClaimTemplates"][0]["spec"]["accessModes"] == ["ReadWriteOnce"]


def test_the_monitor_asks_each_shard_and_fails_if_one_is_not_as_before(tmp_path: Path) -> None:
    for name in ("shard-1", "shard-2", "shard-3"):
        (tmp_path / name).mkdir()
    with pod(tmp_path, "monitor.yaml", 'echo "${PWD##*/}" "$@"; [ "${PWD##*/}" != shard-2 ]') as asked:
        printed, _ = asked.communicate(timeout=120)
    assert (asked.returncode, printed.split("\n")[0]) == (1, "shard-1 monitor --quiet")
    assert len(printed.splitlines()) == 3


def test_the_reports_of_today_are_merged_with_the_last_run_of_each_shard(tmp_path: Path) -> None:
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    for run in (
        f"shard-1/reports/woo-{today}T03",
        f"shard-1/reports/woo-{today}T05",
        "shard-2/reports/woo-2026",
    ):
        (tmp_path / run).mkdir(parents=True)
    with pod(tmp_path, "reports.yaml", 'echo "$@"') as merged:
        printed, _ = merged.communicate(timeout=120)
    given = f"shard-1/reports/woo-{today}T05 --output reports/woo-{today}"
    assert (merged.returncode, printed) == (0, f"merge-reports {given}\n")


def test_every_pod_is_in_a_network_policy() -> None:
    policies = YAML(typ="safe", pure=True).load_all(DEPLOY / "kubernetes" / "network.yaml")
    harvest, portal = (each["spec"]["podSelector"] for each in policies)
    names = {*harvest["matchExpressions"][0]["values"], *portal["matchLabels"].values()}
    labels = re.findall(r"app.kubernetes.io/name: (\S+)", "".join(map(Path.read_text, MANIFESTS)))
    assert names == set(labels)


def test_a_pod_ends_with_the_exit_status_of_its_run(tmp_path: Path) -> None:
    with shard(tmp_path, 'echo "${PWD##*/}" "$WOO_NODE" "$@"; exit 2') as pod:
        printed, _ = pod.communicate(timeout=120)
    assert (pod.returncode, printed) == (2, "shard-2 shard-2 crawl woo -a shard=2/8\n")


def test_a_pod_sends_its_figures_where_there_is_a_pushgateway(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").write_text('#!/bin/sh\necho "$WOO_NODE" "$@"\n')
    (tmp_path / "bin" / "python").chmod(0o755)
    with shard(tmp_path, "exit 1", PUSHGATEWAY_URL="http://gateway") as pod:
        printed, _ = pod.communicate(timeout=120)
    assert (pod.returncode, printed) == (1, "shard-2 /usr/local/lib/push.py\n")


def test_a_pod_that_is_reported_to_stop_waits_for_its_run_and_does_not_count_as_done(tmp_path: Path) -> None:
    run = "trap 'echo ended; exit 0' TERM; echo begun; while :; do sleep 0.1; done"
    with shard(tmp_path, run) as pod:
        assert pod.stdout is not None
        assert pod.stdout.readline() == "begun\n"
        pod.terminate()
        printed, _ = pod.communicate(timeout=120)
    assert (pod.returncode, printed) == (143, "ended\n")


def test_who_stops_a_run_waits_longer_than_a_stop_takes() -> None:
    (longest,) = (setting.default for setting in SETTINGS if setting.name == "WOO_STOP_TIMEOUT")
    for pod in PODS.values():
        assert pod["terminationGracePeriodSeconds"] >= longest + 10
    services = yaml(DEPLOY / "compose.yaml")["services"]
    for name in HARVESTERS:
        assert int(services[name]["stop_grace_period"].removesuffix("s")) >= longest + 10
    for unit in DEPLOY.glob("systemd/*.service"):
        (minutes,) = re.findall(r"^TimeoutStopSec=(\d+)min$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        assert int(minutes) * 60 >= longest + 10


def test_what_the_image_is_made_of_is_there_and_not_ignored() -> None:
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for path in copied(DOCKERFILE):
        assert (ROOT / path).exists(), path
        assert any(path.rstrip("/").startswith(line[1:]) for line in kept if line.startswith("!")), path


def test_each_image_is_slim_and_not_of_root_and_the_harvest_is_the_one_without_a_target() -> None:
    made = images(DOCKERFILE)
    assert list(made)[-1] == "harvest"
    for name in IMAGES:
        words = made[name]
        assert re.match(r"python:3\.\d+-slim\b", words["FROM"])
        assert (words["USER"], words["WORKDIR"], words["VOLUME"]) == ("10001", "/data", "/data")
        assert ("HEALTHCHECK" in words) == (name != "harvest"), "a harvest ends"
    assert {name: json.loads(made[name]["CMD"])[:2] for name in IMAGES} == {
        "harvest": ["woo-harvester", "--help"],
        "portal": ["woo-harvester", "portal"],
        "scrapyd": ["sh", "/usr/local/lib/start.sh"],
    }
    assert not any("ENTRYPOINT" in words for words in made.values()), "scrapyd-k8s gives the whole command"
    assert made["harvest"]["LABEL"] == "org.scrapy.project=woo org.scrapy.spiders=vergunningen,woo"
    assert "SCRAPYD_" not in DOCKERFILE


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "127.0.0.1"),
        ({"SCRAPYD_USERNAME": "woo"}, "127.0.0.1"),
        ({"SCRAPYD_BIND_ADDRESS": "0.0.0.0"}, "127.0.0.1"),
        ({"SCRAPYD_USERNAME": "woo", "SCRAPYD_PASSWORD": "geheim"}, "0.0.0.0"),
    ],
)
def test_scrapyd_listens_to_others_only_with_a_user_and_a_password(
    given: dict[str, str], address: str, tmp_path: Path
) -> None:
    program = tmp_path / "scrapyd"
    program.write_text('#!/bin/sh\necho "$SCRAPYD_BIND_ADDRESS" "$@"\n')
    program.chmod(0o755)
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", **given}
    done = subprocess.run(
        ["sh", DEPLOY / "scrapyd" / "start.sh"], env=given, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{address} --pidfile=\n"
    assert ("set SCRAPYD_USERNAME" in done.stderr) == (address == "127.0.0.1")


@pytest.mark.parametrize(
    "command", [each for stage in run_instructions(DOCKERFILE).values() for each in stage]
)
def test_every_command_of_the_image_is_one_that_a_shell_can_read(command: str) -> None:
    done = tool("sh", "-n", "-c", command)
    assert done.returncode == 0, done.stderr


def test_every_package_of_the_system_that_the_image_installs_is_one_that_ci_has_too() -> None:
    packages = re.findall(r"^ARG PACKAGES=(\S+)", DOCKERFILE, re.MULTILINE)
    assert packages
    assert all(package in (ROOT / ".ci" / "run").read_text(encoding="utf-8") for package in packages)


def test_scrapyd_is_tested_in_the_version_that_is_deployed() -> None:
    lines = (DEPLOY / "scrapyd" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = {line for line in lines if line and not line.startswith("#")}
    assert {pin.partition("==")[0] for pin in pins} == {"scrapyd", "setuptools"}
    assert pins <= set((ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines())


def test_scrapyd_keeps_its_hands_off_the_records() -> None:
    conf = configparser.ConfigParser()
    conf.read(DEPLOY / "scrapyd" / "scrapyd.conf")
    given = conf["scrapyd"]
    assert (given["items_dir"], given["jobs_dir"], given["bind_address"]) == ("", "", "127.0.0.1")


def test_permits_are_harvested_at_another_time_each_day_and_before_the_monitor() -> None:
    units = {path.name: path.read_text(encoding="utf-8") for path in (DEPLOY / "systemd").glob("*.timer")}
    timer = units["woo-harvester-vergunningen.timer"]
    assert "OnCalendar=*-*-* 06:30 Europe/Amsterdam\n" in timer
    assert "RandomizedDelaySec=4h\n" in timer
    assert not re.search(r"^FixedRandomDelay=", timer, re.MULTILINE)
    assert "OnCalendar=*-*-* 12:00 Europe/Amsterdam\n" in units["woo-harvester-monitor.timer"]
    job = yaml(DEPLOY / "kubernetes" / "permits.yaml")["spec"]
    (container,) = PODS["permits.yaml"]["containers"]
    given = {each["name"]: each["value"] for each in container["env"]}
    assert (job["schedule"], job["timeZone"], given["SPREAD"]) == ("30 6 * * *", "Europe/Amsterdam", "14400")
    assert yaml(DEPLOY / "compose.yaml")["services"]["vergunningen"]["command"][1:3] == ["06:30", "240"]
