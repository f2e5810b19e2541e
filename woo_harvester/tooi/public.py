"""The value lists as TOOI publishes them: their addresses, and the lists in JSON-LD.

TOOI's site has a page for each list, which names its versions. The repository of official publications has
each version as JSON-LD in its expanded form: an array of nodes, one of which describes the list itself.
Source: https://standaarden.overheid.nl/tooi/doc/tooi-waardelijsten/ and .../tooi-waardelijstontologie/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote

from woo_harvester.tooi.list_files import (
    INDEX,
    MAXSIZE,
    Edition,
    ListFile,
    ListFiles,
    ListsError,
    checked_list,
    read_day,
    read_from_folder,
    read_lists,
    set_uri,
)
from woo_harvester.tooi.lists import NAMES
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.fetch import FetchError, fetch_file
from woo_harvester.utils.inputs import parse_json
from woo_harvester.utils.urls import is_web_url

_PAGE = "https://standaarden.overheid.nl/tooi/waardelijsten/work?work_uri="
_REPOSITORY = "https://repository.officiele-overheidspublicaties.nl/waardelijsten/"

_ONT = "https://identifier.overheid.nl/tooi/def/ont/"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_PREF_LABEL = f"{_SKOS}prefLabel"
_CONCEPT = f"{_SKOS}Concept"
_CODE = f"{_ONT}organisatiecode"
#: Type of a node with an earlier name of an organisation.
_EARLIER = f"{_ONT}HistorischeVersie"
_PUBLISHED = f"{_ONT}publicatiedatum"


@dataclass(frozen=True, slots=True)
class PublicList:
    """The public address of a list, and the property that has the labels of its values."""

    name: str
    label: str = _PREF_LABEL

    @property
    def page(self) -> str:
        """URL of the page that names the versions of the list."""
        return _PAGE + quote(f"https://identifier.overheid.nl/tooi/set/{self.name}", safe="")

    def file(self, version: int) -> str:
        """Return the URL of a version of the list."""
        return f"{_REPOSITORY}{self.name}/{version}/json/{self.name}_{version}.json"


def _public(name: str) -> PublicList:
    return PublicList(name, _RDFS_LABEL) if name.startswith("rwc_") else PublicList(name)


#: Each list at its public address.
PUBLIC_LISTS: Mapping[str, PublicList] = {
    **{name: _public(name) for name in NAMES},
    # The guide and the DiWoo schema call the categories by their names in the plural.
    "scw_woo_informatiecategorieen": PublicList(
        "scw_woo_informatiecategorieen", f"{_ONT}prefLabelVoorGroepen"
    ),
}


def latest_version(public: PublicList, page: bytes) -> int:
    """Return the number of the newest version that the page of a list names. Raises ListsError."""
    pattern = rf"/{re.escape(public.name)}/([0-9]{{1,6}})(?![0-9])"
    text = re.sub("%2f", "/", page.decode(errors="replace"), flags=re.IGNORECASE)
    versions = [int(found) for found in re.findall(pattern, text)]
    if not versions:
        raise ListsError(f"{public.page} names no version of {public.name}")
    return max(versions)


def read_json_ld(public: PublicList, version: int, content: bytes, today: date) -> ListFile:
    """Return the list in a file of TOOI, as it is on *today*. Raises ListsError."""
    try:
        nodes = parse_json(content)
        if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in nodes):
            raise ValueError("expected an array of nodes")
        uri = set_uri(public.name, version)
        (header,) = [node for node in nodes if node.get("@id") == uri]
        published = read_day(_text(header, _PUBLISHED), today)
        concepts = list(_concepts(nodes, public.label))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ListsError(
            f"{public.file(version)} is no list in JSON-LD: {' '.join(str(error).split())}"
        ) from error
    edition = Edition(uri, published, len(concepts), checked=today, is_bundled=False)
    return checked_list(public.name, edition, concepts)


def _concepts(nodes: list[dict[str, Any]], label: str) -> Iterator[Concept]:
    """Yield the values of a list: its organisations under their present names, or its concepts."""
    for node in nodes:
        types = node.get("@type", [])
        is_value = (_CODE in node and _EARLIER not in types) if label == _RDFS_LABEL else _CONCEPT in types
        if is_value:
            yield Concept(str(node.get("@id", "")), _text(node, label) or _text(node, _PREF_LABEL))


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

    async def fetch(self, source: str | None, known: ListFiles) -> ListFiles:
        """Return the lists of *source*: a folder or its URL, or TOOI's own addresses if it is None.

        *known* are the lists in use. Of those, TOOI's own are fetched only in a newer version. Raises
        ListsError, and TrustError if no certificate can be verified.
        """
        if source is None:
            return {name: await self._newest(PUBLIC_LISTS[name], known[name]) for name in NAMES}
        read = await self._from_web(source) if is_web_url(source) else read_from_folder(Path(source))
        return read_lists(read, NAMES, self.today)

    async def _newest(self, public: PublicList, known: ListFile) -> ListFile:
        """Return the newest version of a list: the one in use, if its page names no newer one."""
        version = latest_version(public, await self._get(public.page))
        if version <= known.edition.version:
            return replace(known, edition=replace(known.edition, checked=self.today))
        return read_json_ld(public, version, await self._get(public.file(version)), self.today)

    async def _from_web(self, url: str) -> Callable[[str], bytes]:
        base = url.removesuffix(f"{INDEX}.csv").rstrip("/")
        return {name: await self._get(f"{base}/{name}.csv") for name in (INDEX, *NAMES)}.__getitem__

    async def _get(self, url: str) -> bytes:
        with TemporaryFile() as file:
            try:
                await fetch_file(
                    url,
                    file,
                    user_agent=self.user_agent,
                    maxsize=MAXSIZE,
                    time_limit=self.time_limit,
                    backoff=self.backoff,
                )
            except FetchError as error:
                raise ListsError(f"{url}: {error}") from error
            file.seek(0)
            return file.read()
