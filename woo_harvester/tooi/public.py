"""The value lists as TOOI publishes them: their addresses, and the lists in JSON-LD.

TOOI's site has a page for each list, which names its versions. The repository of official publications has
each version as JSON-LD in its expanded form: an array of nodes, one of which describes the list itself.
Source: https://standaarden.overheid.nl/tooi/doc/tooi-waardelijsten/ and .../tooi-waardelijstontologie/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote

from woo_harvester.tooi.list_files import Edition, Editions
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.fetch import FetchError, fetch_file
from woo_harvester.utils.inputs import parse_json

_PAGE = "https://standaarden.overheid.nl/tooi/waardelijsten/work?work_uri="
_SET = "https://identifier.overheid.nl/tooi/set/"
_REPOSITORY = "https://repository.officiele-overheidspublicaties.nl/waardelijsten/"
#: Largest file that is fetched, in bytes. The largest list of 2025 has 1 MB.
_MAXSIZE = 20 * 1024 * 1024

_ONT = "https://identifier.overheid.nl/tooi/def/ont/"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_PREF_LABEL = f"{_SKOS}prefLabel"
_CONCEPT = f"{_SKOS}Concept"
_CODE = f"{_ONT}organisatiecode"
#: Type of a node with an earlier name of an organisation.
_EARLIER = f"{_ONT}HistorischeVersie"
_PUBLISHED = f"{_ONT}publicatiedatum"
#: The guide and the DiWoo schema call the categories by their names in the plural.
_LABELS = {"scw_woo_informatiecategorieen": f"{_ONT}prefLabelVoorGroepen"}


class ListsError(ValueError):
    """Value lists cannot be used; the message is one line for the operator."""


def set_uri(name: str, version: int) -> str:
    """Return the URI of a version of a list."""
    return f"{_SET}{name}/{version}"


def page_url(name: str) -> str:
    """Return the URL of the page that names the versions of a list."""
    return _PAGE + quote(f"{_SET}{name}", safe="")


def file_url(name: str, version: int) -> str:
    """Return the URL of a version of a list."""
    return f"{_REPOSITORY}{name}/{version}/json/{name}_{version}.json"


def latest_version(name: str, page: bytes) -> int:
    """Return the number of the newest version that the page of a list names. Raises ListsError."""
    text = re.sub("%2f", "/", page.decode(errors="replace"), flags=re.IGNORECASE)
    versions = re.findall(rf"/{re.escape(name)}/([0-9]{{1,6}})(?![0-9])", text)
    if not versions:
        raise ListsError(f"{page_url(name)} names no version of {name}")
    return max(map(int, versions))


def read_json_ld(name: str, version: int, content: bytes, today: date) -> Edition:
    """Return the list in a file of TOOI, as it is on *today*. Raises ListsError."""
    try:
        nodes = parse_json(content)
        (header,) = [node for node in nodes if node.get("@id") == set_uri(name, version)]
        published = date.fromisoformat(_text(header, _PUBLISHED)[:10])
        concepts = tuple(_concepts(nodes, name))
        if not concepts or not all(concept.uri and concept.label for concept in concepts):
            raise ValueError("expected values, each with a URI and a label")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise ListsError(f"{file_url(name, version)} is no list in JSON-LD: {reason}") from error
    return Edition(version, published, concepts, checked=today)


def _concepts(nodes: list[dict[str, Any]], name: str) -> Iterator[Concept]:
    """Yield the values of a list: its organisations under their present names, or its concepts."""
    is_of_organisations = name.startswith("rwc_")
    label = _RDFS_LABEL if is_of_organisations else _LABELS.get(name, _PREF_LABEL)
    for node in nodes:
        types = node.get("@type", [])
        if (_CODE in node and _EARLIER not in types) if is_of_organisations else _CONCEPT in types:
            yield Concept(node["@id"], _text(node, label) or _text(node, _PREF_LABEL))


def _text(node: dict[str, Any], name: str) -> str:
    """Return the value of a property, in Dutch if there is a choice; empty if there is none."""
    values = node.get(name, [])
    dutch = [value for value in values if value.get("@language") == "nl"]
    return str((dutch or values)[0]["@value"]).strip() if values else ""


@dataclass(frozen=True, slots=True)
class ListFetcher:
    """Fetches lists. A file that cannot be fetched raises ListsError with its address."""

    user_agent: str
    today: date
    time_limit: float = 60
    backoff: float = 2

    async def fetch(self, known: Editions) -> Editions:
        """Return the newest edition of each list: the *known* one if TOOI names no newer version.

        Raises ListsError, and TrustError if no certificate can be verified.
        """
        return {name: await self._newest(name, edition) for name, edition in known.items()}

    async def _newest(self, name: str, known: Edition) -> Edition:
        version = latest_version(name, await self._get(page_url(name)))
        if version <= known.version:
            return replace(known, checked=self.today)
        return read_json_ld(name, version, await self._get(file_url(name, version)), self.today)

    async def _get(self, url: str) -> bytes:
        with TemporaryFile() as file:
            try:
                await fetch_file(
                    url,
                    file,
                    user_agent=self.user_agent,
                    maxsize=_MAXSIZE,
                    time_limit=self.time_limit,
                    backoff=self.backoff,
                )
            except FetchError as error:
                raise ListsError(f"{url}: {error}") from error
            file.seek(0)
            return file.read()
