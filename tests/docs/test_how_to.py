"""The pages of one task each, done as they say, and that no page with commands is forgotten."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from tests.docs.page import Command, Reader, pages, steps
from tests.integration.test_typed_twice import permits
from tests.register.exports import AMSTERDAM
from tests.utils.command import ROOT, run_scrapy
from tests.utils.daily import FIRST, numbered, publish, xml
from tests.utils.ports import free_port
from tests.utils.sites import ca, ca_bundle
from tests.utils.vergunningen import about
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.state.store import State

__all__ = ["ca", "ca_bundle"]

SAMPLE = ROOT / "tests" / "samples" / "besluit.pdf"

#: Commands that no test types as they are: what they have, and what proves them instead.
ELSEWHERE = {
    "sudo ": "needs root: tests/test_deploy_units.py runs the installer under another root",
    "createdb ": "needs PostgreSQL: tests/integration/test_postgresql.py makes databases",
    "db.example.nl": "needs PostgreSQL: tests/integration runs shards on it, and moves a state to it",
    "search.example.nl": "needs Elasticsearch: tests/commands/test_index.py and tests/portal ask it",
    "tooi update": "asks the site of TOOI: tests/commands/test_tooi.py has one of its own",
    "make bench": "takes an hour",
}

#: What is played in other files of this folder.
IN_OTHERS = ("tutorials/", "how-to/install.md", "how-to/supplier-ci.md")


def crawl(reader: Reader, *args: str) -> None:
    """Let there be a run that the page does not show."""
    given = ("-a", f"domains={reader.stand_ins['www.gemeente.nl']}", *args)
    done = run_scrapy(["crawl", "woo", *given], reader.folder, reader.ca, settings=reader.settings)
    assert done.returncode == 0, done.stderr


def files(reader: Reader, site: Site) -> None:
    """Have the files of a publisher in the folder."""
    (reader.folder / "sitemap.xml").write_bytes(xml(site, {"a": FIRST}))
    (reader.folder / "bericht.xml").write_bytes(about(1))


def lists(reader: Reader, site: Site) -> None:
    """Have the lists of an operator in the folder."""
    page = "https://www.gemeente.nl/vergunningen/".replace("www.gemeente.nl", site.host)
    (reader.folder / "entries.csv").write_text(f"organisatie,url\nAmsterdam,{page}\n", encoding="utf-8")
    suppliers = "organisatie,leverancier\nAmsterdam,Zaak BV\n"
    (reader.folder / "leveranciers.csv").write_text(suppliers, encoding="utf-8")


def much_gone(reader: Reader, site: Site) -> None:
    """Let all documents of the host be gone after a run. The page calls it ``www.dorp.nl``."""
    publish(site, numbered(12))
    for number in range(12):
        site.pages[f"/d/doc{number}.pdf"] = Page(SAMPLE.read_bytes(), content_type="application/pdf")
    crawl(reader)
    publish(site, {})
    crawl(reader)
    reader.stand_ins = {"www.dorp.nl": site.host, **reader.stand_ins}


def nothing(reader: Reader, site: Site) -> None:
    """Leave the folder empty."""


#: What is in the folder before a page is played; None for what a run has left.
PLAYED: dict[str, Callable[[Reader, Site], None] | None] = {
    "audit.md": files,
    "how-to/backup.md": None,
    "how-to/daily.md": None,
    "how-to/documents-and-text.md": nothing,
    "how-to/harvest.md": nothing,
    "how-to/permits.md": lists,
    "how-to/state.md": None,
    "how-to/trouble.md": None,
    "how-to/withdrawals.md": much_gone,
    "how-to/upkeep.md": None,
    "performance.md": nothing,
    "portal.md": None,
    "scaling.md": nothing,
    "search.md": nothing,
}

#: A command before which there was another run, and the arguments of that run.
AFTER_A_RUN = {
    "woo-harvester state restore": (),
    "woo-harvester state latest all-*.jsonl": ("-a", "deltafetch_reset=1"),
}


@pytest.fixture(scope="module")
def site(ca: Authority) -> Iterator[Site]:
    """The host that the pages call ``www.gemeente.nl``."""
    with Site(ca) as site:
        permits(site)
        for name in "ab":
            site.pages[f"/d/{name}.pdf"] = Page(SAMPLE.read_bytes(), content_type="application/pdf")
        yield site


@pytest.fixture(scope="module")
def register(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The register, with two organisations on that host."""
    path = tmp_path_factory.mktemp("register") / "register.xml"
    here, there = [Location(site.url("/d"))], [Location(site.url("/w"))]
    town = RooEntry(naam="Amsterdam", systeem_id="1", type="Gemeente", tooi=AMSTERDAM, locations=here)
    board = RooEntry(naam="Schieland", systeem_id="2", type="Waterschap", locations=there)
    path.write_text(register_xml([town, board]), encoding="utf-8")
    return path


