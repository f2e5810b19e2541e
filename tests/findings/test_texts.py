"""What the harvester did, in the language of the report."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from tests.conftest import ROOT
from woo_harvester.findings.texts import action_in_words, certificate_fault, in_words
from woo_harvester.sitemaps.reader import SitemapReader
from woo_harvester.sitemaps.xml_stream import SitemapError

TABLE: dict[str, dict[str, str]] = tomllib.loads(
    files("woo_harvester.findings").joinpath("actions.toml").read_text(encoding="utf-8")
)
#: Functions that return an action, and those whose last argument is one.
RETURNING = {"action", "resolved_as", "_filled", "_repeated_action"}
TAKING = {"EntryFinding", "FileFinding", "LineFinding", "_Outcome"}
NOTING = {"_emit", "_note", "note"}
#: Folders whose arguments ``action`` are of other things: options of commands.
NO_FINDINGS = {"commands", "running"}


def test_an_action_is_english_in_an_english_report_only() -> None:
    for dutch, english in [
        ("overgeslagen", "skipped"),
        ("standaardwaarde gebruikt: op weg naar {huis}", "default used: op weg naar {huis}"),
        ("gelezen als gemeente Amsterdam (https://a.nl/x)", "read as gemeente Amsterdam (https://a.nl/x)"),
        ("gelezen als &amp;; ook op regel 4, 5 en verder", "read as &amp;; also on line 4, 5 and further on"),
        ("overgeslagen: de vermelding op regel 7 telt", "skipped: the entry on line 7 counts"),
        ("overgeslagen: de vermelding op www.a.nl telt", "skipped: the entry on www.a.nl counts"),
        (
            "overgeslagen: een andere vermelding telt",
            "skipped: another entry counts",
        ),
        ("ongeveer 2 documenten niet gelezen", "about 2 documents not read"),
        (
            "nog niet ingetrokken: volledige ronde 1 tot 2 van 3; zie pending.jsonl",
            "not withdrawn yet: complete reads 1 to 2 of 3; see pending.jsonl",
        ),
        (
            "bericht niet verwerkt; verwacht: meta (naamruimte geen)",
            "message not processed; expected: meta (no namespace)",
        ),
        ("iets van een eigen pijplijn", "iets van een eigen pijplijn"),
    ]:
        assert (action_in_words(dutch, "en"), action_in_words(dutch, "nl")) == (english, dutch), dutch


def test_every_part_that_a_text_names_is_in_both_languages() -> None:
    for section in TABLE.values():
        for dutch, english in section.items():
            named = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (dutch, english)]
            assert named[0] == named[1], dutch


def test_every_action_in_the_code_has_english_words() -> None:
    modules = sorted((ROOT / "woo_harvester").rglob("*.py"))
    found = {text: path for path in modules for text in actions(path)}
    assert len(found) > 40
    assert {text: path for text, path in found.items() if action_in_words(text, "en") == text} == {}


def actions(path: Path) -> Iterator[str]:
    """Yield the actions of findings that a module has, with 7 for what differs."""
    if path.relative_to(ROOT / "woo_harvester").parts[0] in NO_FINDINGS:
        return
    for node in ast.walk(tree(path)):
        for value in values(node):
            yield from texts(path, value)


def values(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions in a node whose value is an action."""
    match node:
        case ast.keyword(arg="action", value=value):
            yield value
        case ast.Assign(targets=[ast.Name(id="action")], value=value):
            yield value
        case ast.FunctionDef(name=name) if name in RETURNING:
            yield from (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args):
            if (name in TAKING or name in NOTING) and len(args) >= 4:
                yield args[-1] if name in NOTING else args[3]


