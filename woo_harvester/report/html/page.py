"""The pages of a report: the overview with all hosts, a page for each host, and the gaps in the register."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import chain, islice
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from woo_harvester.findings import Language
from woo_harvester.findings.catalogue import source_links
from woo_harvester.findings.texts import in_words
from woo_harvester.kinds import Kind, others
from woo_harvester.report.counts import shown_in
from woo_harvester.report.funnel import GAP_KINDS
from woo_harvester.report.html import charts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import CodeExplanation, FindingRow, Head, HostReport, Snippet, StageCount
from woo_harvester.report.run_folder import RunFolder, host_page, slug
from woo_harvester.utils.atomic import replace_file
from woo_harvester.utils.templates import base_css, make_environment, read_asset

if TYPE_CHECKING:
    from jinja2 import Environment


#: Up to this number of hosts, everything is on one page.
ONE_PAGE_HOSTS = 50

#: Up to this number of hosts, the table of hosts stands at the top, and not the worst hosts alone.
_FEW_HOSTS = 10

#: The number of hosts and of faults that stand at the top.
_SHOWN_WORST = 5

#: The number of rows of the table of hosts that a page with its script shows at first.
FIRST_ROWS = 50

#: Findings that say something about all of the run, and therefore stand below the verdict.
_ABOUT_RUN = ("oogst.", "register.onbereikbaar")

#: Findings that one document may have several times, so that their count is not a number of documents.
_SEVERAL_TIMES = ("waarde.", "datum.", "documenthandeling.onbekend")


def render(folder: RunFolder, *, lang: Language | None = None, host_pages: Path | None = None) -> Path:
    """Write the report in the folder of a run as HTML, and return the path of ``index.html``.

    A report with many hosts gets a page for each host in the folder *host_pages*, which lies beside or in
    that of the run (the default). One over the whole register gets a page of its coverage. *lang* is by
    default the language of the report. Raises OSError, and ValueError if ``report.json`` is not a report.
    """
    head = read_head(folder.report)
    pages = host_pages or folder.host_pages
    page = _Page(head, lang or head.lang, relpath(pages, folder.path), relpath(folder.path, pages))
    if head.coverage is not None:
        folder.coverage_page.write_text(page.coverage(folder), encoding="utf-8")
    if head.totals.hosts > ONE_PAGE_HOSTS:  # too many for memory
        pages.mkdir(parents=True, exist_ok=True)
        for host in read_hosts(folder.report):
            replace_file(host_page(pages, host.host), page.host(host).encode())
        on_page = []
    else:
        on_page = list(read_hosts(folder.report))
    folder.page.write_text(page.overview(folder, on_page), encoding="utf-8")
    return folder.page


def part_of_page(head: Head, host: HostReport) -> Markup:
    """Return the part of the page of a host that a page of another site may have."""
    shared = _Page(head, head.lang, "", "").shared
    macros: Any = environment().get_template("macros.html").make_module(shared)
    return Markup(macros.part_of_page(shared["t"], shared["explained"], host, head))  # noqa: S704


class _Page:
    """The templates and texts that the pages of one report share."""

    def __init__(self, head: Head, lang: Language, to_hosts: str, to_overview: str) -> None:
        self._head = head
        texts = Texts(lang, head.run.kind)
        macros: Any = environment().get_template("macros.html").module

        @cache
        def explained(code: str) -> CodeExplanation:
            known = head.explanations.get(code) if lang == head.lang else None
            return known or CodeExplanation.of(code, lang)

        @cache
        def rule(code: str) -> Markup:
            """Render the explanation of a code, once for all hosts that have it."""
            made: Markup = macros.rule_of(texts, explained(code), code)
            return made

        self.shared: dict[str, Any] = {
            "t": texts,
            "texts_of": lambda host: Texts(lang, host.kind),  # an audit may be of two kinds
            "head": head,
            "to_hosts": to_hosts,
            "to_overview": to_overview,
            "of_documents": head.run.kind is Kind.woo,
            "explained": explained,
            "rule": rule,
            **page_parts(),
            **_HELPERS,
        }

    def overview(self, folder: RunFolder, hosts: Sequence[HostReport]) -> str:
        return self._render(
            "overview.html",
            rows=hosts or read_hosts(folder.report),
            few=self._head.totals.hosts <= _FEW_HOSTS,
            worst=worst_hosts(hosts or read_hosts(folder.report)),
            heavy=self._head.faults[:_SHOWN_WORST],
            about_run=[row for row in self._head.findings if row.code.startswith(_ABOUT_RUN)],
            first_rows=FIRST_ROWS,
            hosts=hosts,
        )

    def coverage(self, folder: RunFolder) -> str:
        csv = {kind: folder.coverage_csv(kind).name for kind in GAP_KINDS}
        return self._render("gaps.html", gap_kinds=GAP_KINDS, csv=csv)

    def host(self, host: HostReport) -> str:
        return self._render("host.html", host=host)

    def _render(self, name: str, **context: Any) -> str:
        return environment().get_template(name).render(**self.shared, **context)


def changed_lines(snippet: Snippet) -> dict[str, list[tuple[bool, str]]]:
    """Return the lines before and after the fix, each with whether only that side has it."""
    before, after = snippet.before.splitlines(), snippet.after.splitlines()
    sides: dict[str, list[tuple[bool, str]]] = {"before": [], "after": []}
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        sides["before"] += [(tag != "equal", line) for line in before[i:j]]
        sides["after"] += [(tag != "equal", line) for line in after[k:m]]
    return sides


def worst_hosts(hosts: Iterable[HostReport]) -> list[HostReport]:
    """Return the worst hosts; none that loses nothing and has no error or warning."""
    return list(islice((host for host in hosts if host.share_lost or host.worst), _SHOWN_WORST))


def folded(funnel: Sequence[StageCount]) -> list[tuple[bool, list[StageCount]]]:
    """Return the steps of a funnel, those in a row without a loss together, each with whether it is folded.

    The first and the last step are never folded: they are the documents listed, and those harvested.
    """
    rows: list[tuple[bool, list[StageCount]]] = []
    for number, step in enumerate(funnel):
        fold = not step.lost and 0 < number < len(funnel) - 1
        if fold and rows[-1][0]:
            rows[-1][1].append(step)
        else:
            rows.append((fold, [step]))
    return rows


def _most_costly(host: HostReport, number: int = 3) -> list[FindingRow]:
    """Return the findings whose fix gives the most points."""
    return [row for row in host.findings if row.points > 0][:number]


def _about_documents(row: FindingRow) -> bool:
    """Return whether the count of a finding is a number of documents."""
    return row.about_document and not row.code.startswith(_SEVERAL_TIMES)


def unread(host: HostReport) -> list[FindingRow]:
    """Return the errors about files that could not be read, so that the number of documents is not known."""
    kinds = ("index.", "sitemap.", "robots.", "tls.", "host.", *chain.from_iterable(others("unread")))
    return [
        row
        for row in host.findings
        if row.severity == "error" and not row.about_document and row.code.startswith(kinds)
    ]


_HELPERS = {
    "about_documents": _about_documents,
    "changed_lines": changed_lines,
    "folded": folded,
    "most_costly": _most_costly,
    "shown_in": shown_in,
    "unread": unread,
}


@cache
def environment() -> Environment:
    """Return the template environment; it escapes everything that is not marked as HTML."""
    made = make_environment(__package__)
    made.globals.update(charts=charts, slug=slug, source_links=source_links, in_words=in_words)
    return made


def page_parts() -> dict[str, Any]:
    """Return what ``base.html`` needs besides the texts: policy, style and script."""
    return {
        "policy": policy(),
        "style": Markup(_style()),  # noqa: S704 -- our own files, not what publishers wrote
        "script": Markup(read_asset(__package__, "script.js")),  # noqa: S704
    }


@cache
def policy() -> str:
    """Return the Content-Security-Policy: only the page's own script and style, nothing from elsewhere."""
    texts = read_asset(__package__, "script.js"), _style()
    script, style = (base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in texts)
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; "
        f"style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    )


def _style() -> str:
    return base_css() + read_asset(__package__, "style.css")
