"""A finding in whole sentences, for programs that show one text without a table around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import Example


def sentences(example: Example, texts: Texts) -> str:
    """Return where a finding is, what was seen and meant, and what the harvester did, in whole sentences."""
    return " ".join(_sentences(example, texts))


def _sentences(example: Example, texts: Texts) -> Iterator[str]:
    place = place_of(example, texts)
    if place:
        yield texts("sentence_place", place=place)
    if example.element:
        yield texts("sentence_element", element=example.element)
    if example.seen and example.seen not in (example.url, example.element):
        yield texts("sentence_seen", seen=_one_line(example.seen))
    if example.expected:
        yield texts("sentence_expected", expected=example.expected)
    if example.suggestion:
        yield texts("audit_meant", meant=example.suggestion)
    if example.action:
        action = example.action.partition("; verwacht: ")[0] if example.expected else example.action
        yield texts("sentence_action", action=_one_line(action))


def place_of(example: Example, texts: Texts, shown: Callable[[str], str] = str) -> str:
    """Return the URL of a finding, with the file and the line in which it stands; empty if it has none.

    *shown* returns a URL or a file as it is shown.
    """
    place = shown(example.url or "")
    if example.sitemap and example.sitemap != example.url:
        sitemap = shown(example.sitemap)
        place = f"{place}{texts('audit_in', sitemap=sitemap)}" if place else sitemap
    return place + (texts("audit_line", n=str(example.line)) if place and example.line else "")


def _one_line(text: str) -> str:
    return " ".join(text.split())
