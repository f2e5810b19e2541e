"""The built wheel in an empty environment and an empty folder: the base, and each extra alone."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import ROOT
from tests.pipelines.servers import s3_server
from tests.portal.records import bare
from tests.utils.command import read_lines
from tests.utils.daily import FIRST, publish, xml
from tests.utils.distributions import Environment, base, built, copied
from tests.utils.guard import Server
from tests.utils.postgresql import postgresql_server, postgresql_url
from tests.utils.sites import write_register
from tests.utils.vergunningen import about
from tests.utils.vergunningen import publish as publish_permits
from tests.utils.waiting import STUCK
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.permits.demo_messages import PRODUCT
from woo_harvester.utils.program import VERSION

__all__ = ["base", "built", "copied", "postgresql_server", "postgresql_url"]

pytestmark = pytest.mark.integration

PDF = (ROOT / "tests" / "samples" / "besluit.pdf").read_bytes()
PLACE = (
    "<zaak:object><zaak:coordinaten><zaak:x-waarde>155000</zaak:x-waarde>"
    "<zaak:y-waarde>463000</zaak:y-waarde></zaak:coordinaten></zaak:object>"
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: Bytes that the base may have on disk, without bytecode (docs/how-to/install.md).
SIZE = 120_000_000

#: Prints the package that each module lacks which cannot be imported.
IMPORT_ALL = """
import importlib, pkgutil, woo_harvester
for module in pkgutil.walk_packages(woo_harvester.__path__, "woo_harvester."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        print(error.name)
"""

MakeEnvironment = Callable[[str], Environment]
"""The function that gives an environment with the wheel and one extra."""


@pytest.fixture(scope="module")
def with_extra(base: Environment, tmp_path_factory: pytest.TempPathFactory) -> MakeEnvironment:
    def make(extra: str) -> Environment:
        folder = tmp_path_factory.mktemp("extra") / extra
        return Environment.make(folder, base.wheel, extra, base=base)

    return make


@pytest.fixture
def harvest(site: Site, tmp_path: Path, ca_bundle: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that harvests one document with an environment and more arguments."""
    publish(site, {"a": FIRST})
    site.pages["/d/a.pdf"] = Page(PDF, content_type="application/pdf")
    write_register(tmp_path / "register.xml", {"Gemeente": [site.url("/d")]})

    def run(given: Environment, *args: str, **settings: object) -> subprocess.CompletedProcess[str]:
        options = options_of({"WOO_ALLOW_PRIVATE_HOSTS": 1, "AUTOTHROTTLE_ENABLED": 0, **settings})
        typed = ("crawl", "woo", "-a", f"domains={site.host}", "-a", "register=register.xml", *args, *options)
        return given.run(*typed, cwd=tmp_path, ca=ca_bundle)

    return run


def options_of(settings: dict[str, object]) -> list[str]:
    return [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


def records_in(folder: Path) -> list[dict[str, Any]]:
    (path,) = folder.glob("records/*.jsonl")
    return read_lines(path)


def test_the_base_is_small(base: Environment) -> None:
    assert base.size < SIZE


def test_the_script_is_the_version_that_was_built(base: Environment, tmp_path: Path) -> None:
    assert base.run("--version", cwd=tmp_path).stdout.startswith(f"woo-harvester {VERSION} (Scrapy ")


def test_the_sbom_of_a_release_lists_what_is_installed_with_its_licences(
    base: Environment, tmp_path: Path
) -> None:
    recipe = subprocess.check_output(
        ["make", "--no-print-directory", "--dry-run", "sbom"], cwd=ROOT, text=True
    )
    commands = recipe[recipe.index("\nsed ") :]  # what follows the installation
    tools = str(Path(sys.executable).parent)
    for name, here in ((".cache/sbom", base.folder), (".venv/bin", tools), ("dist/", f"{tmp_path}/")):
        commands = commands.replace(name, str(here))
    subprocess.run(["bash", "-euc", commands], cwd=ROOT, check=True)
    sbom = json.loads((tmp_path / f"woo-harvester-{VERSION}.cdx.json").read_text(encoding="utf-8"))
    assert sbom["metadata"]["component"]["version"] == VERSION
    installed = {each.name for each in distributions(path=[str(base.packages)])}
    assert {each["name"] for each in sbom["components"]} == installed - {"woo-harvester"}
    assert all(each["licenses"] for each in sbom["components"])


def test_files_are_audited_in_an_empty_folder(base: Environment, site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(xml(site, {"a": FIRST}))
    done = base.run("audit", "--file", "sitemap.xml", "--lang", "en", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of the 1 documents is harvested" in done.stdout
    (report,) = tmp_path.glob("reports/woo-*/index.html")
    assert "<html" in report.read_text(encoding="utf-8")


def test_a_harvest_leaves_records_report_and_state_in_the_folder(
    base: Environment, tmp_path: Path, site: Site, harvest: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = harvest(base)
    assert done.returncode == 0, done.stderr
    (record,) = records_in(tmp_path)
    assert record["document"]["weblocatie"] == site.url("/d/a.pdf")
    assert (tmp_path / ".scrapy" / "woo-state.sqlite").exists()
    assert len(list(tmp_path.glob("reports/woo-*/report.json"))) == 1
    known = base.run("state", cwd=tmp_path)
    assert site.host in known.stdout, known.stderr
    assert "0 new" in harvest(base).stderr


REGISTER = ("-a", "register=register.xml", "-s", "WOO_ALLOW_PRIVATE_HOSTS=1")
WITHOUT: dict[str, Sequence[str]] = {
    "demo": ("demo",),
    "elasticsearch": ("index", "--rebuild", "x", "-s", "WOO_ELASTICSEARCH_URL=http://localhost:1"),
    "permits": ("crawl", "vergunningen", "-a", "entries=https://localhost:1/", *REGISTER),
    "portal": ("portal",),
    "postgresql": ("crawl", "woo", "-s", "WOO_STATE_URL=postgresql://localhost:1/woo", *REGISTER),
    "s3": ("crawl", "woo", "-s", "FILES_STORE=s3://woo/files", *REGISTER),
    "text": ("crawl", "woo", "-s", "WOO_TEXT=1", *REGISTER),
}
OTHERS_WITHOUT = [
    ("elasticsearch", ("crawl", "woo", "-s", "WOO_ELASTICSEARCH_URL=http://localhost:1", *REGISTER)),
    ("permits", ("audit", "--permits", "https://localhost:1/")),
    ("permits", ("audit", "--file", "bericht.xml")),
]


@pytest.mark.parametrize(("extra", "args"), [*WITHOUT.items(), *OTHERS_WITHOUT])
def test_what_needs_an_extra_says_which_in_one_line(
    base: Environment, tmp_path: Path, extra: str, args: Sequence[str]
) -> None:
    write_register(tmp_path / "register.xml", {"Gemeente": ["https://localhost:1/"]})
    (tmp_path / "bericht.xml").write_bytes(about(1))
    done = base.run(*args, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"woo-harvester {args[0]}: error: ")
    # The environments of the tests have no pip of their own.
    assert f'pip install "woo-harvester[{extra}]"' in line


def test_only_what_belongs_to_an_extra_cannot_be_imported(base: Environment, tmp_path: Path) -> None:
    done = subprocess.run(
        [base.folder / "bin" / "python", "-c", IMPORT_ALL],
        cwd=tmp_path, env=base.environ(tmp_path), capture_output=True, text=True, check=True,
    )  # fmt: skip
    named = {each for extra in PROJECT["optional-dependencies"].values() for each in extra}
    distributions = {re.split(r"[^\w-]", each)[0] for each in named}
    assert {name.replace("_", "-") for name in done.stdout.split()} <= distributions


def test_every_extra_is_tried() -> None:
    tried = {name.removeprefix("test_the_extra_") for name in globals() if name.startswith("test_the_extra_")}
    assert tried == PROJECT["optional-dependencies"].keys()
    assert tried - WITHOUT.keys() == {"deploy", "speed"}  # no command of ours needs them


def test_the_extra_demo(with_extra: MakeEnvironment, tmp_path: Path) -> None:
    environment = with_extra("demo")
    done = environment.run("demo", "--documents", "10", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Search:" not in done.stdout  # it has no portal
    assert len(list(tmp_path.glob("demo/records/*.jsonl"))) == 1
    of_permits = environment.run("demo", "vergunningen", cwd=tmp_path)
    assert "woo-harvester[permits]" in of_permits.stderr


def test_the_extra_permits(with_extra: MakeEnvironment, site: Site, tmp_path: Path, ca_bundle: Path) -> None:
    message = about(1, meta=f"{PRODUCT}{PLACE}")
    publish_permits(site, {"1.xml": message}, folder="/vergunningen/")
    write_register(tmp_path / "register.xml", {"Gemeente": [site.url("/")]})
    (tmp_path / "bericht.xml").write_bytes(message)
    environment = with_extra("permits")
    entries = ("-a", f"entries={site.url('/vergunningen/')}")
    done = environment.run("crawl", "vergunningen", *entries, *REGISTER, cwd=tmp_path, ca=ca_bundle)
    assert done.returncode == 0, done.stderr
    (record,) = records_in(tmp_path)
    (place,) = record["vergunning"]["object"]["coordinaten"]
    assert 52 < place["wgs84"]["lat"] < 53
    audit = environment.run("audit", "--file", "bericht.xml", cwd=tmp_path)
    assert "Aansluitbaar" in audit.stdout, audit.stderr


def test_the_extra_text(
    with_extra: MakeEnvironment, tmp_path: Path, harvest: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = harvest(with_extra("text"), WOO_TEXT=1, FILES_STORE="files", WOO_TEXT_WORKERS=1)
    assert done.returncode == 0, done.stderr
    (file,) = records_in(tmp_path)[0]["versies"][0]["bestanden"]
    assert file["tekst"]
    assert (tmp_path / "files" / file["pad"]).read_bytes() == PDF


def test_the_extra_postgresql(
    with_extra: MakeEnvironment,
    tmp_path: Path,
    postgresql_url: str,
    harvest: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = harvest(with_extra("postgresql"), WOO_STATE_URL=postgresql_url)
    assert done.returncode == 0, done.stderr
    assert len(records_in(tmp_path)) == 1
    assert not (tmp_path / ".scrapy" / "woo-state.sqlite").exists()


def test_the_extra_s3(
    with_extra: MakeEnvironment, tmp_path: Path, harvest: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    with s3_server() as server:
        done = harvest(with_extra("s3"), **server.settings)
        assert done.returncode == 0, done.stderr
        (file,) = records_in(tmp_path)[0]["versies"][0]["bestanden"]
        stored = server.read(f"documenten/{file['pad']}")
    assert stored is not None
    assert stored[0] == PDF


def test_the_extra_elasticsearch(with_extra: MakeEnvironment, tmp_path: Path) -> None:
    url = "http://127.0.0.1:1"  # nothing listens there: the client itself says so
    (tmp_path / "records.jsonl").write_text(json.dumps(bare()), encoding="utf-8")
    done = with_extra("elasticsearch").run(
        "index", "--rebuild", "records.jsonl", *options_of({"WOO_ELASTICSEARCH_URL": url}), cwd=tmp_path
    )
    assert done.returncode == 1
    assert "Elasticsearch cannot be reached" in done.stderr.splitlines()[-1]


def test_the_extra_portal(
    with_extra: MakeEnvironment, tmp_path: Path, harvest: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    environment = with_extra("portal")
    assert harvest(environment).returncode == 0
    with Server(
        environment.command("portal", "--port", "0"),
        cwd=tmp_path,
        env=environment.environ(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line.startswith("The portal is at "), line or process.communicate()[1]
            address = line.removeprefix("The portal is at ").split()[0]
            page = httpx.get(address, trust_env=False, timeout=STUCK)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=STUCK)
    assert (page.status_code, process.returncode) == (200, 0)
    done = environment.run(
        "portal", *options_of({"WOO_ELASTICSEARCH_URL": "http://localhost:1"}), cwd=tmp_path
    )
    assert "woo-harvester[elasticsearch]" in done.stderr


def test_the_extra_speed(
    with_extra: MakeEnvironment, base: Environment, tmp_path: Path, harvest: Callable[..., Any]
) -> None:
    shown = ("settings", "--get", "ASYNCIO_EVENT_LOOP")
    assert base.run(*shown, cwd=tmp_path).stdout == "None\n"
    environment = with_extra("speed")
    assert "uvloop.Loop" in environment.run(*shown, cwd=tmp_path).stdout
    assert harvest(environment).returncode == 0


def test_the_extra_deploy(with_extra: MakeEnvironment, copied: Path, tmp_path: Path) -> None:
    environment = with_extra("deploy")
    checkout = shutil.copytree(copied, tmp_path / "checkout")
    done = subprocess.run(
        [environment.folder / "bin" / "scrapyd-deploy", "--build-egg", tmp_path / "woo.egg"],
        cwd=checkout, env=environment.environ(tmp_path), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "woo.egg") as egg:
        assert "woo_harvester/settings.py" in egg.namelist()
