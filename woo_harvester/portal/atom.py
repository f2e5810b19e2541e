"""A search as an Atom feed (RFC 4287), with pages (RFC 5005): what is new about a subject.

The newest record comes first, by a date that does not change, so that entries keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from uuid import NAMESPACE_URL, UUID, uuid5

from lxml import etree
from lxml.builder import ElementMaker

from woo_harvester.dates import AMSTERDAM, iso_datetime
from woo_harvester.portal.summaries import Summary
from woo_harvester.style import is_web

ATOM = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"

_E = ElementMaker(namespace=ATOM, nsmap={None: ATOM})
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_BEFORE_ALL = datetime(1970, 1, 1, tzinfo=UTC)
#: Characters that XML cannot have.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class FeedAddresses:
    """The addresses of one page of a feed."""

    root: str
    """The address of the portal, without a slash at its end."""
    search: str
    """The search on a page for people."""
    links: Mapping[str, str]
    """Addresses by relation: ``self``, ``first``, and if there are such pages ``next`` and ``previous``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record in the feed."""

    record_id: str
    summary: Summary


def atom(title: str, addresses: FeedAddresses, entries: Sequence[Entry], changed: datetime | None) -> bytes:
    """Return a page of a feed as XML.

    *changed* is the moment of the last harvest, for a feed without entries.
    """
    moments = [entry.summary.changed for entry in entries if entry.summary.changed]
    root = _E.feed(
        _E.id(uuid5(NAMESPACE_URL, addresses.links["first"]).urn),
        _E.title(_text(title)),
        _E.updated(iso_datetime(max(moments, default=changed or _BEFORE_ALL))),
        _E.author(_E.name("woo-harvester")),
        _E.link(rel="alternate", type="text/html", href=_text(addresses.search)),
    )
    root.set(_LANG, "nl")
    for relation, address in addresses.links.items():
        root.append(_E.link(rel=relation, type=MEDIA_TYPE, href=_text(address)))
    root.extend(_entry(entry, addresses.root) for entry in entries)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)


def _entry(entry: Entry, root: str) -> etree._Element:
    about = entry.summary
    made = _E.entry(
        _E.id(_urn(entry.record_id)),
        _E.title(_text(about.title)),
        _E.updated(iso_datetime(about.changed or _BEFORE_ALL)),
        _E.link(rel="alternate", type="text/html", href=_text(root + about.path)),
    )
    if published := _midnight(about.published):
        made.append(_E.published(published))
    if about.organisation:
        made.append(_E.author(_E.name(_text(about.organisation))))
    if about.description:
        made.append(_E.summary(_text(about.description), type="text"))
    if is_web(about.source):
        made.append(_E.link(rel="via", href=_text(about.source)))
    made.extend(_E.category(term=_text(term), label=_text(label)) for term, label in about.terms)
    return made


def _urn(record_id: str) -> str:
    """Return the id of an entry, which does not depend on the address of the portal."""
    try:
        return UUID(record_id).urn
    except ValueError:
        return uuid5(NAMESPACE_URL, record_id).urn


def _midnight(day: str) -> str | None:
    try:
        return iso_datetime(datetime.combine(date.fromisoformat(day), time(), AMSTERDAM))
    except ValueError:
        return None


def _text(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
