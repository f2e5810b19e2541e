"""Write a register of organisations in the form of the daily ROO export."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

#: The namespace of the export. Its version changes now and then, so readers use local names.
ROO_NAMESPACE = "https://organisaties.overheid.nl/static/schema/oo/export/2.6.9"


class Location(NamedTuple):
    """A registered collection of documents of one informatiecategorie (a label)."""

    url: str
    informatiecategorie: str = "Andere documenten"


@dataclass(frozen=True, slots=True, kw_only=True)
class RooEntry:
    """An ``organisatie`` in the export."""

    naam: str
    systeem_id: str
    tooi: str | None = None
    type: str = "Gemeente"
    locations: Sequence[Location] = ()
    einddatum: str | None = None
    """Day on which the organisation ended, as ``YYYY-MM-DD``."""
    children: Sequence[RooEntry] = ()

    def xml(self) -> str:
        """Return the element ``organisatie``."""
        tooi = "" if self.tooi is None else f" p:resourceIdentifierTOOI={quoteattr(self.tooi)}"
        einddatum = "" if self.einddatum is None else _element("eindDatum", self.einddatum)
        children = "".join(child.xml() for child in self.children)
        if children:
            children = f"<p:organisaties>{children}</p:organisaties>"
        return (
            f"<p:organisatie p:systeemId={quoteattr(self.systeem_id)}{tooi}>"
            f"{_element('naam', self.naam)}<p:types>{_element('type', self.type)}</p:types>{einddatum}"
            f"{self._woo()}{children}</p:organisatie>\n"
        )

    def _woo(self) -> str:
        if not self.locations:
            return ""
        locations = "".join(
            "<p:documentLocatie>"
            f"{_element('informatiecategorie', location.informatiecategorie)}{_element('url', location.url)}"
            "</p:documentLocatie>"
            for location in self.locations
        )
        return f"<p:woo><p:wooIndex>{locations}</p:wooIndex></p:woo>"


def register_xml(organisations: Iterable[RooEntry]) -> str:
    """Return the export with these organisations."""
    inside = "".join(organisation.xml() for organisation in organisations)
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        f'<p:overheidsorganisaties xmlns:p="{ROO_NAMESPACE}">\n'
        f"<p:organisaties>\n{inside}</p:organisaties>\n</p:overheidsorganisaties>\n"
    )


def _element(name: str, text: str) -> str:
    return f"<p:{name}>{escape(text)}</p:{name}>"
