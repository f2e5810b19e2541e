"""Valid documents, drawn from the official DiWoo schema.

Each is drawn together with what the record is to hold of it, by the rules of the schema alone: a type that
only repeats one element is a list, any other with elements an object, a type with ``resource`` a coded value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from lxml import etree

from tests.diwoo.documents import NAMESPACE

XS = "{http://www.w3.org/2001/XMLSchema}"
MDTO = "https://www.nationaalarchief.nl/mdto"
AMSTERDAM = ZoneInfo("Europe/Amsterdam")

Draw = Callable[[st.SearchStrategy[Any]], Any]

#: All that XML takes, markup and line ends included.
TEXT = st.text(
    st.one_of(st.characters(exclude_categories=("Cc", "Cs", "Cn")), st.sampled_from("<>&\"'\n\t ’é")),
    max_size=8,
)
WORDS = st.builds("{}x{}".format, TEXT, TEXT)
#: From the first year of a date that counts.
DAYS = st.dates(date(1990, 1, 1), date(2200, 1, 1))
ZONES: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.integers(-840, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))
)
MOMENTS = st.datetimes(datetime(1971, 1, 2), datetime(2200, 1, 1), timezones=ZONES)  # noqa: DTZ001


class Concept(NamedTuple):
    """A value of one of the schema's lists."""

    uri: str
    label: str


class Drawn(NamedTuple):
    """An element, and the value that the record must have for it; None or empty for no value."""

    element: etree._Element
    value: Any


class _Stub(etree.Resolver):
    """A stub for the schema of MDTO, which the DiWoo schema imports by its URL."""

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
        if not (system_url or "").startswith(MDTO):
            return None
        stub = (
            f'<xs:schema xmlns:xs="{XS[1:-1]}" targetNamespace="{MDTO}"><xs:element name="MDTO"/></xs:schema>'
        )
        return self.resolve_string(stub, context)


class DiwooSchema:
    """The official schema: a validator, and a source of valid documents."""

    def __init__(self, folder: Path) -> None:
        parser = etree.XMLParser(no_network=True)
        parser.resolvers.add(_Stub())
        main = etree.parse(folder / "diwoo-metadata.xsd", parser)
        self._validator = etree.XMLSchema(main)
        roots = [main.getroot(), etree.parse(folder / "diwoo-metadata-lijsten.xsd").getroot()]
        named = [child for root in roots for child in root if child.get("name")]
        self._types = {f"diwoo:{child.get('name')}": child for child in named if "Type" in str(child.tag)}
        self._main = main.getroot()

    def faults(self, document: etree._Element) -> list[str]:
        """Return the errors of the schema in a document."""
        self._validator.validate(document)
        return [entry.message for entry in self._validator.error_log]

    @cached_property
    def declared(self) -> set[tuple[str, str]]:
        """Return the type and name of each element that the schema declares."""
        found = set()
        for element in self._main.iter(f"{XS}element"):
            if name := element.get("name"):
                owner = next(element.iterancestors(f"{XS}complexType"), None)
                found.add(("" if owner is None else f"diwoo:{owner.get('name')}", name))
        return found

    def concepts(self, name: str) -> list[Concept]:
        """Return the values of a list of the schema and of the lists in it; empty for free text."""
        kind = self._types[name]
        bases = {f"{base.get('base')}" for base in kind.iter(f"{XS}restriction")}
        own = [
            Concept(str(value.get("value")), str(value.findtext(".//{*}p")))
            for value in kind.iter(f"{XS}enumeration")
        ]
        return own + [
            concept for base in sorted(bases & self._types.keys()) for concept in self.concepts(base)
        ]

    def lists(self) -> Iterator[tuple[str, list[Concept]]]:
        """Return the waardelijsten that elements refer to, by name."""
        for restriction in self._main.iterfind(f".//{XS}attribute//{XS}restriction"):
            name = str(restriction.get("base"))
            if concepts := self.concepts(name):
                yield name, concepts

    def documents(self, used: set[tuple[str, str]]) -> st.SearchStrategy[Drawn]:
        """Draw a valid ``diwoo:Document`` with a ``diwoo:DiWoo``; *used* gets the elements drawn."""

        @st.composite
        def document(draw: Draw) -> Drawn:
            prefix = draw(st.sampled_from([None, "diwoo", "d"]))
            element = etree.Element(f"{{{NAMESPACE}}}Document", nsmap={prefix: NAMESPACE})
            used.add(("", "Document"))
            return Drawn(element, _Drawing(self, draw, used).fill(element, "diwoo:DocumentType"))

        return document()

    def type_of(self, name: str) -> etree._Element:
        return self._types[name]

    @cached_property
    def ambiguous(self) -> set[str]:
        """Return the labels that two concepts share, in lower case."""
        counts = Counter(label.casefold() for _, concepts in self.lists() for _, label in set(concepts))
        return {label for label, count in counts.items() if count > 1}


