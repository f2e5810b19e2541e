"""The HTML of a ``report.json``: one page, or an overview with a page for each host."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.coverage_model import GAP_KINDS
from woo_harvester.report.html import charts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import CodeExplanation, FindingRow, Head, HostReport, Snippet
from woo_harvester.report.model_base import OrganisationRef
from woo_harvester.report.run_folder import RunFolder, slug

#: Up to this number of hosts, everything is on one page.
ONE_PAGE_HOSTS = 50

#: Findings that one document may have several times, so that their count is not a number of documents.
_SEVERAL_TIMES = ("waarde.", "datum.", "documenthandeling.onbekend")


def render(folder: RunFolder, *, lang: Language | None = None) -> Path:
    """Write the report in the folder of a run as HTML, and return the path of ``index.html``.

    A report with many hosts gets a page for each host, and one over the whole register a page of its
    coverage. *lang* is by default the language of the report. Raises OSError, and ValueError if
    ``report.json`` is not a report.
    """
    head = read_head(folder.report)
    page = _Page(head, lang or head.lang)
    if head.coverage is not None:
        folder.coverage_page.write_text(page.coverage(folder), encoding="utf-8")
    if head.totals.hosts <= ONE_PAGE_HOSTS:
        hosts = list(read_hosts(folder.report))
        folder.page.write_text(page.overview([_HostRow.of(host) for host in hosts], hosts), encoding="utf-8")
        return folder.page
    folder.host_pages.mkdir(exist_ok=True)
    rows: list[_HostRow] = []
    for host in read_hosts(folder.report):
        folder.host_page(host.host).write_text(page.host(host), encoding="utf-8")
        rows.append(_HostRow.of(host))
    folder.page.write_text(page.overview(rows), encoding="utf-8")
    return folder.page


@dataclass(frozen=True, slots=True)
class _HostRow:
    """The row of a host in the overview. It is small, because 900 of them are in memory at the same time."""

    host: str
    organisations: list[OrganisationRef]
    listed: int
    harvested: int
    score: int | None
    share_lost: float
    errors: int
    warnings: int

    @classmethod
    def of(cls, host: HostReport) -> _HostRow:
        """Return the row of a host."""
        errors, warnings = (
            sum(row.count for row in host.findings if row.severity is severity)
            for severity in (Severity.ERROR, Severity.WARNING)
        )
        return cls(
            host.host,
            host.organisations,
            host.listed,
            host.harvested,
            host.score,
            host.share_lost,
            errors,
            warnings,
        )


class _Page:
    """The templates and texts that the pages of one report share."""

    def __init__(self, head: Head, lang: Language) -> None:
        self._environment = _environment()
        texts = Texts(lang)
        macros: Any = self._environment.get_template("macros.html").module

        @cache
        def explained(code: str) -> CodeExplanation:
            return _explained(head, code, lang)

        @cache
        def rule(code: str) -> Markup:
            """Render the explanation of a code, once for all hosts that have it."""
            made: Markup = macros.rule_of(texts, explained(code), code)
            return made

        self._shared: dict[str, Any] = {
            "t": texts,
            "head": head,
            "explained": explained,
            "rule": rule,
            "policy": policy(),
            "style": Markup(_asset("style.css")),  # noqa: S704 -- our own files, not what publishers wrote
            "script": Markup(_asset("script.js")),  # noqa: S704
        }

    def overview(self, rows: list[_HostRow], hosts: Sequence[HostReport] = ()) -> str:
        return self._render("overview.html", rows=rows, hosts=hosts, root="")

    def coverage(self, folder: RunFolder) -> str:
        csv = {kind: folder.coverage_csv(kind).name for kind in GAP_KINDS}
        return self._render("gaps.html", gap_kinds=GAP_KINDS, csv=csv)

    def host(self, host: HostReport) -> str:
        return self._render("host.html", host=host, root="../")

    def _render(self, name: str, **context: Any) -> str:
        return self._environment.get_template(name).render(**self._shared, **context)


@cache
def _environment() -> Environment:
    """Return the template environment; it escapes everything that is not marked as HTML."""
    made = Environment(
        loader=FunctionLoader(lambda name: _asset(f"templates/{name}")),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(charts=charts, slug=slug, changed_lines=changed_lines, most_costly=_most_costly)
    made.globals.update(about_documents=_about_documents, maxima=_maxima, unread=unread)
    made.tests["web"] = is_web
    return made


@cache
def _asset(name: str) -> str:
    """Return the text of a file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def policy() -> str:
    """Return the Content-Security-Policy: only the page's own script and style, nothing from elsewhere."""
    digests = {
        kind: base64.b64encode(hashlib.sha256(_asset(name).encode()).digest()).decode()
        for kind, name in (("script", "script.js"), ("style", "style.css"))
    }
    return (
        f"default-src 'none'; script-src 'sha256-{digests['script']}'; "
        f"style-src 'sha256-{digests['style']}'; base-uri 'none'; form-action 'none'"
    )


def is_web(url: str | None) -> bool:
    """Return whether a publisher's URL may be a link: a loc can also be ``javascript:``."""
    return bool(url) and str(url).startswith(("https://", "http://"))


def changed_lines(snippet: Snippet) -> dict[str, list[tuple[bool, str]]]:
    """Return the lines before and after the fix, each with whether only that side has it."""
    before, after = snippet.before.splitlines(), snippet.after.splitlines()
    sides: dict[str, list[tuple[bool, str]]] = {"before": [], "after": []}
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        sides["before"] += [(tag != "equal", line) for line in before[i:j]]
        sides["after"] += [(tag != "equal", line) for line in after[k:m]]
    return sides


def _most_costly(host: HostReport, number: int = 3) -> list[FindingRow]:
    """Return the findings whose fix gives the most points."""
    return [row for row in host.findings if row.points > 0][:number]


def _about_documents(row: FindingRow) -> bool:
    """Return whether the count of a finding is a number of documents."""
    return row.about_document and not row.code.startswith(_SEVERAL_TIMES)


def _maxima(host: HostReport) -> set[str]:
    """Return the codes whose cost is a maximum, because they kept parts of the score from being reached."""
    parts = chain.from_iterable(section.parts for section in host.sections)
    return {code for part in parts if part.state == "not_reached" for code in part.costs}


def unread(host: HostReport) -> list[FindingRow]:
    """Return the errors about files that could not be read, so that the number of documents is not known."""
    kinds = ("index.", "sitemap.", "robots.", "tls.", "host.")
    return [
        row
        for row in host.findings
        if row.severity == "error" and not row.about_document and row.code.startswith(kinds)
    ]


def _explained(head: Head, code: str, lang: Language) -> CodeExplanation:
    if lang == head.lang and code in head.explanations:
        return head.explanations[code]
    text = explain(code, lang)
    return CodeExplanation(what=text.what, why=text.why, mend=text.mend, source=text.source)
