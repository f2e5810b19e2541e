"""One XML element as its sender wrote it, and the ways in which a fix changes it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent, indent
from xml.sax.saxutils import escape, quoteattr

from woo_harvester.report.file_snippets import FindingLine

_ELEMENT = re.compile(
    r"<(?P<prefix>(?:[\w.-]+:)?)(?P<name>[\w.-]+)(?P<attributes>[^<>]*?)\s*(?P<empty>/?)>(?P<inside>.*)",
    re.DOTALL,
)
_PREFIX = re.compile(r"<((?:[\w.-]+:)?)[\w.-]+")

#: A child with text, or without content.
_LEAF = r"<(?P<tag>(?:[\w.-]+:)?{})(?P<attributes>(?:\s[^<>]*?)?)(?:/>|>[^<]*</(?P=tag)\s*>)"

#: The element that each finding with one of these codes is about.
_OF_CODE = {
    "ipm.datum-gegenereerd": "aanmaakdatum",
    "ipm.datum-toekomst": "aanmaakdatum",
    "ipm.transactie": "transactietype",
    "ipm.zaak-bekend": "transactietype",
}


@dataclass(frozen=True, slots=True)
class OwnElement:
    """An element in its parts."""

    prefix: str
    """Its prefix with the colon; empty if it has none."""
    name: str
    attributes: str
    """The attributes as written, with the space before them."""
    inside: str
    """Its content as written."""
    is_empty: bool
    """True if it is one tag, which ends in ``/>``."""

    @property
    def lines(self) -> list[str]:
        """The element as the sender wrote it."""
        if self.is_empty:
            return f"{self._start[:-1]}/>".splitlines()
        return f"{self._start}{self.inside}{self._end}".splitlines()

    @property
    def child_prefix(self) -> str:
        """The prefix of its first child; empty without a child."""
        found = _PREFIX.search(self.inside)
        return found[1] if found else ""

    @property
    def _start(self) -> str:
        return f"<{self.prefix}{self.name}{self.attributes}>"

    @property
    def _end(self) -> str:
        return f"</{self.prefix}{self.name}>"

    def with_text(self, text: str) -> str:
        """Return the element with another text."""
        return f"{self._start}{escape(text)}{self._end}"

    def with_attribute(self, name: str, value: str) -> str:
        """Return the element with another value of an attribute."""
        mine = re.compile(rf"\s{re.escape(name)}\s*=\s*(\"[^\"]*\"|'[^']*')")
        attributes = mine.sub("", self.attributes) + f" {name}={quoteattr(value)}"
        return self._replaced(attributes=attributes)

    def with_namespace(self, space: str) -> str:
        """Return the element with its prefix declared as that of a namespace."""
        prefix = self.prefix.rstrip(":")
        return self.with_attribute(f"xmlns:{prefix}" if prefix else "xmlns", space)

    def renamed(self, name: str) -> str:
        """Return the element under another name."""
        return self._replaced(name=name)

    def with_child(self, child: Sequence[str], around: Sequence[str]) -> list[str]:
        """Return the element with the lines of one more child, inside elements with the names *around*."""
        lines = list(child)
        for name in reversed(around):
            lines = [f"<{self.prefix}{name}>", *("  " + line for line in lines), f"</{self.prefix}{name}>"]
        return [self._start, *self._own_lines(), *("  " + line for line in lines), self._end]

    def with_child_texts(self, texts: Mapping[str, str]) -> list[str]:
        """Return the element with other texts in its children; a child that is not there is added."""
        inside, added = self.inside, []
        for name, text in texts.items():
            leaf = re.compile(_LEAF.format(re.escape(name)))
            right = escape(text)
            inside, count = leaf.subn(rf"<\g<tag>\g<attributes>>{_literal(right)}</\g<tag>>", inside, count=1)
            if not count:
                tag = f"{self.child_prefix or self._prefix_of(name)}{name}"
                added.append(f"  <{tag}>{escape(text)}</{tag}>")
        if added:
            whole = OwnElement(self.prefix, self.name, self.attributes, inside, is_empty=False)
            return [whole._start, *whole._own_lines(), *added, whole._end]
        return f"{self._start}{inside}{self._end}".splitlines()

    def with_version(self, space: str) -> str:
        """Return the root element in the namespace *space*, as are all namespaces that begin with its own."""
        declared = f"xmlns:{self.prefix.rstrip(':')}" if self.prefix else "xmlns"
        own = re.search(rf"\s{re.escape(declared)}\s*=\s*[\"']([^\"']+)", self.attributes)
        if own is None:
            return self.with_namespace(space)
        return self._replaced(attributes=self.attributes.replace(own[1].rstrip("/"), space.rstrip("/")))

    def _own_lines(self) -> list[str]:
        inside = self.inside.strip("\n").rstrip()
        return indent(dedent(inside), "  ").splitlines() if inside.strip() else []

    def _prefix_of(self, name: str) -> str:
        return "" if name in ("start", "end") else self.prefix

    def _replaced(self, **parts: str) -> str:
        made = {
            "prefix": self.prefix,
            "name": self.name,
            "attributes": self.attributes,
            "inside": self.inside,
            **parts,
        }
        return "\n".join(OwnElement(**made, is_empty=self.is_empty).lines)


def own_element(finding: FindingLine) -> OwnElement | None:
    """Return the element of a finding as the sender wrote it; None if the finding does not have it.

    Some findings are about one element only, whose value they have: that element gets the usual prefix.
    """
    if found := _ELEMENT.fullmatch(str(finding.get("given") or "")):
        inside = re.sub(rf"</{re.escape(found['prefix'] + found['name'])}\s*>\Z", "", found["inside"])
        return OwnElement(found["prefix"], found["name"], found["attributes"], inside, bool(found["empty"]))
    if (name := _OF_CODE.get(finding["code"])) is None:
        return None
    seen = str(finding.get("seen", "")).partition("; eerder ")[0]
    return OwnElement("overheidvg:", name, "", escape(seen), is_empty=False)


def _literal(text: str) -> str:
    """Return a text so that a regular expression puts it in as it is."""
    return text.replace("\\", r"\\")
