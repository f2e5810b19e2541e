"""Whose a permit case is: by the register, or by the host of its URL, and not by who came first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import Run
from tests.utils.postgresql import postgresql_server, postgresql_url
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, NEWER, Permits, codes, files_asked, publish, publish_more
from woo_harvester.demo.permit_messages import delete_message, document_message, message
from woo_harvester.demo.server import Page, Request
from woo_harvester.demo.site import Site

__all__ = ["postgresql_server", "postgresql_url"]

OWNER, STRANGER = "90000100", "90000101"


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path) -> Permits:
    return Permits(tmp_path, ca_bundle)


def register(permits: Permits, owner: Site | None, stranger: Site | None) -> None:
    """A register in which each of the two has its host, or none."""
    permits.organisations = {
        "Gemeente Voorbeeldstad": [owner.url("/woo")] if owner else ["https://www.voorbeeldstad.nl/woo"],
        "Gemeente Elders": [stranger.url("/woo")] if stranger else ["https://www.elders.nl/woo"],
    }


def case_on(site: Site, number: int = 1) -> str:
    return site.url(f"/zaken/{number}")


def published(run: Run) -> list[tuple[str, str, str | None]]:
    """Cause, organisation and title of each record."""
    return [
        (each["versies"][0]["oorzaak"], each["herkomst"]["organisatie"], each["vergunning"].get("title"))
        for each in run.records
    ]


def refused(run: Run) -> list[tuple[str, str]]:
    """The files of what was refused, and whose they are."""
    assert {code for code, _ in codes(run)} <= {"ipm.andere-organisatie"}
    return sorted((line["organisation"], line["url"].rpartition("/")[2]) for line in run.findings)


def entries(*sites: Site) -> str:
    return ",".join(site.url(FOLDER) for site in sites)


def take(site: Site, **given: str) -> dict[str, bytes]:
    """A message of a stranger about a case on *site*."""
    title, made = "Gekaapt", "2000-01-01"
    return {"kaap.xml": message(identifier=case_on(site), **{"title": title, "aanmaakdatum": made, **given})}


@pytest.mark.parametrize("made", ["2000-01-01", "2026-09-09"])
def test_who_comes_first_does_not_get_the_case_of_another_organisation(
    made: str, permits: Permits, make_site: MakeSite
) -> None:
    owner, stranger = make_site(), make_site()
    register(permits, owner, stranger)
    publish(stranger, take(owner, aanmaakdatum=made))
    for _ in range(2):
        run = permits.run(entries(stranger))
        assert (run.records, refused(run)) == ([], [(STRANGER, "kaap.xml")])
        assert run.findings[0]["seen"] == f"de zaak is van {OWNER}"
    publish(owner, {"1.xml": message(identifier=case_on(owner), title="Eigen")})
    run = permits.run(entries(stranger, owner))
    assert published(run) == [("aanlevering", OWNER, "Eigen")]
    gone = delete_message(identifier=case_on(owner), aanmaakdatum="2026-09-10")
    publish(stranger, {**take(owner), "weg.xml": gone})
    both = [(STRANGER, "kaap.xml"), (STRANGER, "weg.xml")]
    run = permits.run(entries(owner, stranger))
    assert (run.records, refused(run)) == ([], both)
    files_asked(stranger)
    run = permits.run(entries(owner, stranger))
    assert (run.records, refused(run), files_asked(stranger)) == ([], both, []), "on a day without new files"
    own = delete_message(identifier=case_on(owner), aanmaakdatum="2026-04-09")
    publish(owner, {"weg.xml": own})
    assert published(permits.run(entries(owner, stranger))) == [("intrekking", OWNER, None)]


def test_a_case_that_a_stranger_has_goes_to_its_owner_with_the_owners_message(
    permits: Permits, make_site: MakeSite
) -> None:
    """A state in which the stranger has the case: nobody had registered its host at the time."""
    owner, stranger = make_site(), make_site()
    register(permits, None, stranger)
    document = document_message(case=case_on(owner), identifier=owner.url("/b.pdf"), title="Vals besluit")
    publish(stranger, {**take(owner, aanmaakdatum="2026-09-09"), "doc.xml": document})
    assert published(permits.run(entries(stranger))) == [("aanlevering", STRANGER, "Gekaapt")]
    register(permits, owner, stranger)
    run = permits.run(entries(owner, stranger))
    assert (run.records, owner.requests[-1].path) == ([], FOLDER), "nothing changes without a message"
    publish(stranger, {**take(owner), "doc.xml": document}, NEWER)
    run = permits.run(entries(stranger))
    assert (run.records, refused(run)) == ([], [(STRANGER, "kaap.xml")]), "but the stranger cannot change it"
    publish(owner, {"1.xml": message(identifier=case_on(owner), title="Eigen", aanmaakdatum="2026-04-01")})
    run = permits.run(entries(owner, stranger))
    assert published(run) == [("wijziging", OWNER, "Eigen")]
    assert "documenten" not in run.records[0]
    for _ in range(2):
        run = permits.run(entries(owner, stranger))
        assert (run.records, refused(run)) == ([], [(STRANGER, "doc.xml"), (STRANGER, "kaap.xml")])


def test_what_is_refused_is_reported_where_the_server_says_that_it_did_not_change(
    permits: Permits, make_site: MakeSite
) -> None:
    owner, stranger = make_site(), make_site()
    register(permits, owner, stranger)
    publish(stranger, take(owner), date=None)
    body = take(owner)["kaap.xml"]

    def conditional(request: Request) -> Page:
        if request.headers.get("If-None-Match") == '"1"':
            return Page(status=304)
        return Page(body, content_type="application/xml", headers={"ETag": '"1"'})

    stranger.pages[FOLDER + "kaap.xml"] = conditional
    for _ in range(3):
        run = permits.run(entries(stranger))
        assert (run.records, refused(run)) == ([], [(STRANGER, "kaap.xml")])
    stranger.pages[FOLDER + "kaap.xml"] = Page(status=500)
    run = permits.run(entries(stranger), RETRY_TIMES=0)
    found = [("ipm.andere-organisatie", "kaap.xml"), ("ipm.bericht-onbereikbaar", "kaap.xml")]
    assert codes(run) == found


def test_a_stranger_cannot_take_or_remove_a_document_of_a_case(permits: Permits, make_site: MakeSite) -> None:
    owner, stranger = make_site(), make_site()
    register(permits, owner, stranger)
    document = {"identifier": owner.url("/b.pdf"), "title": "Vals", "aanmaakdatum": "2026-09-09"}
    files = {
        "eigen.xml": message(identifier=case_on(stranger), title="Eigen zaak"),
        "neem.xml": document_message("U", case=case_on(stranger), **document),
        "voeg.xml": document_message(
            "C", case=case_on(owner), **{**document, "identifier": "https://x.nl/c"}
        ),
        "weg.xml": document_message("D", case=case_on(owner), **document),
    }
    publish(stranger, files)
    permits.run(entries(stranger))
    own = document_message(case=case_on(owner), identifier=owner.url("/b.pdf"), title="Besluit")
    publish(owner, {"1.xml": message(identifier=case_on(owner)), "b.xml": own})
    run = permits.run(entries(stranger, owner))
    assert [[each["title"] for each in record["documenten"]] for record in run.records] == [["Besluit"]]
    for _ in range(2):
        run = permits.run(entries(owner, stranger))
        assert (run.records, refused(run)) == ([], [(STRANGER, "voeg.xml"), (STRANGER, "weg.xml")])


def test_an_organisation_that_gets_another_name_keeps_its_cases(
    permits: Permits, make_site: MakeSite
) -> None:
    site = make_site()
    case = "https://www.voorbeeldstad.nl/zaken/1"
    publish(site, {"1.xml": message(identifier=case, title="Eerst")})
    csv = permits.folder / "entries.csv"
    csv.write_text(f"organisatie,url\nDorp,{site.url(FOLDER)}\n", encoding="utf-8")
    assert published(permits.run(str(csv))) == [("aanlevering", "Dorp", "Eerst")]
    csv.write_text(f"organisatie,url\nGemeente Dorp,{site.url(FOLDER)}\n", encoding="utf-8")
    publish_more(site, {"2.xml": message("U", identifier=case, title="Dan", aanmaakdatum="2026-04-02")})
    run = permits.run(str(csv))
    assert (published(run), run.findings) == ([("wijziging", "Gemeente Dorp", "Dan")], [])
