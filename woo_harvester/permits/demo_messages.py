"""Make fictional messages of Vergunningen IPM 4.0, from a template."""

from __future__ import annotations

from importlib.resources import files
from string import Template
from xml.sax.saxutils import escape, quoteattr

CASE_URL = "https://www.voorbeeldstad.nl/zaken/2026-1"
DOCUMENT_URL = "https://www.voorbeeldstad.nl/zaken/2026-1/besluit.pdf"

PRODUCT = (
    '<zaak:product><zaak:producttype scheme="overheidvg:Product">kapvergunning</zaak:producttype>'
    "</zaak:product>"
)

_MESSAGE = Template(files(__package__).joinpath("demo_message.xml").read_text(encoding="utf-8"))
_CONTROL = {"transactie_id": "1", "volgnummer": "0", "aanmaakdatum": "2026-04-01"}
_KERN = """
        <dcterms:title>{}</dcterms:title>
        <dcterms:language>nl</dcterms:language>
        <dcterms:type scheme="overheid:Informatietype">vergunning</dcterms:type>
        <dcterms:creator scheme="overheid:Gemeente">{}</dcterms:creator>
        <dcterms:modified>{}</dcterms:modified>"""


def message(
    transactie: str = "C",
    *,
    identifier: str = CASE_URL,
    title: str = "Kappen van twee eiken",
    creator: str = "Voorbeeldstad",
    modified: str = "2026-04-01",
    kern: str = "",
    mantel: str = "",
    meta: str = PRODUCT,
    **control: str,
) -> bytes:
    """Return a message about a case; *kern*, *mantel* and *meta* are XML for these elements.

    *control* has the control elements ``transactie_id``, ``volgnummer`` and ``aanmaakdatum``.
    """
    kern = _KERN.format(escape(title), escape(creator), modified) + kern
    groups = {"owmsmantel": mantel, "vergunningenmeta": meta}
    return _message(transactie, "zaak", identifier, kern, groups, control)


def document_message(
    transactie: str = "C",
    *,
    identifier: str = DOCUMENT_URL,
    title: str = "Besluit",
    case: str | None = CASE_URL,
    kern: str = "",
    **control: str,
) -> bytes:
    """Return a message about a document of a case."""
    control = {"volgnummer": "1", **control}
    kern = _KERN.format(escape(title), "Voorbeeldstad", control.get("aanmaakdatum", "2026-04-01")) + kern
    mantel = "<dcterms:format>application/pdf</dcterms:format>"
    if case is not None:
        mantel += f"<dcterms:isPartOf resourceIdentifier={quoteattr(case)}/>"
    meta = '<document:documenttype scheme="overheidvg:Documenttype">besluit</document:documenttype>'
    groups = {"owmsmantel": mantel, "vergunningenmeta": meta}
    return _message(transactie, "document", identifier, kern, groups, control)


def delete_message(*, identifier: str = CASE_URL, **control: str) -> bytes:
    """Return a message that removes a case, with only the mandatory elements."""
    return _message("D", "zaak", identifier, "", {}, control)


def _message(
    transactie: str, kind: str, identifier: str, kern: str, groups: dict[str, str], control: dict[str, str]
) -> bytes:
    given = {"transactie": transactie, **_CONTROL, **control, "identifier": escape(identifier)}
    body = "".join(f"<{kind}:{name}>{text}</{kind}:{name}>" for name, text in groups.items())
    return _MESSAGE.substitute(given, kind=kind, kern=kern, groups=body).encode()
