"""What is judged of permits: losses, the parts of the score, what is found again, the verdict of an audit."""

from __future__ import annotations

from collections.abc import Sequence

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.funnel import OWN_ERROR, Account, Losses
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import FindingRow, HostReport, Verdict
from woo_harvester.report.score import NOT_JUDGED as OF_DOCUMENTS
from woo_harvester.report.score import Part

#: What the codes of findings about entry pages and messages begin with.
PREFIX = "ipm."

#: What the codes of errors begin with that leave unknown how many files a page lists.
UNREAD = ("ipm.ingang-", "ipm.te-groot")

#: What makes a message invalid.
_INVALID = ("ipm.ongeldig", "ipm.doctype", "ipm.te-groot", "ipm.schema", "ipm.transactie", "ipm.identifier")

LOSSES: Losses = {
    # A link that is no address has the finding of a file that cannot be fetched.
    "valid": (),
    "allowed": ("host.niet-geregistreerd", "robots.verboden"),
    "fetched": ("ipm.bericht-onbereikbaar", "tls.ongeldig", "host.bestaat-niet", "host.prive-adres"),
    "harvested": (*_INVALID, "ipm.datum", "ipm.datum-toekomst", "ipm.andere-organisatie", OWN_ERROR),
}

#: Findings about the connection to a page or a file of it.
_CONNECTION = ("robots.verboden", "tls.", "host.")

#: The parts in the order of a harvest: what is lost in one part does not reach the parts after it.
PARTS: Sequence[Part] = (
    Part("entry", "findability", 25, "pages", (*UNREAD, "ipm.link-", *_CONNECTION), needs="listed"),
    Part("fetching", "documents", 20, "listed", ("ipm.bericht-onbereikbaar", *_CONNECTION)),
    Part(
        "message", "documents", 25, "listed", (*_INVALID, "ipm.kop", "ipm.tekens", "ipm.dubbel", "ipm.datum")
    ),
    Part("dates", "currency", 10, "listed", ("ipm.datum-", "ipm.niet-toegepast")),
    Part("cases", "metadata", 20, "listed", ("ipm.andere-organisatie", "ipm.zaak-", "ipm.document-")),
)

#: What files on disk cannot show, each with the part of the score that is left out.
NOT_JUDGED = OF_DOCUMENTS | {"entry_page": "entry", "fetching": "fetching", "earlier_messages": None}

#: Codes of permits of less than an error that each run reports as long as they are there.
_REPEATED = frozenset({"ipm.datum-nu"})


def is_repeated(code: str) -> bool:
    """Return whether each run reports a finding about permits until it is fixed."""
    return code in _REPEATED or explain(code).severity is Severity.ERROR


def would_find_again(code: str, about_document: bool, account: Account) -> bool:
    """Return whether a run has read what a finding would be about."""
    return bool(account.complete) and (is_repeated(code) or not (about_document and account.unchanged))


#: A warning with which no harvest over the internet reaches the entry page.
_UNREACHABLE = "host.intern-adres"


def verdict(host: HostReport, lang: Language) -> Verdict:
    """Return the verdict on the messages of a host.

    An entry page that was not read completely, or that has no messages, is not ready. Without an error about
    it, nothing can be said, nor if the harvester itself failed on something.
    """
    rows = [row for row in host.findings if row.code != OWN_ERROR]
    obstacles = [row for row in rows if row.severity is Severity.ERROR or row.code == _UNREACHABLE]
    has_own_error = len(rows) < len(host.findings)
    is_unknown = not obstacles and (has_own_error or not host.listed or not host.complete)
    texts = Texts(lang)
    if obstacles:
        found = "; ".join(_obstacle(row, texts, lang) for row in obstacles)
        text = texts("verdict_not_connectable", found=found)
    elif is_unknown:
        text = texts("verdict_own_error" if has_own_error else "verdict_unknown")
    else:
        text = texts("verdict_connectable", judged=texts.count(host.listed, "message"))
        if host.beyond_sample:
            text += texts("verdict_sample", n=host.listed + host.beyond_sample)
        text += "."
    if host.passed_over:
        text += " " + texts("verdict_passed_over", links=texts.count(host.passed_over, "link"))
    if host.not_asked:
        text += " " + texts("verdict_not_asked", links=texts.count(host.not_asked, "link"))
    warnings = sum(row.count for row in rows if row.severity is Severity.WARNING)
    if warnings and not is_unknown:
        text += " " + texts("verdict_warnings", warnings=texts.count(warnings, "warning"))
    connectable = None if is_unknown else not obstacles
    return Verdict(connectable=connectable, text=text, in_the_way=[row.code for row in obstacles])


def _obstacle(row: FindingRow, texts: Texts, lang: Language) -> str:
    """Return what an error says, with its code and count."""
    return f"{explain(row.code, lang).what.rstrip('.')} ({row.code}, {texts.count(row.count, 'time')})"
