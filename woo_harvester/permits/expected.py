"""What was expected in the place of what a finding about a message saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.findings import Language
from woo_harvester.permits.parsing import UNPROCESSED

_PREFIX = f"{UNPROCESSED}; verwacht: "

#: What a message says is expected, in other languages than Dutch.
_IN_ENGLISH = {
    "een datum als 2009-09-01": "a date such as 2009-09-01",
    "C, U of D": "C, U or D",
    "een getal: 0 voor de zaak, 1 en verder voor documenten": (
        "a number: 0 for the case, 1 and on for documents"
    ),
    "een kenmerk van 1 tot 255 tekens": "an identifier of 1 to 255 characters",
    "een getal in meters": "a number in metres",
}

#: What is expected where a message does not say so, by code: in Dutch and English.
_OF_CODE: dict[str, dict[Language, str]] = {
    "ipm.identifier": {
        "nl": "één volledig adres, zoals https://www.voorbeeldstad.nl/zaken/1",
        "en": "one full address, such as https://www.voorbeeldstad.nl/zaken/1",
    },
    "ipm.datum-toekomst": {
        "nl": "de dag van de mutatie: vandaag of eerder",
        "en": "the day of the change: today or earlier",
    },
    "ipm.datum-gegenereerd": {
        "nl": "de dag van de mutatie, die bij elk verzoek dezelfde is",
        "en": "the day of the change, which is the same at each request",
    },
    "ipm.doctype": {"nl": "XML zonder DOCTYPE", "en": "XML without a DOCTYPE"},
    "ipm.ingang-zonder-links": {
        "nl": "voor elk bericht een gewone link: <a href>",
        "en": "an ordinary link for each message: <a href>",
    },
}

_REQUIRED: dict[Language, str] = {
    "nl": "<{}>, verplicht bij C en U",
    "en": "<{}>, required for C and U",
}


def expected(finding: Mapping[str, Any], lang: Language) -> str | None:
    """Return what was expected in the place of what a finding saw, or None if the finding does not say."""
    action, code = str(finding.get("action") or ""), finding["code"]
    if action.startswith(_PREFIX):
        return _said(action.removeprefix(_PREFIX), lang)
    if code == "ipm.schema" and finding.get("seen") == "ontbreekt":
        return _REQUIRED[lang].format(str(finding.get("element", "")).rpartition("/")[2])
    return _OF_CODE[code][lang] if code in _OF_CODE else None


def _said(text: str, lang: Language) -> str:
    """Return what a message said is expected; names of elements get the tags that they are written with."""
    names, found, space = text.partition(" (naamruimte ")
    if found:
        tags, space = ", ".join(f"<{name}>" for name in names.split(", ")), space.removesuffix(")")
        return f"{tags} (naamruimte {space})" if lang == "nl" else f"{tags} (namespace {space})"
    if lang == "nl":
        return text
    return _IN_ENGLISH.get(text, text.replace("één <message> in naamruimte", "one <message> in namespace"))
