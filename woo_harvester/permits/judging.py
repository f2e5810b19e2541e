"""What is judged of permits: the losses at each stage, the parts of the score, what a run finds again."""

from __future__ import annotations

from collections.abc import Sequence

from woo_harvester.findings import Severity, explain
from woo_harvester.report.funnel import OWN_ERROR, Account, Losses
from woo_harvester.report.score import NOT_JUDGED as NOT_JUDGED_OF_DOCUMENTS
from woo_harvester.report.score import Part

#: What the codes of findings about entry pages and messages begin with.
PREFIX = "ipm."

#: What the codes of errors begin with that leave unknown how many files a page lists.
UNREAD = ("ipm.ingang-", "ipm.te-groot")

LOSSES: Losses = {
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
        OWN_ERROR,
    ),
}

#: The parts in the order of a harvest: what is lost in one part does not reach the parts after it.
PARTS: Sequence[Part] = (
    Part(
        "entry",
        "findability",
        25,
        "pages",
        ("ipm.ingang-", "ipm.link-", "ipm.te-groot", "robots.verboden", "tls.", "host."),
        needs="listed",
    ),
    Part(
        "fetching",
        "documents",
        20,
        "listed",
        ("ipm.bericht-onbereikbaar", "robots.verboden", "tls.", "host."),
    ),
    Part(
        "message",
        "documents",
        25,
        "listed",
        (
            "ipm.ongeldig",
            "ipm.doctype",
            "ipm.kop",
            "ipm.te-groot",
            "ipm.schema",
            "ipm.transactie",
            "ipm.identifier",
            "ipm.datum",
        ),
    ),
    Part("dates", "currency", 10, "listed", ("ipm.datum-", "ipm.niet-toegepast")),
    Part(
        "cases",
        "metadata",
        20,
        "listed",
        ("ipm.andere-organisatie", "ipm.zaak-", "ipm.document-"),
    ),
)

#: What files on disk cannot show, each with the part of the score that is left out.
NOT_JUDGED = NOT_JUDGED_OF_DOCUMENTS | {
    "entry_page": "entry",
    "fetching": "fetching",
    "earlier_messages": None,
}

#: Codes of permits of less than an error that each run reports as long as they are there.
_REPEATED = frozenset({"ipm.datum-nu"})


def is_repeated(code: str) -> bool:
    """Return whether each run reports a finding about permits until it is fixed."""
    return code in _REPEATED or explain(code).severity is Severity.ERROR


def would_find_again(code: str, about_document: bool, account: Account) -> bool:
    """Return whether a run has read what a finding would be about."""
    return bool(account.complete) and (is_repeated(code) or not (about_document and account.unchanged))
