"""The verdict of an audit: whether an organisation or its supplier can be connected."""

from __future__ import annotations

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.funnel import OWN_ERROR
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import FindingRow, HostReport, Verdict

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