class _Drawing:
    """A drawing of one document."""

    def __init__(self, schema: DiwooSchema, draw: Draw, used: set[tuple[str, str]]) -> None:
        self._schema = schema
        self._draw = draw
        self._used = used

    def fill(self, element: etree._Element, kind: str) -> Any:
        """Give *element* content of a type; return the value that the record must have."""
        if kind.startswith("xs:"):
            element.text, value = getattr(self, f"_{kind.removeprefix('xs:')}")()
            return _one_line(value) if str(element.tag).endswith("itel") else value
        declaration = self._schema.type_of(kind)
        if (attribute := declaration.find(f".//{XS}attribute")) is not None:
            base = attribute.find(f".//{XS}restriction")
            assert base is not None
            return self._coded(element, str(base.get("base")))
        return self._children(element, kind, declaration[-1])

    def _children(self, parent: etree._Element, kind: str, group: etree._Element) -> Any:
        """Draw the elements of an xs:all in any order, or of an xs:sequence in its own order."""
        particles = [child for child in group if child.tag != f"{XS}annotation"]
        if len(particles) == 1 and particles[0].get("maxOccurs") == "unbounded":
            return [value for _, value in self._repeated(parent, kind, particles[0]) if value]
        if group.tag == f"{XS}all":
            particles = self._draw(st.permutations(particles))
        found: dict[str, Any] = {}
        for particle in particles:
            if particle.tag == f"{XS}choice":  # DiWoo or MDTO
                particle = particle[0]  # noqa: PLW2901
            if particle.tag == f"{XS}sequence":  # both or neither
                found |= self._children(parent, kind, particle) if self._draw(st.booleans()) else {}
            elif particle.get("maxOccurs") == "unbounded":
                found[str(particle.get("name"))] = [v for _, v in self._repeated(parent, kind, particle) if v]
            else:
                found |= {name: value for name, value in self._repeated(parent, kind, particle) if value}
        return {name: value for name, value in found.items() if value}

    def _repeated(
        self, parent: etree._Element, kind: str, particle: etree._Element
    ) -> Iterator[tuple[str, Any]]:
        """Draw as many elements of one declaration as the schema allows, at most three."""
        name = str(particle.get("name"))
        least = int(particle.get("minOccurs", "1"))
        most = {"unbounded": 3}.get(particle.get("maxOccurs", "1"), 1)
        for _ in range(self._draw(st.integers(least, most))):
            self._used.add((kind, name))
            element = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
            yield name, self.fill(element, str(particle.get("type")))

    def _coded(self, element: etree._Element, source: str) -> dict[str, str]:
        concepts = self._schema.concepts(source)
        if not concepts:
            return self._reference(element)
        uri, label = self._draw(st.sampled_from(concepts))
        ways = ["uri", "both", "other"]
        if label.casefold() not in self._schema.ambiguous:
            ways.append("label")
        value = {"id": uri, "label": label}
        if source == "diwoo:organisatielijst":
            value["type"] = uri.split("/")[-2]
        way = self._draw(st.sampled_from(ways))
        if way != "label":
            element.set("resource", uri)
        if way in ("label", "both"):
            element.text = self._draw(
                st.sampled_from([label, label.upper(), f"\n {label} ", label.replace("’", "'")])
            )
        if way == "other":
            element.text = self._draw(WORDS)
            value["bronwaarde"] = _one_line(str(element.text))
        return value

    def _reference(self, element: etree._Element) -> dict[str, str]:
        label, uri = self._draw(TEXT), self._draw(st.one_of(st.none(), WORDS))
        element.text = label
        if uri is not None:
            element.set("resource", uri)
        given = {"id": (uri or "").strip(), "label": _one_line(label)}
        return {key: text for key, text in given.items() if text}

    def _string(self) -> tuple[str, str]:
        text = self._draw(TEXT)
        return text, text.strip()

    def _anyURI(self) -> tuple[str, str]:  # noqa: N802
        uri = self._draw(
            st.sampled_from(["https://www.gemeente.nl/velden#", "urn:velden", "../velden?a=b%20c"])
        )
        return uri, uri

    def _date(self) -> tuple[str, str]:
        day = self._draw(DAYS).isoformat()
        return day + self._draw(st.sampled_from(["", "Z", "+02:00", "-14:00"])), day

    def _dateTime(self) -> tuple[str, str]:  # noqa: N802
        moment = self._draw(MOMENTS)
        text = moment.isoformat().replace("+00:00", self._draw(st.sampled_from(["Z", "+00:00"])))
        local = moment if moment.tzinfo else moment.replace(tzinfo=AMSTERDAM)
        return text, local.astimezone(UTC).astimezone(AMSTERDAM).isoformat()


def _one_line(text: str) -> str:
    return " ".join(normalize("NFC", text.replace("\xad", "")).split())
