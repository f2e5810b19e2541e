"""The definition of the search index of each kind of records: its fields, facets, metadata and mapping."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Self
from unicodedata import category, normalize
from urllib.parse import unquote, urlsplit

from woo_harvester.kinds import Kind
from woo_harvester.utils.dates import parse_datetime
from woo_harvester.utils.program import program


class Status(StrEnum):
    """The status of a document or case: published or withdrawn."""

    GEPUBLICEERD = "gepubliceerd"
    INGETROKKEN = "ingetrokken"


def period(begin: str | None, end: str | None) -> dict[str, str] | None:
    """Return a ``date_range``, or None if both ends are absent or the end is before the begin."""
    if begin and end and parse_datetime(begin) > parse_datetime(end):
        return None
    return {key: day for key, day in (("gte", begin), ("lte", end)) if day} or None


def fields_of(kind: Kind, record: Mapping[str, Any], status: Status) -> dict[str, Any]:
    """Return the top-level keys that the index adds to a record, or replaces."""
    return kind.own("fields", _fields)(record, status)


def _fields(record: Mapping[str, Any], status: Status) -> dict[str, Any]:
    """Return ``tekst`` with the text of all files, ``versies`` without it, ``metadata`` and ``geldigheid``.

    After a text comes another with its words that are split between lines, joined. ``geldigheid`` is a range.
    """
    versions, texts = _without_text(record["versies"])
    found: dict[str, Any] = {"versies": versions}
    texts = [each for text in texts for each in (text, "\n".join(_joined_words(text))) if each]
    if texts and status is Status.GEPUBLICEERD:
        found["tekst"] = texts[0] if len(texts) == 1 else texts
    if status is Status.GEPUBLICEERD and (metadata := metadata_texts(Kind.woo, record)):
        found["metadata"] = metadata
    validity = (record.get("document") or {}).get("geldigheid") or {}
    if valid := period(validity.get("begindatum"), validity.get("einddatum")):
        found["geldigheid"] = valid
    return found


#: A hyphen at the end of a line, in a word: that of "in-" before "en uitvoer" is in none.
_CUT = re.compile(r"[-\u2010](?<=[a-zß-ÿ].) ?\n *(?=[a-zß-ÿ])(?!(?:en|of|tot|als|dan|noch)\b)")
#: Characters around it in which the words beside the joined word are found, and most of these on each side.
_AROUND, _WORDS_BESIDE = 80, 3


def _joined_words(text: str) -> Iterator[str]:
    """Yield each word that a hyphen splits between lines as one word, with the words beside it."""
    for match in _CUT.finditer(text) if any(each in text for each in ("-\n", "- \n", "\u2010")) else ():
        *before, begin = text[max(0, match.start() - _AROUND) : match.start()].split()
        end, *after = text[match.end() : match.end() + _AROUND].split()
        yield " ".join([*before[-_WORDS_BESIDE:], begin + end, *after[:_WORDS_BESIDE]])


def _without_text(versions: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the versions without the text of their files, and the texts."""
    texts = [
        file["tekst"] for version in versions for file in version.get("bestanden", ()) if "tekst" in file
    ]
    if not texts:
        return versions, texts
    return [
        {
            **version,
            "bestanden": [
                {key: value for key, value in file.items() if key != "tekst"}
                for file in version.get("bestanden", ())
            ],
        }
        for version in versions
    ], texts


#: The most values of a facet that an answer counts: those with the most hits.
MAX_COUNTS = 200

#: What the index puts between the label and the value of a facet; no label has it.
_LABEL_END = "\x1f"


@dataclass(frozen=True, slots=True)
class Facet:
    """A field to filter on."""

    name: str
    """The name in addresses and in the API."""
    label: str
    """The heading on a page, in Dutch."""
    path: str
    """The path of the field in the search document, without ``[]``."""
    is_term: bool = True
    """Whether its values are terms with ``id`` and ``label``; else they are texts."""
    or_else: str = ""
    """The path of the field that counts if the publisher did not give the first one."""
    is_supplied: bool = False
    """Whether its values are those that the publisher did not give. No list of filters offers these."""
    counts_defaults: bool = False
    """Whether a default value counts as if the publisher gave it."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a facet: what a filter chooses, and what is shown."""

    value: str
    """The URI, or the label of a value that has none."""
    label: str

    @property
    def pair(self) -> str:
        """Label and value as one text, by which an index counts."""
        return f"{self.label}{_LABEL_END}{self.value}"

    @classmethod
    def of_pair(cls, pair: str) -> Self:
        """Return the value that was made into this text."""
        label, _, value = pair.partition(_LABEL_END)
        return cls(value, label)


