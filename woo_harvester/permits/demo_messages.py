"""Make fictional messages of Vergunningen IPM 4.0."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

MESSAGE = "http://standaarden.overheid.nl/vergunningen/4.0/"
CASE_URL = "https://www.voorbeeldstad.nl/zaken/2026-1"
DOCUMENT_URL = "https://www.voorbeeldstad.nl/zaken/2026-1/besluit.pdf"

PRODUCT = (
    '<zaak:product><zaak:producttype scheme="overheidvg:Product">kapvergunning</zaak:producttype>'
    "</zaak:product>"
)

#: Prefixes for the elements of the case: that of the case, that of the message, or none.
CASE_PREFIX, MESSAGE_PREFIX, NO_PREFIX = "zaak:", "overheidvg:", ""


def message(  # noqa: PLR0913
    transactie: str = "C",
    *,
    transactie_id: str = "1",
    volgnummer: str = "0",
    aanmaakdatum: str = "2026-04-01",
    identifier: str = CASE_URL,
    title: str = "Kappen van twee eiken",
    creator: str = "Voorbeeldstad",
    modified: str = "2026-04-01",
    kern: str = "",
    mantel: str = "",
    meta: str = PRODUCT,
    prefix: str = CASE_PREFIX,
) -> bytes:
    """Return a message about a case; *kern*, *mantel* and *meta* are XML for these elements."""
    return _message(
        (transactie, transactie_id, volgnummer, aanmaakdatum),
        "zaak",
        _kern(identifier, title, creator, modified, kern),
        mantel,
        meta,
        prefix,
    )


def document_message(
    transactie: str = "C",
    *,
    transactie_id: str = "1",
    volgnummer: str = "1",
    aanmaakdatum: str = "2026-04-01",
    identifier: str = DOCUMENT_URL,
    title: str = "Besluit",
    case: str | None = CASE_URL,
    kern: str = "",
) -> bytes:
    """Return a message about a document of a case."""
    mantel = "<dcterms:format>application/pdf</dcterms:format>"
    if case is not None:
        mantel += f"<dcterms:isPartOf resourceIdentifier={quoteattr(case)}/>"
    meta = '<document:documenttype scheme="overheidvg:Documenttype">besluit</document:documenttype>'
    return _message(
        (transactie, transactie_id, volgnummer, aanmaakdatum),
        "document",
        _kern(identifier, title, "Voorbeeldstad", aanmaakdatum, kern),
        mantel,
        meta,
        "document:",
    )


def delete_message(
    *, transactie_id: str = "1", aanmaakdatum: str = "2026-04-01", identifier: str = CASE_URL
) -> bytes:
    """Return a message that removes a case, with only the mandatory elements."""
    kern = f"<dcterms:identifier>{escape(identifier)}</dcterms:identifier>"
    return _message(("D", transactie_id, "0", aanmaakdatum), "zaak", kern, None, None, CASE_PREFIX)


def _kern(identifier: str, title: str, creator: str, modified: str, more: str) -> str:
    return f"""
        <dcterms:identifier>{escape(identifier)}</dcterms:identifier>
        <dcterms:title>{escape(title)}</dcterms:title>
        <dcterms:language>nl</dcterms:language>
        <dcterms:type scheme="overheid:Informatietype">vergunning</dcterms:type>
        <dcterms:creator scheme="overheid:Gemeente">{escape(creator)}</dcterms:creator>
        <dcterms:modified>{modified}</dcterms:modified>{more}
    """


def _message(
    control: tuple[str, str, str, str],
    kind: str,
    kern: str,
    mantel: str | None,
    meta: str | None,
    prefix: str,
) -> bytes:
    transactie, transactie_id, volgnummer, aanmaakdatum = control
    body = f"<{prefix}owmskern>{kern}</{prefix}owmskern>"
    if mantel is not None:
        body += f"\n      <{prefix}owmsmantel>{mantel}</{prefix}owmsmantel>"
    if meta is not None:
        body += f"\n      <{prefix}vergunningenmeta>{meta}</{prefix}vergunningenmeta>"
    if prefix != "document:":
        body = body.replace("<zaak:", f"<{prefix}").replace("</zaak:", f"</{prefix}")
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<overheidvg:message xmlns:overheidvg="{MESSAGE}" xmlns:zaak="{MESSAGE}zaak" xmlns:document="{MESSAGE}document"
    xmlns:dcterms="http://purl.org/dc/terms/" xmlns:overheid="http://standaarden.overheid.nl/owms/terms/"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" owms-version="3.5"
    xsi:schemaLocation="{MESSAGE} vergunningen-4.0.xsd">
  <overheidvg:transactietype>{transactie}</overheidvg:transactietype>
  <overheidvg:transactieID>{transactie_id}</overheidvg:transactieID>
  <overheidvg:volgnummer>{volgnummer}</overheidvg:volgnummer>
  <overheidvg:aanmaakdatum>{aanmaakdatum}</overheidvg:aanmaakdatum>
  <{kind}:vergunning{kind}>
    <{prefix}meta>
      {body}
    </{prefix}meta>
  </{kind}:vergunning{kind}>
</overheidvg:message>
""".encode()