def somebody(folder: Path, site: Site, register: Path, ca_bundle: Path) -> Reader:
    """Return a reader of a page who works in a folder. ``www.gemeente.nl`` lists two documents."""
    publish(site, {"a": FIRST, "b": FIRST})
    port = free_port()
    stand_ins = {
        "www.gemeente.nl": site.host,
        "test.gemeente.internal": site.host,
        "127.0.0.1:8080": f"127.0.0.1:{port}",
        "harvester portal": f"harvester portal --port {port}",
        "woo-2026-11-21T*": "woo-2*",
    }
    return Reader(folder, ca_bundle, stand_ins, {"WOO_REGISTER": register})


@pytest.fixture(scope="module")
def harvested(site: Site, register: Path, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which there was a run."""
    folder = tmp_path_factory.mktemp("harvested")
    with somebody(folder, site, register, ca_bundle) as reader:
        crawl(reader)
    return folder


@pytest.fixture
def reader(tmp_path: Path, site: Site, register: Path, ca_bundle: Path) -> Iterator[Reader]:
    """Somebody with an empty folder."""
    (tmp_path / "empty").mkdir()
    with somebody(tmp_path / "empty", site, register, ca_bundle) as reader:
        yield reader


def needs_sqlite(text: str) -> None:
    """Skip the test, or fail in CI, if a page needs a program that is missing."""
    if "$ sqlite3 " in text and shutil.which("sqlite3") is None:
        skip_or_fail("needs the shell of SQLite (on Debian: apt install sqlite3)")


@pytest.mark.parametrize("page", PLAYED)
def test_a_page_says_what_happens(reader: Reader, site: Site, harvested: Path, page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    needs_sqlite(text)
    if (prepare := PLAYED[page]) is None:
        shutil.copytree(harvested, reader.folder, dirs_exist_ok=True, symlinks=True)
    else:
        prepare(reader, site)
    for step in steps(text):
        if isinstance(step, Command):
            if any(part in step.text for part in ELSEWHERE):
                continue
            for begin, args in AFTER_A_RUN.items():
                if step.text.startswith(begin):
                    crawl(reader, *args)
            reader.do(step)


def test_no_page_with_commands_is_forgotten() -> None:
    there = {path.relative_to(ROOT / "docs").as_posix() for path in pages()}
    others = {name for name in there if name.startswith(IN_OTHERS)}
    assert there - others == set(PLAYED)


def test_every_command_that_is_not_typed_is_on_a_page() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages())
    assert [part for part in ELSEWHERE if part not in text] == []


def test_what_can_be_read_of_a_damaged_state_is_saved(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "how-to" / "trouble.md").read_text(encoding="utf-8")
    needs_sqlite(text)
    (save,) = [step for step in steps(text) if isinstance(step, Command) and ".dump" in step.text]
    path = tmp_path / ".scrapy" / "woo-state.sqlite"
    path.parent.mkdir()
    State.open(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path)) as state:
        rows = [(number, f"https://www.a.nl/{number:06}.pdf", 1) for number in range(1, 5001)]
        state.executemany("INSERT INTO documents (id, loc, sitemap_id) VALUES (?, ?, ?)", rows)
        state.commit()
        state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    page = content.index(b"https://www.a.nl/002500.pdf") // 4096 * 4096
    content[page : page + 4096] = b"\xaa" * 4096
    path.write_bytes(content)
    subprocess.run(["bash", "-c", save.text], cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    with closing(sqlite3.connect(tmp_path / "new.sqlite")) as saved:
        ((count,),) = saved.execute("SELECT count(*) FROM documents")
        assert 4500 < count < 5000
        assert saved.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
