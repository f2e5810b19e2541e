"""Finds the sender's own XML of the elements that findings about a message are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from textwrap import dedent, indent

from woo_harvester.findings import Finding
from woo_harvester.formats.page_text import decode_page
from woo_harvester.sitemaps.decompress import DecompressError, decompress

#: Longest element that is repeated as it is, in characters; of a longer one only its tags.
_ELEMENT_MAX = 300

#: Longest start tag that is repeated.
_TAG_MAX = 500

#: Most elements with one name that are compared with what was seen; a whole message may be on one line.
_COMPARED = 1000

#: A start tag; its name without prefix is in the group ``local``.
_START = r"<(?P<name>(?:[\w.-]+:)?(?P<local>{}))(?=[\s/>])[^<>]*>"
_LEAF = re.compile(_START.format(r"[\w.-]+") + r"[^<]*</(?P=name)\s*>")
_MORE = "…"


def with_own_xml(findings: Sequence[Finding], chunks: Iterable[bytes], maxsize: int) -> Sequence[Finding]:
    """Return the findings about the message in *chunks*, each with the sender's own element as ``given``.

    A finding without a line, or whose element is not found at that line, stays as it is. *maxsize* is that
    of :func:`~woo_harvester.permits.messages.read_message`. Never raises for the content of a file.
    """
    if not any(finding.line for finding in findings):
        return findings
    try:
        text = "".join(decode_page(decompress(chunks, maxsize), None)[1])
    except DecompressError:
        return findings
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return [replace(finding, given=_given(finding, text, starts)) for finding in findings]


def _given(finding: Finding, text: str, starts: Sequence[int]) -> str | None:
    """Return the element of a finding as it is written; if it is absent, the element that lacks it."""
    if finding.line is None or finding.line > len(starts):
        return None
    begin = starts[finding.line - 1]
    end = starts[finding.line] if finding.line < len(starts) else len(text)
    for name in reversed((finding.element or "").split("/")):
        if name and (found := _find(name, text, begin, end, finding.seen or "")):
            return found
    return text[begin:end].strip()[:_ELEMENT_MAX] or None if finding.element is None else None


def _find(name: str, text: str, begin: int, end: int, seen: str) -> str | None:
    """Return the element whose start tag ends between two places; of several, the one that has *seen*."""
    # A start tag may be on several lines, of which a parser gives the last one.
    tags = re.compile(_START.format(re.escape(name))).finditer(text, max(0, begin - _TAG_MAX), end)
    found = [_element(text, match) for match in islice(tags, _COMPARED) if match.end() > begin]
    return next((each for each in found if seen and seen in each), next(iter(found), None))


def _element(text: str, tag: re.Match[str]) -> str:
    """Return an element: as it is if it is short, else its tags around its first element with text."""
    if tag[0].endswith("/>"):
        return tag[0]
    close = f"</{tag['name']}>"
    inside, found, _ = text[tag.end() : tag.end() + _ELEMENT_MAX].partition(close)
    if found:
        first, _, rest = inside.partition("\n")
        shown = indent(dedent(rest.rstrip()), "  ")
        return f"{tag[0]}{first.rstrip()}\n{shown}\n{close}" if shown else f"{tag[0]}{first}{close}"
    blank = len(inside) - len(inside.lstrip())
    leaf = _LEAF.match(text, tag.end() + blank, tag.end() + blank + _ELEMENT_MAX)
    return "\n".join([tag[0], *(["  " + leaf[0]] if leaf else []), "  " + _MORE, close])
