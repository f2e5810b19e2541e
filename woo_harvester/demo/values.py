"""Values from the TOOI lists for the fictional publishers, as publishers write them."""

from __future__ import annotations

from woo_harvester.demo.sitemaps import Coded
from woo_harvester.tooi import category_of_index

_KERN = "https://identifier.overheid.nl/tooi/def/thes/kern/"
_TOP = "https://identifier.overheid.nl/tooi/def/thes/top/"
_EU = "http://publications.europa.eu/resource/authority/"

ONDERTEKENING = Coded("ondertekening", _KERN + "c_e1ec050e")
ONTVANGST = Coded("ontvangst", _KERN + "c_dfcee535")
VASTSTELLING = Coded("vaststelling", _KERN + "c_641ecd76")

BESLUIT = Coded("besluit", _KERN + "c_465163c9")
BRIEF = Coded("brief", _KERN + "c_7652d853")

AFVAL = Coded("afval", _TOP + "c_d96f9cd3")
NATUUR_EN_MILIEU = Coded("natuur en milieu", _TOP + "c_afa30a11")
VERKEER = Coded("verkeer", _TOP + "c_849842ac")

HEEFT_BIJLAGE = Coded("heeft bijlage", _KERN + "c_05f4a5f3")
PRIVACY = Coded("correctie privacygevoelige gegevens", _KERN + "c_098c1346")

NEDERLANDS = Coded("Nederlands", _EU + "language/NLD")

PDF = Coded("PDF", _EU + "file-type/PDF")
DOCX = Coded("Word DOCX", _EU + "file-type/DOCX")
CSV = Coded("CSV", _EU + "file-type/CSV")
TXT = Coded("Plain text", _EU + "file-type/TXT")

#: Organisations that no longer exist but are in the lists, so that no existing publisher gets invented
#: documents.
GEMEENTE = Coded("gemeente 's-Gravendeel", "https://identifier.overheid.nl/tooi/id/gemeente/gm0517")
WATERSCHAP = Coded("waterschap Vallei & Eem", "https://identifier.overheid.nl/tooi/id/waterschap/ws0154")


def categorie(nummer: int) -> Coded:
    """Return the informatiecategorie of the index with this number (1 to 17)."""
    concept = category_of_index(nummer)
    return Coded(concept.label, concept.uri)


def naam_van_index(nummer: int | None = None) -> str:
    """Return the name of the sitemap index of this category, or of all categories without a number."""
    return "sitemapindex-diwoo.xml" if nummer is None else f"sitemapindex-diwoo-infocat{nummer:03d}.xml"
