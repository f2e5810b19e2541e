"""The project on a real Scrapyd: deployed as an egg, divided into shards, stopped and gone on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.utils.command import SETTINGS, Line
from tests.utils.daily import NEWER, numbered, publish
from tests.utils.disturbed_runs import SOON, Fallible, GatedSite, latest, lines
from tests.utils.scrapyd import Scrapyd, copy_project, need_scrapyd, scrapyd_deploy
from tests.utils.sites import in_shards, write_register
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Authority

pytestmark = pytest.mark.integration

DOCUMENTS = 12


@dataclass(frozen=True)
class Node:
    """A Scrapyd to which the project is deployed, and two publishers, the first in shard 1 of 2."""

    scrapyd: Scrapyd
    one: GatedSite
    two: GatedSite
    register: Path
    ca_bundle: Path

    @property
    def folder(self) -> Path:
        """Where Scrapyd was started, and its jobs too."""
        return self.scrapyd.folder

    def schedule(self, shard: str, **settings: object) -> str:
        """Have a shard harvested."""
        given = {**SETTINGS, **SOON, **settings}
        return self.scrapyd.schedule(
            settings=given, register=str(self.register), documents="none", shard=shard
        )

    def run(self, shard: str, **settings: object) -> str:
        """Harvest a shard; the log."""
        return self.scrapyd.wait(self.schedule(shard, **settings))

    def records(self) -> list[Line]:
        """Of all runs, in order."""
        return list(lines(sorted(self.folder.glob("records/*.jsonl"))))

    def causes(self) -> Counter[str]:
        """How often each oorzaak stands in the records of all runs."""
        return Counter(record["versies"][0]["oorzaak"] for record in self.records())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_scrapyd()
    return copy_project(tmp_path_factory.mktemp("sources") / "woo-harvester")


@pytest.fixture(scope="module")
def egg(project: Path) -> Path:
    """Built once; one test has the command build and deploy it in one go."""
    scrapyd_deploy(project, "--build-egg", "woo.egg")
    return project / "woo.egg"


@pytest.fixture
def node(egg: Path, ca: Authority, ca_bundle: Path, tmp_path: Path) -> Iterator[Node]:
    with started(egg, ca, ca_bundle, tmp_path) as node:
        yield node


@pytest.fixture(scope="module")
def shared(
    egg: Path, ca: Authority, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Node]:
    """For tests that harvest nothing."""
    with started(egg, ca, ca_bundle, tmp_path_factory.mktemp("shared")) as node:
        yield node


@contextmanager
def started(egg: Path, ca: Authority, ca_bundle: Path, path: Path) -> Iterator[Node]:
    folder = path / "scrapyd"
    with ExitStack() as stack:
        sites = in_shards(lambda: stack.enter_context(GatedSite(ca)), 2)
        register = write_register(
            path / "register.xml",
            {f"Gemeente {site.port}": [site.url("/d")] for _, site in sorted(sites.items())},
        )
        environment = {"SSL_CERT_FILE": str(ca_bundle), "WOO_DATA_DIR": str(folder / "data")}
        scrapyd = stack.enter_context(Scrapyd(folder, environment, jobs_to_keep=2))
        for site in sites.values():
            stack.callback(site.gates.clear)
        scrapyd.deploy(egg.parent, "--egg", str(egg))
        yield Node(scrapyd, sites[1], sites[2], register, ca_bundle)


def first_day(node: Node) -> None:
    for site in (node.one, node.two):
        publish(site, numbered(DOCUMENTS), {"oud": NEWER, "blijft": NEWER})


def second_day(node: Node) -> None:
    """In the first sitemap one has changed and one is new; the second lost one, and is not answered yet."""
    for site in (node.one, node.two):
        publish(site, {**numbered(DOCUMENTS), "doc0": NEWER, "nieuw": NEWER}, {"blijft": NEWER})
    node.one.gates.add("/s1.xml")


def on_the_command_line(node: Node, folder: Path) -> dict[str, Line]:
    """What runs on the command line make of the same two days: the latest version of each document."""
    folder.mkdir()
    installation = Fallible(folder, node.ca_bundle, [node.one, node.two])
    for day in (first_day, second_day):
        day(node)
        node.one.gates.clear()
        for shard in ("1/2", "2/2"):
            run = installation.run("-a", f"shard={shard}")
            assert run.stats["finish_reason"] == "finished"
    return latest(sorted(folder.glob("records/*.jsonl")))


def test_a_deployed_project_has_its_spiders(shared: Node, project: Path) -> None:
    told = shared.scrapyd.deploy(project, "--version", "next")
    assert "Packing version next" in told
    assert "next" in shared.scrapyd.get("listversions.json", project="woo")["versions"]
    assert "woo" in shared.scrapyd.get("listspiders.json", project="woo", _version="next")["spiders"]


def test_shards_on_scrapyd_harvest_what_the_command_line_does_though_one_is_cancelled(
    node: Node, tmp_path: Path
) -> None:
    first_day(node)
    jobs = [node.schedule("1/2"), node.schedule("2/2")]
    assert ["finish_reason': 'finished'" in node.scrapyd.wait(job) for job in jobs] == [True, True]
    assert node.causes() == {"aanlevering": 2 * (DOCUMENTS + 2)}

    second_day(node)
    cancelled, other = node.schedule("1/2"), node.schedule("2/2")
    node.scrapyd.wait(other)
    wait_until(lambda: "/s1.xml" in node.one.waiting, "the second sitemap is asked for")
    node.scrapyd.cancel(cancelled)
    wait_until(lambda: "Received SIGINT" in node.scrapyd.log(cancelled), "the job is told to end")
    node.one.gates.clear()  # it ends when what it has asked for is answered
    assert "'finish_reason': 'shutdown'" in node.scrapyd.wait(cancelled)
    # Nothing is lost of what was read, and nothing withdrawn of what was not.
    assert node.causes() - Counter(aanlevering=2 * (DOCUMENTS + 2)) == {
        "wijziging": 2, "aanlevering": 2, "intrekking": 1
    }  # fmt: skip

    assert "'finish_reason': 'finished'" in node.run("1/2")
    assert node.causes()["intrekking"] == 2
    assert sum(node.causes().values()) == 2 * (DOCUMENTS + 2) + 6
    ours = latest(sorted(node.folder.glob("records/*.jsonl")))
    assert ours == on_the_command_line(node, tmp_path / "command")


def test_all_that_a_job_writes_is_beside_the_eggs_and_stays_when_scrapyd_tidies_up(node: Node) -> None:
    first_day(node)
    for _ in range(2):
        node.run("1/2")
        node.run("2/2")
    # jobs_to_keep is 2: of four jobs, Scrapyd has kept two logs before it made the last one's.
    assert len(list(node.folder.glob("logs/woo/woo/*.log"))) <= 3
    assert len(list(node.folder.glob("records/*.jsonl"))) == 2, "a run without news leaves no file"
    assert len(node.records()) == 2 * (DOCUMENTS + 2)
    assert len(list(node.folder.glob("reports/woo-*/stats.json"))) == 4
    assert (node.folder / "data" / "woo-state.sqlite").exists()
    assert [path.suffix for path in (node.folder / "eggs").rglob("*") if path.is_file()] == [".egg"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"shards": "1/2"}, "ERROR: unknown argument shards: did you mean shard? (exit status 2)"),
        (
            {"register": "/nowhere/roo.xml"},
            "ERROR: The register /nowhere/roo.xml cannot be read: No such file or directory (exit status 1)",
        ),
    ],
)
def test_a_job_that_cannot_start_says_why_in_the_last_line_of_its_log(
    shared: Node, arguments: dict[str, str], line: str
) -> None:
    log = shared.scrapyd.wait(shared.scrapyd.schedule(settings={}, **arguments))
    assert log.splitlines()[-1].endswith(line)
    assert "Traceback" not in log
