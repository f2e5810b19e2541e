"""Write robots.txt, sitemap indexes and sitemaps with DiWoo metadata, with and without mistakes.

All values may be left out, so that a publisher's mistake is one changed argument. Texts are escaped;
malformed XML can be given as a string. A sitemap is a stream of chunks, so that one of 50,000 entries takes
little memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DIWOO_NAMESPACE = "https://standaarden.overheid.nl/diwoo/metadata/"
XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
#: Size of the pieces in which a sitemap is written, in characters.
_CHUNK_SIZE = 64 * 1024


class Coded(NamedTuple):
    """A value from a waardelijst: label as text, URI as ``resource``; either can be missing or wrong."""

    label: str = ""
    uri: str | None = None


class Handeling(NamedTuple):
    """A documenthandeling; ``at_time`` is an xs:dateTime."""

    soort: Coded
    at_time: str
    door: Coded | None = None


class ExtraMetadata(NamedTuple):
    """Own metadata in naam/waarde-paren."""

    velden: Sequence[tuple[str, Sequence[str]]]
    namespace: str | None = None
    prefix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiWoo:
    """The metadata of one document, with every element of DiWoo 0.9.8. Empty values are not written."""

    identifiers: Sequence[str] = ()
    publisher: Coded | None = None
    verantwoordelijke: Coded | None = None
    medeverantwoordelijken: Sequence[Coded] = ()
    opsteller: Coded | None = None
    naam_opsteller: str | None = None
    titel: str | None = None
    verkorte_titels: Sequence[str] = ()
    alternatieve_titels: Sequence[str] = ()
    omschrijvingen: Sequence[str] = ()
    informatiecategorieen: Sequence[Coded] = ()
    documentsoorten: Sequence[Coded] = ()
    themas: Sequence[Coded] = ()
    trefwoorden: Sequence[str] = ()
    creatiedatum: str | None = None
    begindatum: str | None = None
    einddatum: str | None = None
    language: Coded | None = None
    format: Coded | None = None
    aggregatiekenmerk: str | None = None
    is_part_of: Coded | None = None
    has_parts: Sequence[Coded] = ()
    handelingen: Sequence[Handeling] = ()
    relaties: Sequence[tuple[Coded, Coded]] = ()
    """Pairs of a role and the related document."""
    reden: Coded | None = None

    def xml(self) -> str:
        """Return the element ``diwoo:DiWoo``."""
        return _group(
            "DiWoo",
            _list("identifiers", "identifier", self.identifiers),
            _value("publisher", self.publisher),
            _value("verantwoordelijke", self.verantwoordelijke),
            _list("medeverantwoordelijken", "medeverantwoordelijke", self.medeverantwoordelijken),
            _value("opsteller", self.opsteller),
            _value("naamOpsteller", self.naam_opsteller),
            self._titelcollectie(),
            _list("omschrijvingen", "omschrijving", self.omschrijvingen),
            self._classificatiecollectie(),
            _value("creatiedatum", self.creatiedatum),
            _group("geldigheid", _value("begindatum", self.begindatum), _value("einddatum", self.einddatum)),
            _value("language", self.language),
            _value("format", self.format),
            _value("aggregatiekenmerk", self.aggregatiekenmerk),
            _value("isPartOf", self.is_part_of),
            _list("hasParts", "hasPart", self.has_parts),
            _group("documenthandelingen", *map(_handeling, self.handelingen)),
            _group("documentrelaties", *(_relatie(*relatie) for relatie in self.relaties)),
            _value("redenVerwijderingVervanging", self.reden),
        )

    def _titelcollectie(self) -> str:
        return _group(
            "titelcollectie",
            _value("officieleTitel", self.titel),
            _list("verkorteTitels", "verkorteTitel", self.verkorte_titels),
            _list("alternatieveTitels", "alternatieveTitel", self.alternatieve_titels),
        )

    def _classificatiecollectie(self) -> str:
        return _group(
            "classificatiecollectie",
            _list("informatiecategorieen", "informatiecategorie", self.informatiecategorieen),
            _list("documentsoorten", "documentsoort", self.documentsoorten),
            _list("themas", "thema", self.themas),
            _list("trefwoorden", "trefwoord", self.trefwoorden),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One ``url`` of a sitemap."""

    loc: str | None = None
    lastmod: str | None = None
    diwoo: DiWoo | None = None
    extra: Sequence[ExtraMetadata] = ()
    raw: str = ""
    """XML that is added inside ``url`` as it is."""

    def xml(self) -> str:
        """Return the element ``url``, on one line."""
        loc = "" if self.loc is None else f"<loc>{escape(self.loc)}</loc>"
        lastmod = "" if self.lastmod is None else f"<lastmod>{escape(self.lastmod)}</lastmod>"
        document = _group("Document", self.diwoo.xml() if self.diwoo else "", *map(_extra, self.extra))
        return f"<url>{loc}{lastmod}{document}{self.raw}</url>\n"


