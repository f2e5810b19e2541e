"""The XML of a permit message before and after a fix, made of the element as its sender wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from textwrap import dedent, indent
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from dateutil import parser

from woo_harvester.permits.mapping import to_wgs84
from woo_harvester.permits.schema import MESSAGE_NS
from woo_harvester.report.xml_lines import DAY, FindingLine, Lines, Maker

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
        return replace(self, attributes=attributes)._text

    def with_namespace(self, space: str) -> str:
        """Return the element with its prefix declared as that of a namespace."""
        prefix = self.prefix.rstrip(":")
        return self.with_attribute(f"xmlns:{prefix}" if prefix else "xmlns", space)

    def renamed(self, name: str) -> str:
        """Return the element under another name."""
        return replace(self, name=name)._text

    def with_child(self, child: Sequence[str], around: Sequence[str]) -> list[str]:
        """Return the element with the lines of one more child, inside elements with the names *around*."""
        lines = list(child)
        for name in reversed(around):
            lines = [f"<{self.prefix}{name}>", *("  " + line for line in lines), f"</{self.prefix}{name}>"]
        return [self._start, *_dedented(self.inside), *("  " + line for line in lines), self._end]

    def with_child_texts(self, texts: Mapping[str, str]) -> list[str]:
        """Return the element with other texts in its children; a child that is not there is added."""
        inside, added = self.inside, []
        for name, text in texts.items():
            leaf = re.compile(_LEAF.format(re.escape(name)))
            right = escape(text).replace("\\", r"\\")  # no backslash has a meaning in it
            inside, count = leaf.subn(rf"<\g<tag>\g<attributes>>{right}</\g<tag>>", inside, count=1)
            if not count:
                tag = f"{self.child_prefix or self._prefix_of(name)}{name}"
                added.append(f"  <{tag}>{escape(text)}</{tag}>")
        if added:
            return [self._start, *_dedented(inside), *added, self._end]
        return f"{self._start}{inside}{self._end}".splitlines()

    def with_version(self, space: str) -> str:
        """Return the root element in the namespace *space*, as are all namespaces that begin with its own."""
        declared = f"xmlns:{self.prefix.rstrip(':')}" if self.prefix else "xmlns"
        own = re.search(rf"\s{re.escape(declared)}\s*=\s*[\"']([^\"']+)", self.attributes)
        if own is None:
            return self.with_namespace(space)
        attributes = self.attributes.replace(own[1].rstrip("/"), space.rstrip("/"))
        return replace(self, attributes=attributes)._text

    def _prefix_of(self, name: str) -> str:
        return "" if name in ("start", "end") else self.prefix

    @property
    def _text(self) -> str:
        return "\n".join(self.lines)


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


def _dedented(inside: str) -> list[str]:
    """Return the lines of the content of an element, indented once."""
    inside = inside.strip("\n").rstrip()
    return indent(dedent(inside), "  ").splitlines() if inside.strip() else []


#: What an element of a message is written with: its attributes and an example of its value.
EXAMPLES = {
    "title": ("", "Kappen van twee eiken"),
    "type": (' scheme="overheid:Informatietype"', "vergunning"),
    "creator": (' scheme="overheid:Gemeente"', "Voorbeeldstad"),
    "spatial": (' scheme="overheid:Gemeente"', "Voorbeeldstad"),
    "producttype": (' scheme="overheidvg:Product"', "kapvergunning"),
    "activiteit": (' scheme="overheidvg:Activiteit"', "kappen"),
    "documenttype": (' scheme="overheidvg:Documenttype"', "besluit"),
    "bedrijfsadres": (' scheme="overheid:PostcodeHuisnummer"', "1234AB 1"),
    "kadastralegemeente": (' scheme="overheid:KadastraleGemeente"', "Voorbeeldstad"),
    "language": ("", "nl"),
    "transactietype": ("", "U"),
    "transactieID": ("", "2026-0001"),
    "volgnummer": ("", "0"),
    "postcode": ("", "1234AB"),
    "huisnummer": ("", "1"),
    "x-waarde": ("", "155000"),
    "y-waarde": ("", "463000"),
    "z-waarde": ("", "0"),
    **dict.fromkeys(("aanmaakdatum", "modified", "start", "end"), ("", DAY)),
    **dict.fromkeys(("startdatumTermijn", "einddatumTermijn"), ("", DAY)),
}

#: Names of elements whose misspelling is recognised.
_NAMES = (*EXAMPLES, "identifier", "temporal", "description", "references", "isPartOf", "format", "product")


def permit_maker(change: Callable[[OwnElement, FindingLine], str | list[str] | None]) -> Maker:
    """Return a maker of a snippet: *change* returns the element as it should be, or its lines."""

    def make(finding: FindingLine) -> Lines | None:
        element = own_element(finding)
        after = None if element is None else change(element, finding)
        if element is None or after is None:
            return None
        return element.lines, after.splitlines() if isinstance(after, str) else after

    return make


def _value(right: Callable[[FindingLine], str]) -> Maker:
    """Return a maker for an element whose text is to be what *right* returns."""
    return permit_maker(lambda element, finding: element.with_text(right(finding)))


def _day(finding: FindingLine) -> str:
    """Return the day that was meant, read as people in the Netherlands write days; else an example."""
    seen = str(finding.get("seen", ""))
    if not re.search(r"\d{4}", seen) or len(re.findall(r"\d", seen)) < len("202611"):
        return DAY  # without a year, month and day, the library fills in those of today
    try:
        return parser.parse(seen, dayfirst=not re.match(r"\d{4}", seen)).date().isoformat()
    except (ValueError, OverflowError):
        return DAY


def _today(finding: FindingLine) -> str:
    return str(finding.get("at") or DAY)[: len(DAY)]


def _letter(finding: FindingLine) -> str:
    """Return the letter of a transaction that was probably meant."""
    # Create, nieuw, aanmaken; delete, verwijderen.
    meanings = {"c": "C", "n": "C", "a": "C", "d": "D", "v": "D"}
    return meanings.get(str(finding.get("seen", "")).strip()[:1].lower(), "U")


def _before(finding: FindingLine) -> str:
    """Return the aanmaakdatum that the same message had before, from what was seen."""
    return str(finding.get("seen", "")).partition("; eerder ")[2] or DAY


def _case_url(finding: FindingLine) -> str:
    """Return the full address that an identifier should be: its own, completed if that is possible."""
    seen = str(finding.get("seen", "")).strip()
    if re.fullmatch(r"www\.\S+", seen):
        return f"https://{seen}"
    if " en http" in seen:  # two identifiers in one message
        return seen.partition(" en http")[0]
    is_path = seen != "ontbreekt" and "://" not in seen and len(seen) > 0
    path = quote(seen.lstrip("/"), safe="/?=&;%-._~") if is_path else "zaken/1"
    host = str(finding.get("host", ""))
    is_host = re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", host, re.ASCII) is not None
    return f"https://{host if is_host else 'www.voorbeeldstad.nl'}/{path}"


def _identifier(element: OwnElement, finding: FindingLine) -> str | None:
    url = _case_url(finding)
    if " en http" in str(finding.get("seen", "")):
        return ""  # the second one is to be removed
    if element.name == "isPartOf":
        return element.with_attribute("resourceIdentifier", url)
    return element.with_text(url)


def _scheme(element: OwnElement, finding: FindingLine) -> str | None:
    """Return the element with the scheme that is most like the one that was seen, or that it usually has."""
    known = {attribute[len(' scheme="') : -1] for attribute, _ in EXAMPLES.values() if attribute}
    known |= {
        "overheid:Provincie",
        "overheid:Waterschap",
        "overheid:PostcodeHuisnummer",
        "overheid:Woonplaats",
    }
    by_name = {each.partition(":")[2].casefold(): each for each in known}
    seen = str(finding.get("seen", "")).rpartition(":")[2].casefold()
    close = get_close_matches(seen, by_name, n=1)
    usual = EXAMPLES.get(element.name, ("", ""))[0][len(' scheme="') : -1]
    right = by_name[close[0]] if close else usual
    return element.with_attribute("scheme", right) if right else None


def _address(element: OwnElement, finding: FindingLine) -> str | list[str]:
    if element.name == "postcodeHuisnummer":
        return element.with_child_texts({name: EXAMPLES[name][1] for name in ("postcode", "huisnummer")})
    return element.with_text("1234AB 1")


def _place(element: OwnElement, finding: FindingLine) -> list[str]:
    """Return coordinates with x and y swapped if that is a place in the Netherlands, else an example."""
    numbers = re.findall(r"-?[0-9.]+(?:e[+-]?\d+)?", str(finding.get("seen", "")))
    right = [EXAMPLES[f"{axis}-waarde"][1] for axis in "xy"]
    if len(numbers) == len(right) and to_wgs84(float(numbers[1]), float(numbers[0])):
        right = numbers[::-1]
    return element.with_child_texts(dict(zip(("x-waarde", "y-waarde"), right, strict=True)))


def _period(element: OwnElement, finding: FindingLine) -> list[str]:
    """Return a period with its two days swapped."""
    begin, _, end = str(finding.get("seen", "")).partition(" – ")
    names = ("start", "end") if element.name == "temporal" else ("startdatumTermijn", "einddatumTermijn")
    return element.with_child_texts(dict(zip(names, (end, begin), strict=True)))


def _schema(element: OwnElement, finding: FindingLine) -> str | list[str] | None:
    """Return the element as the schema wants it; None if that does not follow from the finding."""
    seen = str(finding.get("seen", ""))
    expected, _ = _expected(finding)
    if seen == "ontbreekt":
        path = str(finding.get("element", "")).split("/")
        inside = path[path.index(element.name) + 1 :] if element.name in path else path
        return element.with_child(_leaf_of(inside, element), inside[:-1])
    if seen.endswith("is niet volledig"):
        return element.with_child(_example(expected[0], element.prefix), []) if expected else None
    if element.name == "message":
        return element.with_version(MESSAGE_NS)
    if seen.startswith(f"<{element.name}>"):
        return _misplaced(element, finding)
    example = EXAMPLES.get(element.name)
    return element.with_text(example[1]) if example and not seen.startswith("tekst in") else None


def _misplaced(element: OwnElement, finding: FindingLine) -> str | list[str]:
    """Return an element that the schema does not allow in its place: corrected, moved, or removed."""
    expected, space = _expected(finding)
    if not expected:
        return ""
    if element.name in expected:
        return element.with_namespace(space)
    if close := get_close_matches(element.name, expected, n=1):
        return element.renamed(close[0])
    return [*_example(expected[0], element.prefix), *element.lines]


def _leaf_of(path: list[str], parent: OwnElement) -> list[str]:
    """Return the lines of the element at the end of a path, in the prefix that its parent's elements have."""
    is_owms = parent.name in ("owmskern", "owmsmantel", "meta") and len(path) == 1
    return _example(path[-1], parent.child_prefix or ("dcterms:" if is_owms else parent.prefix))