_CLASSIFICATION = "document.classificatiecollectie"
_OWNER, _PUBLISHER = "document.verantwoordelijke", "document.publisher"
_UNKNOWN = "onbekend"

_FACETS = (
    Facet("informatiecategorie", "Informatiecategorie", f"{_CLASSIFICATION}.informatiecategorieen"),
    Facet("documentsoort", "Documentsoort", f"{_CLASSIFICATION}.documentsoorten"),
    Facet("thema", "Thema", f"{_CLASSIFICATION}.themas"),
    Facet("organisatie", "Organisatie", _OWNER, or_else=_PUBLISHER),
    Facet("organisatie_aangevuld", "Organisatie, aangevuld", _OWNER, or_else=_PUBLISHER,
          is_supplied=True),
    Facet("publisher", "Gepubliceerd door", _PUBLISHER),
    Facet("bestandstype", "Bestandstype", "document.format", counts_defaults=True),
)  # fmt: skip


def facets(kind: Kind) -> Sequence[Facet]:
    """Return the facets of records of *kind*, in the order in which they are shown."""
    return kind.own("facets", _FACETS)


def facet_values(facet: Facet, document: Mapping[str, Any]) -> list[FacetValue]:
    """Return the values of *facet* in a search document, each once."""
    defaults = (document.get("herkomst") or {}).get("standaardwaarden") or {}
    paths = [path for path in (facet.path, facet.or_else) if path]
    given = [path for path in paths if path not in defaults or facet.counts_defaults]
    found = next(filter(None, (_values(facet, document, path) for path in given)), [])
    if not facet.is_supplied:
        return found
    supplied = [] if found else _values(facet, document, facet.path)
    return [each for each in supplied if each.label.casefold() != _UNKNOWN]


def _values(facet: Facet, document: Mapping[str, Any], path: str) -> list[FacetValue]:
    found: dict[str, FacetValue] = {}
    for given in values_at(document, path):
        if facet.is_term:
            label = given.get("label") or given.get("id")
            value = given.get("id") or label
        else:
            label = value = given
        if value := composed(value):
            found.setdefault(value, FacetValue(value, composed(label)))
    return list(found.values())


