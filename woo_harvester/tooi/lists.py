"""The value lists that ship with the package: each is read when it is first asked for.

The CSV files in ``lists/`` have the columns ``uri,label``; ``lists/index.csv`` tells their set and date.
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
    """Which version of a list this is."""

    set_uri: str
    """URI of the TOOI set; its last segment is the version."""
    published: date
    values: int


@cache
def editions() -> Mapping[str, Edition]:
    """The edition of each list, by the name of the list."""
    return MappingProxyType(
        {
            row["list"]: Edition(row["tooi_set"], date.fromisoformat(row["published"]), int(row["values"]))
            for row in _rows("index")
        }
    )


@cache
def informatiecategorieen() -> ValueList:
    """The 17 categories of Woo art. 3.3, and the inspanningsverplichting of art. 3.1."""
    return _value_list("scw_woo_informatiecategorieen", unknown=UNKNOWN_CATEGORY)


@cache
def documentsoorten() -> ValueList:
    """Kinds of documents."""
    return _value_list("ccw_plooi_documentsoorten", unknown=UNKNOWN_DOCUMENT_TYPE)


@cache
def themas() -> ValueList:
    """Themes: the TOP list."""
    return _value_list("scw_toplijst", unknown=UNKNOWN_THEME)


@cache
def filetypes() -> ValueList:
    """The file types that may be harvested."""
    return _value_list("ccw_plooi_filetypes")


@cache
def talen() -> ValueList:
    """Languages."""
    return _value_list("scw_talen")


@cache
def handelingen() -> ValueList:
    """The documenthandelingen that are recognised."""
    return _value_list("ccw_plooi_documenthandelingen")


@cache
def documentrelaties() -> ValueList:
    """Roles of a relation between documents."""
    return _value_list("scw_documentrelatie")


@cache
def redenen() -> ValueList:
    """Reasons for removal or replacement."""
    return _value_list("ccw_plooi_reden_intrekking_of_vervanging")


@cache
def organisaties() -> ValueList:
    """All public bodies: the union of the registers (``rwc_``) of each kind."""
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
