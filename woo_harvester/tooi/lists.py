"""The waardelijsten by the fields that have their values.

:class:`ValueLists` has the lists by which a run resolves values. The functions return those that ship with
the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import chain

from woo_harvester.tooi.list_files import Editions, bundled_editions, read_rows
from woo_harvester.tooi.values import Concept, ValueList

_UNKNOWN = "https://identifier.overheid.nl/tooi/id/"
UNKNOWN_ORGANISATION = Concept(f"{_UNKNOWN}organisatie_onbekend", "Onbekend")
UNKNOWN_THEME = Concept(f"{_UNKNOWN}thema_onbekend", "Onbekend")
UNKNOWN_DOCUMENT_TYPE = Concept(f"{_UNKNOWN}documentsoort_onbekend", "Onbekend")
#: The seed page "Sitemapindex en Sitemaps" writes this one without a capital.
UNKNOWN_CATEGORY = Concept(f"{_UNKNOWN}informatiecategorie_onbekend", "onbekend")

#: The age in days from which a list is old: nobody has looked for a newer version.
MAX_AGE = 365

#: Name of the list of all organisations together.
ORGANISATIONS = "organisaties"
#: Names of the lists of organisations, one for each type.
_ORGANISATION_LISTS = (
    "rwc_caribische_openbare_lichamen_compleet",
    "rwc_gemeenten_compleet",
    "rwc_ministeries_compleet",
    "rwc_provincies_compleet",
    "rwc_overige_overheidsorganisaties_compleet",
    "rwc_samenwerkingsorganisaties_compleet",
    "rwc_waterschappen_compleet",
    "rwc_zbo_compleet",
)
#: The other lists: the list of each field of :class:`ValueLists`, and its concept for unknown values.
_LISTS: Mapping[str, tuple[str, Concept | None]] = {
    "informatiecategorieen": ("scw_woo_informatiecategorieen", UNKNOWN_CATEGORY),
    "documentsoorten": ("ccw_plooi_documentsoorten", UNKNOWN_DOCUMENT_TYPE),
    "themas": ("scw_toplijst", UNKNOWN_THEME),
    "filetypes": ("ccw_plooi_filetypes", None),
    "talen": ("scw_talen", None),
    "handelingen": ("ccw_plooi_documenthandelingen", None),
    "documentrelaties": ("scw_documentrelatie", None),
    "redenen": ("ccw_plooi_reden_intrekking_of_vervanging", None),
}
#: Names of all lists.
NAMES = (*_ORGANISATION_LISTS, *(name for name, _ in _LISTS.values()))


@dataclass(frozen=True, eq=False, slots=True)
class ValueLists:
    """The lists by which values are resolved: those that ship with the project, or newer ones."""

    informatiecategorieen: ValueList
    documentsoorten: ValueList
    themas: ValueList
    filetypes: ValueList
    talen: ValueList
    handelingen: ValueList
    documentrelaties: ValueList
    redenen: ValueList
    organisaties: ValueList
    editions: Editions

    @classmethod
    def make(cls, editions: Editions) -> ValueLists:
        """Return the lists of these editions.

        A value that ships with the project stays known if a newer edition lacks it: documents still have it.
        """
        added, codes = _additions()
        former = {name: bundled.concepts for name, bundled in bundled_editions().items()}
        single = {
            field: ValueList(
                name,
                editions[name].concepts,
                unknown,
                (*former[name], *added.get(name, ())),
                codes.get(name, {}),
            )
            for field, (name, unknown) in _LISTS.items()
        }
        organisations = ValueList(
            ORGANISATIONS,
            chain.from_iterable(editions[name].concepts for name in _ORGANISATION_LISTS),
            UNKNOWN_ORGANISATION,
            chain.from_iterable((*former[name], *added.get(name, ())) for name in _ORGANISATION_LISTS),
        )
        return cls(**single, organisaties=organisations, editions=editions)

    def outdated(self, today: date) -> int:
        """Return the number of lists for which nobody has looked for a newer version for a year."""
        return sum(edition.age(today) > MAX_AGE for edition in self.editions.values())


@cache
def _additions() -> tuple[Mapping[str, list[Concept]], Mapping[str, dict[str, str]]]:
    """Return what ``additions.csv`` adds to lists of whichever edition, by the name of the list.

    The first are values that the project's editions lack: open.overheid.nl uses them, or newer editions have
    them. The second are other codes of values: those of ISO 639 for languages, with the URI of the value.
    """
    values: dict[str, list[Concept]] = {}
    codes: dict[str, dict[str, str]] = {}
    for row in read_rows("additions.csv"):
        values.setdefault(row["list"], []).append(Concept(row["uri"], row["label"]))
        codes.setdefault(row["list"], {}).update(dict.fromkeys(row["codes"].split(), row["uri"]))
    return values, codes


@cache
def bundled() -> ValueLists:
    """Return the lists that ship with the project."""
    return ValueLists.make(bundled_editions())


def informatiecategorieen() -> ValueList:
    """Return the 17 informatiecategorieën of Woo art. 3.3, and the inspanningsverplichting of art. 3.1."""
    return bundled().informatiecategorieen


def documentsoorten() -> ValueList:
    """Return the documentsoorten (kinds of document)."""
    return bundled().documentsoorten


def themas() -> ValueList:
    """Return the themes: the TOP-lijst."""
    return bundled().themas


def filetypes() -> ValueList:
    """Return the 19 file types that may be harvested."""
    return bundled().filetypes


def organisaties() -> ValueList:
    """Return all organisations: the lists (``rwc_``) of all types of organisation together."""
    return bundled().organisaties


_THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
#: Code of each of the 17 informatiecategorieën, 001 first, and its article, paragraph and part in the Woo, as
#: the guide writes them: the table in seed "Sitemapindex en Sitemaps", section "Naamgeving van
#: informatiecategorieën".
_CATEGORIES = (
    ("c_139c6280", "3.3, 1, a"),
    ("c_aab6bfc7", "3.3, 1, b"),
    ("c_759721e2", "3.3, 1, c"),
    ("c_40a05794", "3.3, 1, d"),
    ("c_89ee6784", "3.3, 1, e"),
    ("c_8c840238", "3.3, 2, a"),
    ("c_c76862ab", "3.3, 2, b"),
    ("c_db4862c3", "3.3, 2, c"),
    ("c_3a248e3a", "3.3, 2, d"),
    ("c_99a836c7", "3.3, 2, e"),
    ("c_8fc2335c", "3.3, 2, f"),
    ("c_c6cd1213", "3.3, 2, g"),
    ("c_cf268088", "3.3, 2, h"),
    ("c_3baef532", "3.3, 2, i"),
    ("c_fdaee95e", "3.3, 2, j"),
    ("c_46a81018", "3.3, 2, k & 3.3a"),
    ("c_a870c43d", "3.3, 2, l & 3.3a"),
)
#: Number of informatiecategorieën that an index can be named after.
CATEGORY_COUNT = len(_CATEGORIES)
_ARTICLES = {f"{_THESAURUS}{code}": article for code, article in _CATEGORIES}
#: The inspanningsverplichting, which no index is named after: its own label names the article.
_ARTICLES[f"{_THESAURUS}c_816e508d"] = "3.1"


def category_of_index(number: int, categories: ValueList | None = None) -> Concept:
    """Return the category of the index ``sitemapindex-diwoo-infocat<number>.xml``.

    *categories* is the list of a run; without it, the label is that of the list that ships with the project.

    Raises ValueError unless *number* is 1 to 17.
    """
    if not 1 <= number <= CATEGORY_COUNT:
        raise ValueError(f"Expected an infocat from 1 to {CATEGORY_COUNT}, got {number}")
    known = informatiecategorieen() if categories is None else categories
    return known[f"{_THESAURUS}{_CATEGORIES[number - 1][0]}"]


def category_by_number(number: int | None, categories: ValueList) -> Concept | None:
    """Return the category of an index, or None if its name has no *number*."""
    return None if number is None else category_of_index(number, categories)


def article_of_category(uri: str) -> str | None:
    """Return the article of the Woo about the category with this URI, such as ``3.3, 2, e``, or None.

    The numbers are article and paragraph, the letter is the part of the paragraph.
    """
    return _ARTICLES.get(uri)