def texts(path: Path, value: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may have."""
    match value:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.Name(id=name) if name in constants(path):
            yield constants(path)[name]
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts(path, body)
            yield from texts(path, orelse)
        case ast.JoinedStr(values=parts):
            yield "".join(part_of(path, part) for part in parts)


def part_of(path: Path, part: ast.expr) -> str:
    match part:
        case ast.Constant(value=str(text)):
            return text
        case ast.FormattedValue(value=ast.Name(id=name)):
            return constants(path).get(name, "7")
    return "7"


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def constants(path: Path) -> dict[str, str]:
    """Return the constants of a module that are texts, and those that it imports."""
    found: dict[str, str] = {}
    for node in tree(path).body:
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("woo_harvester"):
                source = ROOT / f"{module.replace('.', '/')}.py"
                known = constants(source) if source.exists() else {}
                found |= {each.name: known[each.name] for each in names if each.name in known}
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                found[name] = text
    return found


# What libraries say, in the words of a publisher.


SEEN: dict[str, Any] = tomllib.loads(
    files("woo_harvester.findings").joinpath("seen.toml").read_text(encoding="utf-8")
)

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset>\n<url><loc>'
TAIL = b"</loc></url>\n</urlset>"


def said_of(body: bytes) -> str:
    """Return what the reader says of a broken sitemap."""
    with pytest.raises(SitemapError) as caught:
        list(SitemapReader([body], "urlset", 1_000_000))
    return caught.value.seen


def test_what_the_parser_says_of_a_broken_file_is_said_in_dutch() -> None:
    for body, words in [
        (b"", "een leeg bestand"),
        (b"  ", "geen enkel XML-element"),
        (b"hallo", "het bestand begint niet met XML, maar met andere tekst"),
        (b"<!DOCTYPE html><html/>", "een HTML-pagina in plaats van XML"),
        (
            HEAD + b"\xe9" + TAIL,
            "tekens die niet in de codering van het bestand passen (sla het op als UTF-8)",
        ),
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
        (
            b'<?xml version="1.0" encoding="euc_jp"?><urlset/>',
            "een codering die XML niet kent: euc_jp (gebruik UTF-8)",
        ),
        (HEAD.replace(b"<url>", b"<? x?><url>") + TAIL, "een <? zonder naam erachter (schrijf <?xml …?>)"),
        (HEAD + b"<a 1='2'/>" + TAIL, "een naam van een attribuut die niet mag"),
        (HEAD + b"a&b" + TAIL, "een losse & (schrijf &amp;)"),
    ]:
        assert in_words("sitemap.ongeldig", said_of(body), "nl") == words, body


def test_what_the_network_says_is_said_in_both_languages() -> None:
    for seen, dutch, english in [
        (
            "no HTTP answer: Content-Length: 5, 6",
            "geen geldig HTTP-antwoord: Content-Length: 5, 6",
            "no valid HTTP answer: Content-Length: 5, 6",
        ),
        (
            "no HTTP answer: Invalid character in chunk size: b'zz' ^",
            "geen geldige lengte voor een deel van het antwoord (Transfer-Encoding: chunked): zz",
            "no valid size of a part of the answer (Transfer-Encoding: chunked): zz",
        ),
        (
            "Response payload is not completed: <ContentLengthError: 400, message='Not enough data'>",
            "de server verbrak de verbinding",
            "the server broke the connection",
        ),
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
        (
            "iets dat geen bibliotheek zegt",
            "iets dat geen bibliotheek zegt",
            "iets dat geen bibliotheek zegt",
        ),
    ]:
        assert in_words("robots.onbereikbaar", seen, "nl") == dutch, seen
        assert in_words("robots.onbereikbaar", seen, "en") == english, seen


def test_what_our_own_reader_of_messages_says_is_said_in_english() -> None:
    for seen, english in [
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
    ]:
        assert in_words("ipm.schema", seen, "nl") == seen, seen
        assert in_words("ipm.schema", seen, "en") == english, seen


def test_what_a_publisher_wrote_stays_as_it_is() -> None:
    assert in_words("waarde.label-onbekend", "an HTML page", "nl") == "an HTML page"


def test_a_certificate_has_a_fault_by_its_number() -> None:
    assert certificate_fault(10) == "het certificaat is verlopen"
    assert certificate_fault(1) is None
    assert certificate_fault(None) is None


def test_each_text_and_certificate_has_both_languages_and_uses_only_the_parts_of_its_pattern() -> None:
    for text in SEEN["text"]:
        parts = set(re.compile(text["pattern"]).groupindex)
        for lang in ("nl", "en"):
            used = {name for _, name, _, _ in Formatter().parse(text.get(lang, "")) if name}
            assert used <= parts, text
        assert text["en"], text
    for code, words in SEEN["certificate"].items():
        assert words.keys() == {"nl", "en"}, code
