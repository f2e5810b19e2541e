# ruff: noqa: E501  -- a case a line
"""What libraries say, in the words of a publisher."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from string import Formatter
from typing import Any

import pytest

from woo_harvester.findings.texts import certificate_fault, in_words
from woo_harvester.sitemaps.reader import SitemapReader
from woo_harvester.sitemaps.xml_stream import SitemapError

TABLE: dict[str, Any] = tomllib.loads(
    files("woo_harvester.findings").joinpath("seen.toml").read_text(encoding="utf-8")
)

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset>\n<url><loc>'
TAIL = b"</loc></url>\n</urlset>"


def said_of(body: bytes) -> str:
    """Return what the reader says of a broken sitemap."""
    with pytest.raises(SitemapError) as caught:
        list(SitemapReader([body], "urlset", 1_000_000))
    return caught.value.seen


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "een leeg bestand"),
        (b"  ", "geen enkel XML-element"),
        (b"hallo", "het bestand begint niet met XML, maar met andere tekst"),
        (b"<!DOCTYPE html><html/>", "een HTML-pagina in plaats van XML"),
        (HEAD + b"\xe9" + TAIL, "tekens die niet in de codering van het bestand passen (sla het op als UTF-8)"),
        (HEAD + b"&eacute;" + TAIL, "&eacute; bestaat niet in XML (schrijf het teken zelf)"),
        (HEAD + b"</url></urlset>", "<loc> van regel 3 is niet gesloten: hier staat </url>"),
        (HEAD + b"x", "het bestand houdt op terwijl <loc> nog niet is gesloten"),
        (b"\n" + HEAD + TAIL, "<?xml …?> staat niet helemaal aan het begin van het bestand"),
        (HEAD + TAIL + b"x", "tekst of elementen na het einde van het hoofdelement"),
        (HEAD + b"\x0b" + TAIL, "een teken dat in XML niet mag (nummer 11)"),
        (HEAD + b"a < b" + TAIL, "een losse < of een naam van een element die niet mag (schrijf &lt;)"),
        (HEAD + b"<a b=c/>" + TAIL, "een waarde van een attribuut zonder aanhalingstekens"),
        (HEAD + b"<a b/>" + TAIL, "het attribuut b heeft geen waarde"),
        (HEAD + b"<a b='1' b='2'/>" + TAIL, "het attribuut b staat er twee keer"),
        (HEAD + b"<x:a/>" + TAIL, "het voorvoegsel x van <x:a> is nergens verklaard met xmlns:x"),
        (HEAD + b"<!-- a -- b -->" + TAIL, "twee streepjes (--) in commentaar"),
        (HEAD + b"<!-- a" + TAIL, "commentaar dat niet is gesloten met -->"),
        (HEAD + b"<![CDATA[a" + TAIL, "een <![CDATA[ die niet is gesloten met ]]>"),
        (b'<?xml version="1.0" encoding="cp1006"?><urlset/>', "een codering die XML niet kent: cp1006 (gebruik UTF-8)"),
        (HEAD + b"a&b" + TAIL, "een losse & (schrijf &amp;)"),
    ],
)  # fmt: skip
def test_what_the_parser_says_of_a_broken_file_is_said_in_dutch(body: bytes, words: str) -> None:
    assert in_words("sitemap.ongeldig", said_of(body), "nl") == words


@pytest.mark.parametrize(
    ("seen", "dutch", "english"),
    [
        (
            "Cannot connect to host www.a.nl:443 ssl:default [Name or service not known]",
            "de naam van de host bestaat niet in het DNS",
            "the name of the host does not exist in the DNS",
        ),
        (
            "Cannot connect to host www.a.nl:443 ssl:default [Connect call failed ('127.0.0.1', 443)]",
            "de server weigert de verbinding",
            "the server refuses the connection",
        ),
        ("Server disconnected", "de server verbrak de verbinding", "the server broke the connection"),
        ("time-out", "time-out", "timeout"),
        (
            "het certificaat is verlopen (certificate has expired)",
            "het certificaat is verlopen (certificate has expired)",
            "the certificate has expired",
        ),
        ("iets dat geen bibliotheek zegt", "iets dat geen bibliotheek zegt", "iets dat geen bibliotheek zegt"),
    ],
)  # fmt: skip
def test_what_the_network_says_is_said_in_both_languages(seen: str, dutch: str, english: str) -> None:
    assert in_words("robots.onbereikbaar", seen, "nl") == dutch
    assert in_words("robots.onbereikbaar", seen, "en") == english


@pytest.mark.parametrize(
    ("seen", "english"),
    [
        ("ontbreekt", "missing"),
        ("<meta> is niet volledig", "<meta> is incomplete"),
        ("<message> in naamruimte (geen)", "<message> in no namespace"),
        (
            "<message> van versie 3.0, naamruimte http://a/3.0/",
            "<message> of version 3.0, namespace http://a/3.0/",
        ),
        ("<x> in naamruimte http://a/", "<x> in namespace http://a/"),
        ("2026-04-02; eerder 2026-04-01", "2026-04-02; before 2026-04-01"),
        ("1-4-2026", "1-4-2026"),
    ],
)
def test_what_our_own_reader_of_messages_says_is_said_in_english(seen: str, english: str) -> None:
    assert in_words("ipm.schema", seen, "nl") == seen
    assert in_words("ipm.schema", seen, "en") == english


def test_what_a_publisher_wrote_stays_as_it_is() -> None:
    assert in_words("waarde.label-onbekend", "an HTML page", "nl") == "an HTML page"


def test_a_certificate_has_a_fault_by_its_number() -> None:
    assert certificate_fault(10) == "het certificaat is verlopen"
    assert certificate_fault(1) is None
    assert certificate_fault(None) is None


@pytest.mark.parametrize("text", TABLE["text"], ids=lambda text: text["pattern"][:40])
def test_each_text_uses_only_the_parts_of_its_pattern(text: dict[str, str]) -> None:
    parts = set(re.compile(text["pattern"]).groupindex)
    for lang in ("nl", "en"):
        used = {name for _, name, _, _ in Formatter().parse(text.get(lang, "")) if name}
        assert used <= parts
    assert text["en"]


@pytest.mark.parametrize("code", TABLE["certificate"])
def test_each_certificate_has_both_languages(code: str) -> None:
    assert TABLE["certificate"][code].keys() == {"nl", "en"}
