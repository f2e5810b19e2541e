"""Small register exports, written out as the tests need them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register, read_export

TODAY = date(2026, 11, 21)
TOOI = "https://identifier.overheid.nl/tooi/id/"
AMSTERDAM = f"{TOOI}gemeente/gm0363"
UTRECHT = f"{TOOI}gemeente/gm0344"


def organisation(
    name: str,
    *urls: str,
    id: str = "1",
    uri: str | None = None,
    end: str | None = None,
    children: Sequence[str] = (),
) -> str:
    """Return an ``organisatie`` with a documentLocatie for each URL, in the order of the export."""
    tooi = f" p:resourceIdentifierTOOI={quoteattr(uri)}" if uri else ""
    places = "".join(
        "<p:documentLocatie><p:informatiecategorie>Adviezen</p:informatiecategorie>"
        f"<p:url>{escape(url)}</p:url><p:toelichting>Zie de site</p:toelichting></p:documentLocatie>"
        for url in urls
    )
    ended = f"<p:eindDatum>{end}</p:eindDatum>" if end else ""
    return (
        f"<p:organisatie p:systeemId={quoteattr(id)}{tooi}><p:naam>{escape(name)}</p:naam>"
        "<p:types><p:type>Gemeente</p:type></p:types>"
        "<p:contact><p:internetadressen><p:internetadres><p:url>https://contact.nl/</p:url></p:internetadres>"
        "</p:internetadressen></p:contact>"
        f"<p:organisaties>{''.join(children)}</p:organisaties>"
        f"<p:woo><p:wooInformatie><p:urls><p:url>https://info.nl/</p:url></p:urls></p:wooInformatie>"
        f"<p:wooIndex>{places}</p:wooIndex></p:woo>{ended}</p:organisatie>"
    )


def export(*organisations: str, version: str = "2.6.9") -> bytes:
    """Return a complete export with these organisations."""
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n<p:overheidsorganisaties "
        f'xmlns:p="https://organisaties.overheid.nl/static/schema/oo/export/{version}">'
        f"<p:organisaties>{''.join(organisations)}</p:organisaties></p:overheidsorganisaties>"
    ).encode()


def read(*organisations: str) -> Register:
    """Return the register of these organisations, which must give no findings."""
    register, findings = read_with_findings(export(*organisations))
    assert findings == []
    return register


def read_with_findings(document: bytes) -> tuple[Register, list[Finding]]:
    findings: list[Finding] = []
    return read_export(BytesIO(document), Reporter(findings.append), TODAY), findings


def _fail(finding: Finding) -> None:
    raise AssertionError(finding)


unexpected = Reporter(_fail)
"""A reporter for exports that must be read without a finding."""
