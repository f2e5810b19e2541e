"""The waardelijsten that ship with the project. Each list is read on first use.

The CSV files in ``lists/`` have the columns ``uri,label``. ``lists/index.csv`` has the TOOI set and the
publication date of each list.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from io import StringIO
from types import MappingProxyType

from woo_harvester.tooi.values import Concept, ValueList

_UNKNOWN = "https://identifier.overheid.nl/tooi/id/"
UNKNOWN_ORGANISATION = Concept(f"{_UNKNOWN}organisatie_onbekend", "Onbekend")
UNKNOWN_THEME = Concept(f"{_UNKNOWN}thema_onbekend", "Onbekend")
UNKNOWN_DOCUMENT_TYPE = Concept(f"{_UNKNOWN}documentsoort_onbekend", "Onbekend")
#: The seed page "Sitemapindex en Sitemaps" writes this one without a capital.
UNKNOWN_CATEGORY = Concept(f"{_UNKNOWN}informatiecategorie_onbekend", "onbekend")


@dataclass(frozen=True, slots=True)
class Edition:
    """The version of a list that ships with the project."""

    set_uri: str
    """URI of the TOOI set; its last segment is the version."""
    published: date
    values: int
    """Number of values in the list."""


@cache
def editions() -> Mapping[str, Edition]:
    """Return the edition of each list, by the name of the list."""
    return MappingProxyType(
        {
            row["list"]: Edition(row["tooi_set"], date.fromisoformat(row["published"]), int(row["values"]))
            for row in _rows("index")
        }
    )


@cache
def informatiecategorieen() -> ValueList:
    """Return the 17 informatiecategorieën of Woo art. 3.3, and the inspanningsverplichting of art. 3.1."""
    return _value_list("scw_woo_informatiecategorieen", unknown=UNKNOWN_CATEGORY)


@cache
def documentsoorten() -> ValueList:
    """Return the documentsoorten (kinds of document)."""
    return _value_list("ccw_plooi_documentsoorten", unknown=UNKNOWN_DOCUMENT_TYPE)


@cache
def themas() -> ValueList:
    """Return the themes: the TOP-lijst."""
    return _value_list("scw_toplijst", unknown=UNKNOWN_THEME)


@cache
def filetypes() -> ValueList:
    """Return the 19 file types that may be harvested."""
    return _value_list("ccw_plooi_filetypes")


@cache
def talen() -> ValueList:
    """Return the languages."""
    return _value_list("scw_talen")


@cache
def handelingen() -> ValueList:
    """Return the three documenthandelingen that are recognised."""
    return _value_list("ccw_plooi_documenthandelingen")


@cache
def documentrelaties() -> ValueList:
    """Return the roles of a relation between documents."""
    return _value_list("scw_documentrelatie")


@cache
def redenen() -> ValueList:
    """Return the reasons for removal or replacement of a document."""
    return _value_list("ccw_plooi_reden_intrekking_of_vervanging")


@cache
def organisaties() -> ValueList:
    """Return all organisations: the lists (``rwc_``) of all types of organisation together."""
    registers = [name for name in editions() if name.startswith("rwc_")]
    concepts = (concept for name in registers for concept in _concepts(name))
    return ValueList("organisaties", concepts, unknown=UNKNOWN_ORGANISATION)


def _value_list(name: str, unknown: Concept | None = None) -> ValueList:
    return ValueList(name, _concepts(name), unknown)


def _concepts(name: str) -> Iterator[Concept]:
    return (Concept(row["uri"], row["label"]) for row in _rows(name))


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = files(__package__).joinpath("lists", f"{name}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(StringIO(text))
