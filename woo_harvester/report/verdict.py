"""The verdict of an audit of permits, which a supplier can send: ready to be connected, or what is in the way.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", section "Validatie en foutmeldingen":
an organisation is connected once an extensive test finds no problems any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import FindingRow, Verdict

#: A warning with which no harvest over the internet reaches the entry page.
_UNREACHABLE = "host.intern-adres"


def verdict(
    listed: int, beyond_sample: int, rows: Sequence[FindingRow], lang: Language, *, complete: bool
) -> Verdict:
    """Return the verdict on *listed* messages with these findings.

    *beyond_sample* is the number of messages that the audit left out. An entry page that was not read
    *complete*, or that has no messages, is not ready; without an error about it, nothing can be said.
    """
    obstacles = [row for row in rows if row.severity is Severity.ERROR or row.code == _UNREACHABLE]
    texts = Texts(lang)
    if obstacles:
        found = "; ".join(_obstacle(row, texts, lang) for row in obstacles)
        text = texts("verdict_not_connectable", found=found)
    elif not listed or not complete:
        return Verdict(connectable=None, text=texts("verdict_unknown"), in_the_way=[])
    else:
        text = texts("verdict_connectable", judged=texts.count(listed, "message"))
        if beyond_sample:
            text += texts("verdict_sample", n=listed + beyond_sample)
        text += "."
    warnings = sum(row.count for row in rows if row.severity is Severity.WARNING)
    if warnings:
        text += " " + texts("verdict_warnings", warnings=texts.count(warnings, "warning"))
    return Verdict(connectable=not obstacles, text=text, in_the_way=[row.code for row in obstacles])


def _obstacle(row: FindingRow, texts: Texts, lang: Language) -> str:
    """Return what an error says, with its code and count."""
    return f"{explain(row.code, lang).what.rstrip('.')} ({row.code}, {texts.count(row.count, 'time')})"