def _example(name: str, prefix: str) -> list[str]:
    if name == "isPartOf":
        return [f'<{prefix}{name} resourceIdentifier="https://www.voorbeeldstad.nl/zaken/1"/>']
    attributes, text = EXAMPLES.get(name, ("", "…"))
    return [f"<{prefix}{name}{attributes}>{escape(text)}</{prefix}{name}>"]


def _expected(finding: FindingLine) -> tuple[list[str], str]:
    """Return the names of the elements that the schema expected, and the namespace of the first."""
    text = str(finding.get("action", "")).partition("verwacht: ")[2]
    names, found, space = text.partition(" (naamruimte ")
    return (names.split(", "), space.removesuffix(")")) if found else ([], "")


def _unknown(element: OwnElement, finding: FindingLine) -> str | None:
    """Return an element under the name that was probably meant, or None."""
    close = get_close_matches(element.name, _NAMES, n=1)
    return element.renamed(close[0]) if close else None


def _ampersand(finding: FindingLine) -> Lines | None:
    """Return the line with a bare ampersand as XML has it; None for another fault."""
    given = str(finding.get("given") or "")
    if not given or "EntityRef" not in str(finding.get("seen", "")):
        return None
    return [given], [re.sub(r"&(?!#?\w+;)", "&amp;", given)]


PERMIT_MAKERS: dict[str, Maker] = {
    "ipm.ongeldig": _ampersand,
    "ipm.schema": permit_maker(_schema),
    "ipm.transactie": _value(_letter),
    "ipm.identifier": permit_maker(_identifier),
    "ipm.datum": _value(_day),
    "ipm.datum-toekomst": _value(_today),
    "ipm.datum-gegenereerd": _value(_before),
    "ipm.scheme-onbekend": permit_maker(_scheme),
    "ipm.adres": permit_maker(_address),
    "ipm.coordinaten": permit_maker(_place),
    "ipm.periode": permit_maker(_period),
    "ipm.element-onbekend": permit_maker(_unknown),
    "ipm.element-dubbel": permit_maker(lambda element, finding: ""),
    "ipm.zaak-bekend": _value(lambda finding: "U"),
}
