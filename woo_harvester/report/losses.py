"""The kinds of harvest, the stages on the way to a record, and the findings that keep it from a stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from woo_harvester.findings import Severity, explain

#: The kinds of harvest that a report can be about: documents by the Woo, or permits.
HarvestKind = Literal["woo", "vergunningen"]

Stage = Literal["listed", "valid", "allowed", "fetched", "harvested"]

#: The stages after ``listed``, each with the finding codes that keep a document from reaching it. In a
#: harvest of permits, the documents are the files with messages.
LOSSES: dict[HarvestKind, dict[Stage, tuple[str, ...]]] = {
    "woo": {
        "valid": ("loc.ontbreekt", "loc.ongeldig", "loc.geen-https", "loc.inloggegevens"),
        "allowed": ("loc.niet-geregistreerd", "robots.verboden", "lastmod.heraanbod"),
        "fetched": (
            "document.onbereikbaar",
            "document.afgebroken",
            "document.te-groot",
            "document.leeg",
            "document.doorverwijzing",
            "tls.ongeldig",
            "host.bestaat-niet",
            "host.prive-adres",
        ),
        "harvested": ("format.onbekend", "format.niet-ondersteund", "document.html-pagina"),
    },
    "vergunningen": {
        # A link that is no address has the finding of a file that cannot be fetched.
        "valid": (),
        "allowed": ("host.niet-geregistreerd", "robots.verboden"),
        "fetched": (
            "ipm.bericht-onbereikbaar",
            "tls.ongeldig",
            "host.bestaat-niet",
            "host.prive-adres",
        ),
        "harvested": (
            "ipm.ongeldig",
            "ipm.doctype",
            "ipm.te-groot",
            "ipm.schema",
            "ipm.transactie",
            "ipm.identifier",
            "ipm.datum",
            "ipm.datum-toekomst",
            "ipm.andere-organisatie",
        ),
    },
}


def _stages(losses: Mapping[Stage, tuple[str, ...]]) -> dict[str, Stage]:
    return {code: stage for stage, codes in losses.items() for code in codes}


#: The stage that a finding keeps something from, by kind and code.
STAGE_OF: dict[HarvestKind, dict[str, Stage]] = {kind: _stages(losses) for kind, losses in LOSSES.items()}

#: Codes of permits of less than an error that each run reports as long as they are there.
_REPEATED = frozenset({"ipm.datum-nu"})


def is_repeated(code: str) -> bool:
    """Return whether each run reports a finding about permits until it is fixed."""
    return code in _REPEATED or explain(code).severity is Severity.ERROR
