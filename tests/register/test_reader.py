"""Reading the register export."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.register.exports import AMSTERDAM, TODAY, export, organisation, read, read_with_findings
from tests.samples import EXPORT
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Organisation, Register, RegisterError, read_export
from woo_harvester.register.reader import location_url


def _read_or_refuse(document: bytes) -> None:
    with suppress(RegisterError):
        assert isinstance(read_with_findings(document)[0], Register)


@pytest.fixture(scope="module")
def register() -> Register:
    return _read(date(2026, 11, 21))


def _read(today: date) -> Register:
    findings: list[Finding] = []
    with EXPORT.open("rb") as stream:
        register = read_export(stream, Reporter(findings.append), today)
    assert findings == []
    return register


def test_an_organisation_has_its_systeem_id_name_and_tooi_uri_by_which_it_is_identified() -> None:
    for body in (
        Organisation("28", "gemeente Amsterdam", AMSTERDAM),
        Organisation("28532131", "Bestuurscommissie"),
    ):
        exported = organisation(body.name, "https://www.a.nl/woo", id=body.system_id, uri=body.uri)
        assert read(exported).organisations == (body,)
        assert body.identifier == (body.uri or body.system_id)


def test_every_location_counts_and_no_other_url_and_each_host_is_visited_once() -> None:
    register = read(organisation("A", "https://www.a.nl/1", "https://www.a.nl/2", "https://open.a.nl:8443/"))
    assert (register.hosts, register.location_count) == (("open.a.nl:8443", "www.a.nl"), 3)


def test_any_version_of_the_namespace_is_read() -> None:
    for version in ["2.6.9", "2.7.0", "3"]:
        register, _ = read_with_findings(export(organisation("A", "https://www.a.nl/"), version=version))
        assert register.hosts == ("www.a.nl",), version


def test_an_export_without_namespace_is_read() -> None:
    document = (
        b'<o><organisatie systeemId="7"><naam>A</naam><woo><wooIndex><documentLocatie><url>www.a.nl</url>'
        b"</documentLocatie></wooIndex></woo></organisatie></o>"
    )
    register, _ = read_with_findings(document)
    assert register.organisations_of_host("www.a.nl") == (Organisation("7", "A"),)


def test_nested_organisations_each_have_their_own_name_and_locations() -> None:
    register = read(
        organisation(
            "Ministerie",
            "https://m.nl/",
            id="1",
            children=[
                organisation(
                    "Dienst",
                    "https://d.nl/",
                    id="2",
                    children=[organisation("Team", "https://t.nl/", id="3")],
                )
            ],
        )
    )
    names = {host: register.organisations_of_host(host)[0].name for host in register.hosts}
    assert names == {"m.nl": "Ministerie", "d.nl": "Dienst", "t.nl": "Team"}


def test_names_deeper_in_an_organisation_are_not_its_name() -> None:
    document = export(organisation("A", "https://a.nl/")).replace(
        b"<p:types>",
        b"<p:functies><p:functie><p:naam>Burgemeester</p:naam></p:functie></p:functies><p:types>",
    )
    register, _ = read_with_findings(document)
    assert [organisation.name for organisation in register.organisations] == ["A"]


def test_an_organisation_that_ended_on_or_before_today_is_left_out_with_its_bad_locations() -> None:
    for end in ("2026-11-20", "2026-11-21", "2020-01-01", "2020-01-01+01:00", " 2020-01-01\n"):
        register = read(
            organisation("Oud", "https://oud.nl/", "geen", id="1", end=end),
            organisation("Nu", "https://nu.nl/", id="2"),
        )
        assert (register.hosts, register.find("Oud")) == (("nu.nl",), None), end
    for end in ("2026-11-22", "2099-12-31", "onbekend", "0000-00-00", ""):
        assert read(organisation("A", "https://a.nl/", end=end)).hosts == ("a.nl",), end


def test_a_child_need_not_have_ended_with_its_parent_and_can_have_ended_before_it() -> None:
    ended = organisation("Weg", "https://weg.nl/", id="3", end="2020-01-01")
    children = [organisation("Kind", "https://kind.nl/", id="2"), ended]
    register = read(organisation("Oud", "https://oud.nl/", id="1", end="2020-01-01", children=children))
    assert register.hosts == ("kind.nl",)
    assert read(organisation("Nu", "https://nu.nl/", children=[ended])).hosts == ("nu.nl",)


def test_an_organisation_has_the_first_of_its_kinds_and_its_abbreviation() -> None:
    types = "<p:types><p:type>Gemeente</p:type></p:types>"
    several = "<p:types><p:type>Provincie</p:type><p:type>rwt</p:type></p:types>"
    register = read(organisation("A"), organisation("B", id="2").replace(types, several))
    assert {each.name: each.kind for each in register.organisations} == {"A": "Gemeente", "B": "Provincie"}
    short = read(organisation("C").replace(types, "<p:afkorting> VWS </p:afkorting>"))
    assert [(each.kind, each.abbreviation) for each in short.organisations] == [(None, "VWS")]


def test_an_organisation_that_the_export_lists_twice_is_one() -> None:
    register = read(
        organisation("A", "https://a.nl/1", id="5"),
        organisation("A (dienst)", "https://a.nl/2", id="5"),
    )
    assert register.organisations_of_host("a.nl") == (Organisation("5", "A"),)
    assert register.location_count == 2


def test_a_registered_value_is_read_as_https() -> None:
    for value, url in [
        ("https://www.a.nl/woo", "https://www.a.nl/woo"),
        ("www.bestuursorgaan.nl/woo-verzoeken", "https://www.bestuursorgaan.nl/woo-verzoeken"),
        ("//www.a.nl/woo", "https://www.a.nl/woo"),
        ("http://www.a.nl/woo", "https://www.a.nl/woo"),
        ("http://www.a.nl:80/woo", "https://www.a.nl/woo"),
        ("HTTPS://WWW.A.NL/Woo", "https://www.a.nl/Woo"),
        ("  https://www.a.nl/woo\n ", "https://www.a.nl/woo"),
        ("https://www.a.nl:443", "https://www.a.nl"),
        ("https://www.a.nl:8443/woo", "https://www.a.nl:8443/woo"),
        ("localhost:8443/woo", "https://localhost:8443/woo"),
        ("127.0.0.1:8443/woo", "https://127.0.0.1:8443/woo"),
        ("https://localhost/woo", "https://localhost/woo"),
        ("https://súdwest-fryslân.nl/woo", "https://xn--sdwest-frysln-teb26a.nl/woo"),
        ("www.a.nl?x=https://b.nl/", "https://www.a.nl?x=https://b.nl/"),
        ("https://www.a.nl/zoek?q=a b#deel", "https://www.a.nl/zoek?q=a b#deel"),
    ]:
        assert location_url(value) == url, value


def test_a_location_without_a_usable_url_is_a_finding_and_is_left_out() -> None:
    for value in (
        *(
            "",
            "geen",
            "n.v.t.",
            "n.v.t",
            "volgt nog",
            "/woo",
            "woo@a.nl",
            "mailto:woo@a.nl",
            "tel:0201234567",
        ),
        *("https://", "https:///woo", "https:/www.a.nl", "https//www.a.nl", "https://www a.nl/"),
        *("https://www.a.nl, https://www.b.nl", "ftp://www.a.nl/", "file:///etc/passwd"),
        *("javascript:alert(1)", "https://piet:geheim@www.a.nl/", "https://www.a.nl:99999/"),
        "https://www.a.nl/" + "a" * 10_000,
    ):
        register, findings = read_with_findings(export(organisation("A", value, "https://www.a.nl/", id="5")))
        assert register.hosts == ("www.a.nl",), value
        assert findings == [
            Finding(
                code="register.url-ongeldig",
                organisation="5",
                element="documentLocatie/url",
                seen=value,
                action="locatie overgeslagen",
            )
        ], value
    document = export(organisation("A", "https://a.nl/")).replace(b"<p:url>https://a.nl/</p:url>", b"")
    register, findings = read_with_findings(document)
    assert (register.hosts, [finding.code for finding in findings]) == ((), ["register.url-ongeldig"])


def test_a_value_in_pieces_is_put_together() -> None:
    document = export(organisation("A &", "https://a.nl/XXX")).replace(
        b"XXX", b"b<!-- x --><![CDATA[?c=1&d]]>&#61;2"
    )
    register, _ = read_with_findings(document)
    assert register.organisations[0].name == "A &"
    assert register.organisation_of("https://a.nl/b?c=1&d=2", "").organisation is not None


def test_findings_of_a_bad_export_are_not_reported() -> None:
    findings: list[Finding] = []
    with pytest.raises(RegisterError):
        read_export(BytesIO(export(organisation("A", "geen"))[:-10]), Reporter(findings.append), TODAY)
    assert findings == []


def test_what_is_not_xml_or_breaks_off_is_refused_in_one_line() -> None:
    for document in [
        b"",
        b"   ",
        b"Niet gevonden",
        b"<html><body>Storing</body>",
        b"\x00\x01\x02",
        b"{}",
        export(organisation("A", "https://a.nl/"))[:-1],
        export(organisation("A", "https://a.nl/"))[:200],
        export(organisation("A", "https://a.nl/")) + b"<meer/>",
        export(organisation("A", "https://a.nl/")).replace(b"Zie de site", b"\xff"),
        export(organisation("A", "https://a.nl/")).replace(b"Zie de site", b"&onbekend;"),
    ]:
        with pytest.raises(RegisterError, match="not complete XML") as raised:
            read_with_findings(document)
        assert "\n" not in str(raised.value), document


def test_an_export_without_an_organisation_that_exists_is_refused() -> None:
    expected = "^The register export has no organisation that exists today$"
    ended = export(organisation("A", end="2020-01-01"))
    for document in (export(), b"<html><body>Storing</body></html>", ended):
        with pytest.raises(RegisterError, match=expected):
            read_with_findings(document)


def test_a_doctype_is_refused() -> None:
    for doctype in (
        b"<!DOCTYPE html>",
        b'<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE o [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        b'<!DOCTYPE o SYSTEM "https://a.nl/o.dtd">',
    ):
        with pytest.raises(RegisterError, match="DOCTYPE"):
            read_with_findings(doctype + b"<o><organisatie systeemId='1'/></o>")


@given(st.binary(max_size=300))
def test_any_bytes_give_a_register_or_a_register_error(document: bytes) -> None:
    _read_or_refuse(document)


@given(st.data())
def test_any_damage_to_an_export_gives_a_register_or_a_register_error(data: st.DataObject) -> None:
    whole = export(organisation("Ä", "https://a.nl/ä?b", "www.b.nl", id="2", uri=AMSTERDAM, end="2030-01-01"))
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 20)))
    _read_or_refuse(whole[:start] + data.draw(st.binary(max_size=8)) + whole[end:])


@given(st.text())
def test_any_registered_value_gives_a_location_or_a_value_error(value: str) -> None:
    try:
        url = location_url(value)
    except ValueError:
        return
    assert location_url(url) == url
    assert url.startswith("https://")


# An excerpt of the register as it was published in November 2026.


def test_ended_organisations_take_their_hosts_with_them(register: Register) -> None:
    with_locations = [body for body in register.organisations if register.hosts_of(body)]
    assert (len(with_locations), register.location_count, len(register.hosts)) == (12, 49, 18)


def test_every_registered_url_leads_to_an_organisation_of_its_host(register: Register) -> None:
    for host in register.hosts:
        match = register.organisation_of(f"https://{host}/", host)
        found = (match.organisation,) if match.organisation else match.candidates
        assert found
        assert set(found) <= set(register.organisations_of_host(host))
