"""``scrapy state hosts``: the hosts that an organisation registered, and what is known of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

from tests.commands.state_shell import Shell, refused
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Location, RooEntry, register_xml
from woo_harvester.demo.sitemaps import GEMEENTE, categorie
from woo_harvester.state.permits import entry_page_id

HAVEN = RooEntry(
    naam="Gemeente Haven",
    systeem_id="101",
    tooi=GEMEENTE.uri,
    locations=[
        Location("https://a.nl/woo", categorie(14).label),
        Location("https://a.nl/anders", "Andere documenten"),
        Location("https://nieuw.nl/", categorie(11).label, "In voorbereiding"),
    ],
)
OTHERS = [RooEntry(naam="Commissie", systeem_id="102", locations=[Location("https://www.b.nl:8443/")])]
ALONE = RooEntry(naam="Zonder plaats", systeem_id="104")


@pytest.fixture
def register(tmp_path: Path) -> Path:
    path = tmp_path / "register.xml"
    path.write_text(register_xml([HAVEN, *OTHERS, ALONE]))
    return path


def test_the_hosts_of_an_organisation_are_shown_with_what_is_known(filled: Shell, register: Path) -> None:
    done = filled("hosts", "gemeente", "haven", "-s", f"WOO_REGISTER={register}")
    assert (done.status, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head.startswith("Gemeente Haven (")
    assert head.endswith(f"{GEMEENTE.uri})")
    assert lines == [
        "  a.nl: 4 documents, 1 withdrawn, 2 pending withdrawals, complete read: 2023-11-14 23:15",
        "    Andere documenten: https://a.nl/anders",
        "    Woo-verzoeken en -besluiten: https://a.nl/woo",
        "  nieuw.nl: not harvested yet",
        "    convenanten: https://nieuw.nl/ (In voorbereiding)",
    ]


def test_the_entry_pages_of_an_organisation_are_shown(filled: Shell, register: Path) -> None:
    def fill(connection: Connection) -> None:
        entry_page_id(connection, "https://www.leverancier.nl/haven/", "www.leverancier.nl", "Gemeente Haven")
        entry_page_id(connection, "https://www.leverancier.nl/dorp/", "www.leverancier.nl", "Dorp")
        entry_page_id(connection, "https://nieuw.nl/xml/", "nieuw.nl")
        entry_page_id(connection, "https://www.b.nl:8443/xml/", "www.b.nl:8443")

    filled.fill(fill)
    lines = filled("hosts", "gemeente", "haven", "-s", f"WOO_REGISTER={register}").stdout.splitlines()
    nothing = "0 files, 0 cases, 0 withdrawn, complete read: never"
    assert lines[-2:] == [
        f"  entry page https://nieuw.nl/xml/: {nothing}",
        f"  entry page https://www.leverancier.nl/haven/: {nothing}",
    ]
    assert [line for line in lines if "entry page" in line] == lines[-2:]


def test_several_organisations_are_shown_also_one_without_a_location(state: Shell, register: Path) -> None:
    done = state("hosts", "102", "zonder plaats", "-s", f"WOO_REGISTER={register}")
    assert "there is no state" in done.stderr
    assert done.stdout.splitlines() == [
        "Commissie (Gemeente, 102)",
        "  www.b.nl:8443: not harvested yet",
        "    Andere documenten: https://www.b.nl:8443/",
        "Zonder plaats (Gemeente, 104)",
        "  no registered location in the Woo-index",
    ]


def test_a_misspelt_organisation_is_one_line(filled: Shell, register: Path) -> None:
    done = filled("hosts", "Gemeente Havem", "-s", f"WOO_REGISTER={register}")
    line = "no organisation 'Gemeente Havem' in the register: did you mean Gemeente Haven (gm0517)?"
    assert refused(done, line)


def test_without_a_stored_register_it_is_fetched(
    state: Shell, make_site: MakeSite, register: Path, ca_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_bundle))
    assert "cannot be read" in state("hosts", "101", "-s", "WOO_REGISTER=weg.xml").stderr
    site = make_site({"/roo.xml": Page(register.read_bytes(), content_type="application/xml")})
    for _ in range(2):
        done = state("hosts", "101", "-s", f"WOO_REGISTER={site.url('/roo.xml')}")
        assert "Gemeente Haven" in done.stdout
    assert len(site.requests) == 1
