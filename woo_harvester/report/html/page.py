"""Renders ``report.json``: one page, or an overview with a page for each host."""

from __future__ import annotations

import base64
import difflib
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from woo_harvester.findings import Language, explain
from woo_harvester.report.file import read_head, read_hosts
from woo_harvester.report.html import charts
from woo_harvester.report.html.words import Words
from woo_harvester.report.model import Explanation, FindingRow, Head, Host, Snippet

#: Up to so many hosts everything stands on one page.
ONE_PAGE_HOSTS = 50

#: Findings of which the page says how many, not of how many documents: one document may have several.
SEVERAL_TIMES = ("waarde.", "datum.", "documenthandeling.onbekend")

_NOT_IN_NAMES = re.compile(r"[^a-z0-9.-]")


def render(report: Path, *, lang: Language | None = None) -> Path:
    """Write ``index.html`` beside a ``report.json``, and ``hosts/`` where it has many; returns its path.

    *lang* is that of the report where it is not given. Raises OSError, ValueError for a file that is none.
    """
    head = read_head(report)
    page = _Page(head, lang or head.lang)
    index = report.with_name("index.html")
    if head.totals.hosts <= ONE_PAGE_HOSTS:
        hosts = list(read_hosts(report))
        index.write_text(page.index(hosts, in_page=True), encoding="utf-8")
        return index
    folder = report.with_name("hosts")
    folder.mkdir(exist_ok=True)
    rows: list[Host] = []
    for host in read_hosts(report):
        (folder / f"{slug(host.host)}.html").write_text(page.host(host), encoding="utf-8")
        rows.append(_row(host))
    index.write_text(page.index(rows, in_page=False), encoding="utf-8")
    return index


def slug(host: str) -> str:
    """The name of a host's files: the same in each run, another one for each host."""
    return _NOT_IN_NAMES.sub(lambda match: f"_{ord(match[0]):x}", host)


class _Page:
    """What the pages of one report share."""

    def __init__(self, head: Head, lang: Language) -> None:
        self._environment = environment()
        words = Words(lang)
        self._shared: dict[str, Any] = {
            "t": words,
            "head": head,
            "explained": lambda code: _explained(head, code, lang),
            "policy": policy(),
            "style": Markup(asset("style.css")),  # noqa: S704 -- our own files, not what publishers wrote
            "script": Markup(asset("script.js")),  # noqa: S704
        }

    def index(self, hosts: Iterable[Host], *, in_page: bool) -> str:
        return self._render("index.html", hosts=list(hosts), in_page=in_page, root="")

    def host(self, host: Host) -> str:
        return self._render("host.html", host=host, root="../")

    def _render(self, name: str, **context: Any) -> str:
        return self._environment.get_template(name).render(**self._shared, **context)


@cache
def environment() -> Environment:
    """The templates, which escape everything that is not marked as HTML."""
    made = Environment(
        loader=FunctionLoader(lambda name: asset(f"templates/{name}")),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(charts=charts, slug=slug, changed_lines=changed_lines, most_costly=most_costly)
    made.globals.update(about_documents=about_documents, is_maximum=is_maximum, unread=unread)
    made.tests["web"] = is_web
    return made


@cache
def asset(name: str) -> str:
    """A file of this package as text."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def policy() -> str:
    """What the page may do: run its own script and style, and nothing from anywhere."""
    digests = {
        kind: base64.b64encode(hashlib.sha256(asset(name).encode()).digest()).decode()
        for kind, name in (("script", "script.js"), ("style", "style.css"))
    }
    return (
        f"default-src 'none'; script-src 'sha256-{digests['script']}'; "
        f"style-src 'sha256-{digests['style']}'; base-uri 'none'; form-action 'none'"
    )


def is_web(url: str | None) -> bool:
    """Whether a publisher's URL may be a link: a loc can be ``javascript:`` too."""
    return bool(url) and str(url).startswith(("https://", "http://"))


def changed_lines(snippet: Snippet) -> dict[str, list[tuple[bool, str]]]:
    """The lines of both sides, each with whether the other side does not have it."""
    sides: dict[str, list[tuple[bool, str]]] = {"before": [], "after": []}
    for line in difflib.ndiff(snippet.before.splitlines(), snippet.after.splitlines()):
        mark, text = line[0], line[2:]
        if mark in " -":
            sides["before"].append((mark == "-", text))
        if mark in " +":
            sides["after"].append((mark == "+", text))
    return sides


def most_costly(host: Host, number: int = 3) -> list[FindingRow]:
    """What gives the most points back."""
    return [row for row in host.findings if row.points > 0][:number]


def about_documents(row: FindingRow) -> bool:
    """Whether the count of a finding is one of documents."""
    return row.about_document and not row.code.startswith(SEVERAL_TIMES)


def is_maximum(host: Host, row: FindingRow) -> bool:
    """Whether part of what a finding costs is of parts that it kept from being looked at."""
    parts = chain.from_iterable(section.parts for section in host.sections)
    return any(part.state == "not_reached" and row.code in part.costs for part in parts)


def unread(host: Host) -> list[FindingRow]:
    """Errors by which nobody knows how many documents a host has: files that could not be read."""
    kinds = ("index.", "sitemap.", "robots.", "tls.", "host.")
    return [
        row
        for row in host.findings
        if row.severity == "error" and not row.about_document and row.code.startswith(kinds)
    ]


def _row(host: Host) -> Host:
    """What the overview shows of a host, without what only its own page needs."""
    rows = [row.model_copy(update={"examples": [], "snippet": None}) for row in host.findings]
    empty: dict[str, Any] = {"sections": [], "fields": [], "categories": [], "history": [], "funnel": []}
    return host.model_copy(update={"findings": rows, **empty})


def _explained(head: Head, code: str, lang: Language) -> Explanation:
    if lang == head.lang and code in head.explanations:
        return head.explanations[code]
    text = explain(code, lang)
    return Explanation(what=text.what, why=text.why, mend=text.mend, source=text.source)
