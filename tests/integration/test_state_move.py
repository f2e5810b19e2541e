"""A state of both spiders that moves to PostgreSQL, by the commands of docs/how-to/backup.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT, skip_or_fail
from tests.docs.page import Command, steps
from tests.utils import daily
from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester
from tests.utils.postgresql import postgresql_server, postgresql_url
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, Permits, about, case, causes, codes, files_asked, publish
from woo_harvester.demo.site import Site
from woo_harvester.permits.demo_messages import delete_message, document_message, message
from woo_harvester.utils.urls import record_id

__all__ = ["postgresql_server", "postgresql_url"]

MOVED = case(3).replace("https", "http")


@dataclass
class Both:
    """One installation with a publisher of documents and permits, and a publisher of permits only."""

    documents: Harvester
    permits: Permits
    site: Site
    other: Site

    @property
    def folder(self) -> Path:
        return self.permits.folder

    @property
    def entries(self) -> str:
        return f"{self.site.url(FOLDER)},{self.other.url(FOLDER)}"

    def state(self, *args: str, status: int = 0, **settings: object) -> Run:
        """Run ``scrapy state`` with these arguments; *status* is the exit status."""
        done = run_scrapy(["state", *args], self.folder, settings=settings)
        assert done.returncode == status, done.stderr
        return done


@pytest.fixture
def both(tmp_path: Path, ca_bundle: Path, make_site: MakeSite) -> Both:
    """Return an installation after some days: with cases, documents of cases, and what went wrong."""
    site, other = make_site(), make_site()
    daily.publish(site, {"besluit": FIRST, "verslag": FIRST})
    document = document_message(case=case(1), identifier=case(1) + "/b.pdf")
    files = {"1.xml": about(1), "1b.xml": document, "2.xml": about(2), "3.xml": about(3, identifier=MOVED)}
    own = site.url("/zaken/9")
    files["9.xml"] = message(identifier=own, title="Eigen")
    files |= {"fout.xml": b"<geen-bericht/>", "later.xml": about(4, aanmaakdatum="2096-01-01")}
    publish(site, files)
    found = Both(Harvester(tmp_path, ca_bundle, [site]), Permits(tmp_path, ca_bundle), site, other)
    assert len(found.documents.day().records) == 2
    assert set(causes(found.permits.run(site.url(FOLDER)))) == {"1", "2", "3", "9"}
    deleted = delete_message(identifier=case(2), transactie_id="9", aanmaakdatum="2026-04-02")
    changed = about(3, "U", transactie_id="9", aanmaakdatum="2026-04-02", title="Verhuisd")
    publish(site, {**files, "weg.xml": deleted, "3u.xml": changed})
    odd = about(5, title="Één, \"5\"; 'x'\u00a0\\")
    publish(other, {"kaap.xml": message(identifier=own, title="Gekaapt"), "5.xml": odd})
    run = found.permits.run(found.entries)
    assert causes(run) == {"2": "intrekking", "3": "wijziging", "5": "aanlevering"}
    return found


def test_after_a_move_to_postgresql_no_run_gives_a_record(both: Both, postgresql_url: str) -> None:
    if shutil.which("pgloader") is None:
        skip_or_fail("needs pgloader (on Debian: apt install pgloader)")
    reported = codes(both.permits.run(both.entries))
    assert ("ipm.schema", "fout.xml") in reported
    assert ("ipm.andere-organisatie", "kaap.xml") in reported
    before, there = both.state().stdout, postgresql_url
    move_as_the_page_says(both.folder, postgresql_url)
    assert both.state(WOO_STATE_URL=there).stdout == before
    assert both.documents.day(WOO_STATE_URL=there).records == []
    files_asked(both.site)
    permits = both.permits.run(both.entries, WOO_STATE_URL=there)
    assert (permits.records, files_asked(both.site)) == ([], [])
    assert codes(permits) == reported, "what is wrong is known too"
    publish(both.site, {"3d.xml": delete_message(identifier=MOVED, aanmaakdatum="2026-04-09")})
    publish(both.other, {"6.xml": about(6)})
    found = {record["id"] for record in both.permits.run(both.entries, WOO_STATE_URL=there).records}
    assert found == {record_id(MOVED), record_id(case(6))}, "its first URL is known, and new rows get numbers"
    daily.publish(both.site, {"besluit": NEWER, "nieuw": FIRST})
    changes = {"besluit": "wijziging", "nieuw": "aanlevering", "verslag": "intrekking"}
    assert daily.causes(both.documents.day(WOO_STATE_URL=there)) == changes


def move_as_the_page_says(folder: Path, url: str) -> None:
    """Type the commands of docs/how-to/backup.md in *folder*, with the URL of a database."""
    page = (ROOT / "docs" / "how-to" / "backup.md").read_text(encoding="utf-8")
    commands = [
        step.text for step in steps(page) if isinstance(step, Command) and "db.example.nl" in step.text
    ]
    assert [command.split()[0] for command in commands] == ["python", "pgloader"]
    place = f"//{url.partition('//')[2]}"
    for command in commands:
        typed = command.replace("//woo:password@db.example.nl/woo", place)
        done = subprocess.run(
            ["bash", "-c", typed],
            cwd=folder,
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            check=True,
            capture_output=True,
            text=True,
        )
        assert "ERROR" not in done.stdout, done.stdout
