"""TOOI: the waardelijsten of the Dutch government, and coded values resolved against them."""

from woo_harvester.tooi.categories import CATEGORY_COUNT, article_of_category, category_of_index
from woo_harvester.tooi.coded import Resolved, resolve
from woo_harvester.tooi.list_files import Edition
from woo_harvester.tooi.lists import (
    UNKNOWN_CATEGORY,
    UNKNOWN_DOCUMENT_TYPE,
    UNKNOWN_ORGANISATION,
    UNKNOWN_THEME,
    ValueLists,
    bundled,
    documentrelaties,
    documentsoorten,
    editions,
    filetypes,
    handelingen,
    informatiecategorieen,
    organisaties,
    redenen,
    talen,
    themas,
)
from woo_harvester.tooi.organisations import is_tooi_organisation, organisation_type
from woo_harvester.tooi.values import Concept, ValueList, normal_label, normal_uri, one_line

__all__ = [
    "CATEGORY_COUNT",
    "UNKNOWN_CATEGORY",
    "UNKNOWN_DOCUMENT_TYPE",
    "UNKNOWN_ORGANISATION",
    "UNKNOWN_THEME",
    "Concept",
    "Edition",
    "Resolved",
    "ValueList",
    "ValueLists",
    "article_of_category",
    "bundled",
    "category_of_index",
    "documentrelaties",
    "documentsoorten",
    "editions",
    "filetypes",
    "handelingen",
    "informatiecategorieen",
    "is_tooi_organisation",
    "normal_label",
    "normal_uri",
    "one_line",
    "organisaties",
    "organisation_type",
    "redenen",
    "resolve",
    "talen",
    "themas",
]
