"""Findings, and the catalogue of their codes: severity, explanation, fix and source of each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from woo_harvester.kinds import Kind

Language = Literal["nl", "en"]


class Severity(StrEnum):
    """The severity of a finding: what it costs the publisher."""

    ERROR = "error"
    """One document or more is not harvested."""
    WARNING = "warning"
    """Harvested with less than was meant, or something to look at."""
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The texts of one code in the catalogue, in one language."""

    code: str
    severity: Severity
    what: str
    """One sentence that says what was found."""
    why: str
    """The consequence for readers who look for the document."""
    mend: str
    """The change that the publisher must make."""
    source: str
    """The source of the rule: page and section of the guide, under its Dutch title, or the RFC."""


@cache
def explanations(lang: Language = "nl") -> Mapping[str, Explanation]:
    """Return all codes, in the order of the catalogue."""
    entries = tomllib.loads(catalogue()).items()
    return MappingProxyType({code: _explanation(code, entry, lang) for code, entry in entries})


def catalogue() -> str:
    """Return the catalogue, which ends with the findings about each other kind of records."""
    paths = [files(__package__).joinpath("catalogue.toml")]
    paths += [files(kind.package).joinpath("findings.toml") for kind in Kind if kind.package is not None]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


#: The name of a part in a template.
PART = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class FixTemplate:
    """The text before or after the fix of a finding, with names of its parts in braces."""

    text: str
    within: str | None = None
    """What stands around it: a ``loc``, the ``entry`` of a document or its ``metadata``; None for nothing."""

    @property
    def parts(self) -> set[str]:
        """The names of its parts."""
        return set(PART.findall(self.text))

    @property
    def is_xml(self) -> bool:
        """Whether it is XML, rather than lines of robots.txt."""
        return self.within in ("entry", "metadata") or self.text.startswith("<")


@cache
def fix_templates() -> Mapping[str, tuple[FixTemplate, FixTemplate]]:
    """Return the templates before and after the fix by code; only of the codes that have these."""
    entries = tomllib.loads(catalogue()).items()
    return {
        code: (_template(entry["before"]), _template(entry["after"]))
        for code, entry in entries
        if "before" in entry
    }


def _template(given: str | Mapping[str, str]) -> FixTemplate:
    if isinstance(given, str):
        return FixTemplate(given)
    ((within, text),) = given.items()
    return FixTemplate(text, within)


def explain(code: str, lang: Language = "nl") -> Explanation:
    """Return the explanation of a code; raise ValueError if the catalogue does not have it."""
    try:
        return explanations(lang)[code]
    except KeyError:
        raise ValueError(f"No finding {code!r} in findings/catalogue.toml") from None


def _explanation(code: str, entry: Mapping[str, Any], lang: Language) -> Explanation:
    # A source is the title of a Dutch page or an RFC: only what is neither has an English one.
    texts = entry if lang == "nl" else {"source": entry["source"], **entry[lang]}
    what, why, mend, source = (texts[name] for name in ("what", "why", "mend", "source"))
    return Explanation(code, Severity(entry["severity"]), what, why, mend, source)


#: Longest text of a publisher's that a finding repeats, in characters.
SEEN_MAXLENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One deviation at one place. What does not apply is None and is left out of the output."""

    code: str
    """Stable name from the catalogue, such as ``loc.geen-https``."""
    url: str | None = None
    """The URL that it is about: of a document, sitemap, index, robots.txt or register."""
    organisation: str | None = None
    """TOOI URI of the registered organisation, or its systeemId if it has none."""
    host: str | None = None
    """Host, with its port if that is not 443."""
    sitemap: str | None = None
    line: int | None = None
    element: str | None = None
    """Path of the XML element, such as ``titelcollectie/officieleTitel``."""
    seen: str | None = None
    """The text that was there, as given; cut at 500 characters."""
    action: str | None = None
    """The action of the harvester, in Dutch: "overgeslagen", "gelezen als ..."."""
    since: str | None = None
    """ISO 8601 date-time with offset; of a document that could not be harvested: since when not."""
    at: str | None = None
    """ISO 8601 date-time with offset; filled in where findings are written."""
    lowered_to: Severity | None = None
    """The severity, if the finding costs less at this place than its code says."""

    def __post_init__(self) -> None:
        explain(self.code)  # an unknown code fails where the finding is made
        if self.seen is not None and len(self.seen) > SEEN_MAXLENGTH:
            object.__setattr__(self, "seen", self.seen[: SEEN_MAXLENGTH - 1] + "…")

    @property
    def severity(self) -> Severity:
        """Severity of the code, unless it is lowered; the same for all findings of a code about one host."""
        return self.lowered_to or explain(self.code).severity

    def as_dict(self) -> dict[str, Any]:
        """Return the line of ``findings.jsonl``: keys in a fixed order, without absent values."""
        given = {key: value for key, value in asdict(self).items() if value is not None}
        given.pop("lowered_to", None)
        return {"code": given.pop("code"), "severity": self.severity, **given}


_GUIDE = "https://standaarden.overheid.nl/diwoo/metadata"

#: The beginning of a source, and the page on which it is published.
_PAGES = {
    "De hoofdlijnen voor aansluiten op Woo-index met zoekfunctie": f"{_GUIDE}/diwoo-handleiding-hoofdlijnen",
    "Sitemapindex en Sitemaps": f"{_GUIDE}/diwoo-handleiding-sitemapindex-en-sitemaps",
    "Technische implementatie": f"{_GUIDE}/diwoo-handleiding-technische-implementatie",
    "Aanbevelingen voor metadata": f"{_GUIDE}/diwoo-handleiding-metadata",
    "DiWoo-schema": _GUIDE,
    "sitemaps.org": "https://www.sitemaps.org/protocol.html",
    "Namespaces in XML 1.0": "https://www.w3.org/TR/xml-names/",
    "XML 1.0": "https://www.w3.org/TR/xml/",
}

_RFC = re.compile(r"RFC (?P<number>\d+)(?:, (?P<section>\d+(?:\.\d+)*))?")


def source_links(source: str) -> list[tuple[str, str | None]]:
    """Return each source in *source*, which separates them with ``;``, and its address; None without one."""
    return [(part, _address(part)) for part in source.split("; ")]


def _address(part: str) -> str | None:
    if found := _RFC.match(part):
        section = f"#section-{found['section']}" if found["section"] else ""
        return f"https://www.rfc-editor.org/rfc/rfc{found['number']}{section}"
    return next((url for title, url in _PAGES.items() if part.startswith(title)), None)