def robots_txt(*sitemaps: str, disallow: Sequence[str] = (), newline: str = "\n") -> str:
    """Return a robots.txt with these sitemaps as given, absolute or relative."""
    rules = ["User-agent: *", *(f"Disallow: {path}" for path in disallow or [""])]
    return newline.join([*rules, "", *(f"Sitemap: {sitemap}" for sitemap in sitemaps), ""])


def sitemapindex(sitemaps: Iterable[str], lastmod: str | None = None) -> str:
    """Return a sitemap index with these sitemaps."""
    when = "" if lastmod is None else f"<lastmod>{escape(lastmod)}</lastmod>"
    lines = "".join(f"<sitemap><loc>{escape(loc)}</loc>{when}</sitemap>\n" for loc in sitemaps)
    return f'{XML_DECLARATION}<sitemapindex xmlns="{SITEMAP_NAMESPACE}">\n{lines}</sitemapindex>\n'


def urlset(entries: Iterable[Entry | str]) -> Iterator[bytes]:
    """Yield a sitemap in chunks of about 64 KB. An entry that is a string is written as it is."""
    pieces = [f'{XML_DECLARATION}<urlset xmlns="{SITEMAP_NAMESPACE}" xmlns:diwoo="{DIWOO_NAMESPACE}">\n']
    size = 0
    for entry in entries:
        pieces.append(entry if isinstance(entry, str) else entry.xml())
        size += len(pieces[-1])
        if size >= _CHUNK_SIZE:
            yield "".join(pieces).encode()
            pieces, size = [], 0
    yield "".join([*pieces, "</urlset>\n"]).encode()


def sitemap(*entries: Entry | str) -> bytes:
    """Return a complete sitemap."""
    return b"".join(urlset(entries))


def _group(name: str, *children: str) -> str:
    inside = "".join(children)
    return f"<diwoo:{name}>{inside}</diwoo:{name}>" if inside else ""


def _value(name: str, value: Coded | str | None) -> str:
    if value is None:
        return ""
    coded = value if isinstance(value, Coded) else Coded(value)
    resource = "" if coded.uri is None else f" resource={quoteattr(coded.uri)}"
    return f"<diwoo:{name}{resource}>{escape(coded.label)}</diwoo:{name}>"


def _list(name: str, child: str, values: Iterable[Coded | str]) -> str:
    return _group(name, *(_value(child, value) for value in values))


def _handeling(handeling: Handeling) -> str:
    return _group(
        "documenthandeling",
        _value("soortHandeling", handeling.soort),
        _value("atTime", handeling.at_time),
        _value("wasAssociatedWith", handeling.door),
    )


def _relatie(role: Coded, relation: Coded) -> str:
    return _group("documentrelatie", _value("role", role), _value("relation", relation))


def _extra(extra: ExtraMetadata) -> str:
    velden = (
        _group("extraMetadataveld", _value("key", key), _list("values", "value", values))
        for key, values in extra.velden
    )
    return _group(
        "extraMetadata",
        _value("namespace", extra.namespace),
        _value("prefix", extra.prefix),
        _group("extraMetadatavelden", *velden),
    )
