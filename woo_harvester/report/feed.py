"""An Atom feed (RFC 4287) for one host, with an entry for each run in which its result changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from uuid import NAMESPACE_URL, uuid5

from lxml import etree
from lxml.builder import ElementMaker

from woo_harvester.findings import Language, explain
from woo_harvester.report.history import HostResult, RunResult
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.losses import HarvestKind
from woo_harvester.report.run_folder import feed_url, page_url

ATOM = "http://www.w3.org/2005/Atom"

#: The maximum number of entries in a feed.
MAX_ENTRIES = 30

_E = ElementMaker(namespace=ATOM, nsmap={None: ATOM})


def feed(
    host: str,
    runs: Iterable[RunResult],
    *,
    lang: Language = "nl",
    kind: HarvestKind = "woo",
    base_url: str | None = None,
    has_page: Callable[[str], bool] = lambda run: True,
) -> bytes:
    """Return the feed of a host as XML, newest entry first; *runs* are ordered from old to new.

    *base_url* is the URL at which the folder of reports is published; without it the feed has no links. The
    ids are made from the host and the name of the run, so they never change. *has_page* says whether the page
    of a run is still there: without it, the entry has no link. Raises ValueError if no run visited the host.
    """
    texts = Texts(lang, kind)
    visits = [(run, then) for run in runs if (then := run.hosts.get(host)) is not None and run.at]
    if not visits:
        raise ValueError(f"No run visited {host}")
    root = _E.feed(
        _E.id(_urn(host if kind == "woo" else f"{host} {kind}")),
        _E.title(texts("feed_title", host=host)),
        _E.updated(visits[-1][0].at),
        _E.author(_E.name("woo-harvester")),
    )
    root.set("{http://www.w3.org/XML/1998/namespace}lang", lang)
    if base_url:
        address = feed_url(base_url, host, kind)
        root.append(_E.link(rel="self", type="application/atom+xml", href=address))
    for run, then in _news(visits)[-MAX_ENTRIES:][::-1]:
        root.append(_entry(host, run, then, texts, base_url if has_page(run.run) else None))
    return etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)


def _news(visits: list[tuple[RunResult, HostResult]]) -> list[tuple[RunResult, HostResult]]:
    """Return the first visit, and each visit with another result than the visit before it."""
    news = visits[:1]
    for (_, before), (run, then) in pairwise(visits):
        same = (before.listed, before.harvested) == (then.listed, then.harvested)
        if then.came or then.mended or not same:
            news.append((run, then))
    return news


def _entry(host: str, run: RunResult, then: HostResult, texts: Texts, base_url: str | None) -> etree._Element:
    title = texts("feed_entry", harvested=then.harvested, listed=then.listed)
    if then.score is not None:
        title += f" · {texts('score_of', n=then.score)}"
    entry = _E.entry(
        _E.id(_urn(f"{host} {run.run}")),
        _E.title(title),
        _E.updated(run.at),
        _E.content("\n\n".join(_paragraphs(title, then, texts)), type="text"),
    )
    if base_url:
        entry.append(_E.link(rel="alternate", href=page_url(base_url, run.run)))
    return entry


def _paragraphs(title: str, then: HostResult, texts: Texts) -> Iterable[str]:
    yield title
    for key, codes in (("feed_came", then.came), ("feed_fixed", then.mended)):
        if codes:
            findings = (f"- {explain(code, texts.lang).what} ({code})" for code in codes)
            yield "\n".join([texts(key) + ":", *findings])


def _urn(text: str) -> str:
    return uuid5(NAMESPACE_URL, f"https://{text}").urn