def composed(text: str) -> str:
    """Return a text in composed form (NFC), without signs that nobody sees and control characters.

    What nobody sees changes only the direction or the joining of letters, or where a word may break.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    made = (" " if each.isspace() else each for each in normalize("NFC", text) if not _is_unseen(each))
    return "".join(made).strip()


def _is_unseen(character: str) -> bool:
    is_odd = category(character) in ("Cc", "Cf", "Cn", "Co", "Cs") or character == "\ufffd"
    return is_odd and not character.isspace()


def values_at(document: Mapping[str, Any], path: str) -> Sequence[Any]:
    """Return the values at a dotted path; a list on the way gives those of each of its members."""
    return _values_below(document, path.split("."))


def _values_below(value: Any, names: Sequence[str]) -> Sequence[Any]:
    for at, name in enumerate(names, 1):
        if not isinstance(value, (dict, Mapping)) or (value := value.get(name)) is None:  # dict: it is quick
            return ()
        if isinstance(value, list):
            if not (below := names[at:]):
                return value
            return [each for part in value for each in _values_below(part, below)]
    return (value,)


@dataclass(frozen=True, slots=True)
class Metadata:
    """A field of metadata: the page of a document shows it, and a search finds its texts."""

    path: str
    """The path in the search document, without ``[]``. Its values are texts, or terms with a label."""
    label: str = ""
    """The heading on the page of a document, in Dutch; empty if the page has it elsewhere."""
    facet: str = ""
    """What its values lead to: the name of a facet, or ``zoektekst`` for a search for the text."""
    is_searched: bool = True
    is_code: bool = False
    """Whether it is a number or a file name, which is found with and without its punctuation."""


#: The metadata of documents. Own fields (``extraMetadata``) are not among them, so that no search finds them.
_METADATA = (
    Metadata(_OWNER, "Organisatie", "organisatie"),
    Metadata(_PUBLISHER, "Gepubliceerd door", "organisatie"),
    Metadata("document.medeverantwoordelijken", "Ook verantwoordelijk"),
    Metadata("document.opsteller", "Geschreven door"),
    Metadata("document.naamOpsteller", "Naam van de schrijver"),
    Metadata(f"{_CLASSIFICATION}.informatiecategorieen", "Informatiecategorie", "informatiecategorie"),
    Metadata(f"{_CLASSIFICATION}.documentsoorten", "Documentsoort", "documentsoort"),
    Metadata(f"{_CLASSIFICATION}.themas", "Thema", "thema"),
    Metadata(f"{_CLASSIFICATION}.trefwoorden", "Trefwoorden", "zoektekst"),
    Metadata("document.format", "Bestandstype", "bestandstype", is_searched=False),
    Metadata("document.language", "Taal", is_searched=False),
    # Titles are searched as titles.
    Metadata("document.titelcollectie.verkorteTitels", "Andere titels", is_searched=False),
    Metadata("document.titelcollectie.alternatieveTitels", "Alternatieve titels", is_searched=False),
    Metadata("document.identifiers", "Kenmerken van de organisatie", is_code=True),
    Metadata("document.aggregatiekenmerk", "Hoort bij de groep", "zoektekst", is_code=True),
    Metadata("versies.bestanden.bestandsnaam", is_code=True),
    Metadata("document.weblocatie", is_code=True),
)


def metadata_of(kind: Kind) -> Sequence[Metadata]:
    """Return the metadata of records of *kind*."""
    return kind.own("metadata", _METADATA)


_WORD = re.compile(r"[^\W_]+")


def metadata_texts(kind: Kind, document: Mapping[str, Any]) -> list[str]:
    """Return the texts of the metadata that are searched, each once; without the label for unknown."""
    found: dict[str, None] = {}
    for field in metadata_of(kind):
        for value in values_at(document, field.path) if field.is_searched else ():
            text = value.get("label") if isinstance(value, (dict, Mapping)) else value
            if isinstance(text, str) and text.strip() and text.casefold() != _UNKNOWN:
                found.update(dict.fromkeys(_code_texts(text) if field.is_code else (text,)))
    return list(found)


def _code_texts(text: str) -> Iterator[str]:
    """Yield a number or file name as it is, in words, and without punctuation; of a URL the last part."""
    if text.startswith(("https://", "http://")):
        with suppress(ValueError):  # an address that is none
            text = unquote(urlsplit(text).path.rstrip("/").rpartition("/")[2])
    words = _WORD.findall(text)
    yield from filter(None, (text, " ".join(words), _as_one_word(words)))


def without_punctuation(text: str) -> str:
    """Return a text such as ``Z2024-00123`` or ``e-mail`` as one word; empty if it is one already."""
    return _as_one_word(_WORD.findall(text))


def _as_one_word(words: Sequence[str]) -> str:
    return "".join(words) if len(words) > 1 else ""


_META = "woo_harvester"
_SETTINGS = "analysis.json"
_WORD_LISTS = frozenset({"stopwords", "word_list"})
"""The filter parameters that are lists of words."""
_SHORT_LIST = 100
"""A list of at most this many words stays a list: it may name a list of the server, such as ``_dutch_``."""


class DefinitionError(Exception):
    """This version cannot write to the index; the message says why, and what to do."""


@cache
def _file(name: str, package: str | None = __package__) -> Any:
    return json.loads(files(package or __package__).joinpath(name).read_text(encoding="utf-8"))


def definition(kind: Kind) -> dict[str, Any]:
    """Return settings and mappings for a new index; ``_meta`` has the number of the mapping and its maker."""
    settings, mappings = _file(_SETTINGS), _file(f"{kind.name}-{kind.mapping}.json", kind.package)
    index: dict[str, Any] = deepcopy({**settings, **mappings})
    for part in index["settings"]["analysis"]["filter"].values():
        for name in _WORD_LISTS & part.keys():
            if len(part[name]) > _SHORT_LIST:
                # A list means the same, but the server then needs 6 seconds instead of 0.3.
                part[name] = ",".join(part[name])
    return index


def check(kind: Kind, index: str, mappings: Mapping[str, Any]) -> None:
    """Raise DefinitionError unless this version can write *kind* to an index with these *mappings*."""
    fix = f"fill a new one ({program()} index --rebuild FILES), or choose another name ({kind.setting})"
    check_kind(kind, index, mappings)
    meta = (mappings.get("_meta") or {}).get(_META)
    if not isinstance(meta, Mapping):
        raise DefinitionError(f"the index {index} was not made by woo-harvester: {fix}")
    if (found := meta.get("mapping")) != kind.mapping:
        raise DefinitionError(
            f"the index {index} has mapping {found} of woo-harvester {meta.get('version')}, and this version "
            f"writes mapping {kind.mapping}: {fix}"
        )


def check_kind(kind: Kind, index: str, mappings: Mapping[str, Any]) -> None:
    """Raise DefinitionError for an index that was made for records of another kind."""
    meta = (mappings.get("_meta") or {}).get(_META)
    # The first mapping of the kind woo does not name its kind.
    if isinstance(meta, Mapping) and (found := meta.get("records", Kind.woo.name)) != kind.name:
        raise DefinitionError(
            f"the index {index} holds records of the kind {found}, and not {kind.name}: choose another name "
            f"({kind.setting})"
        )
