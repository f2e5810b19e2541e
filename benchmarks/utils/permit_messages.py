"""Permit messages, and the listing of their files, as a municipality publishes them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

MESSAGE = """<?xml version="1.0" encoding="UTF-8"?>
<overheidvg:message xmlns:overheidvg="http://standaarden.overheid.nl/vergunningen/4.0/"
    xmlns:zaak="http://standaarden.overheid.nl/vergunningen/4.0/zaak" xmlns:dcterms="http://purl.org/dc/terms/"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" owms-version="3.5">
  <overheidvg:transactietype>{transactie}</overheidvg:transactietype>
  <overheidvg:transactieID>{number}</overheidvg:transactieID>
  <overheidvg:volgnummer>0</overheidvg:volgnummer>
  <overheidvg:aanmaakdatum>{day}</overheidvg:aanmaakdatum>
  <zaak:vergunningzaak>
    <zaak:meta>
      <zaak:owmskern>
        <dcterms:identifier>{base}/zaken/2026-{number}</dcterms:identifier>
        <dcterms:title>Aanvraag {number}: het kappen van twee eiken achter Dorpsstraat {house}</dcterms:title>
        <dcterms:language>nl</dcterms:language>
        <dcterms:type scheme="overheid:Informatietype">vergunning</dcterms:type>
        <dcterms:creator scheme="overheid:Gemeente">Utrecht</dcterms:creator>
        <dcterms:modified>{day}</dcterms:modified>
        <dcterms:spatial scheme="overheid:Gemeente">Utrecht</dcterms:spatial>
        <dcterms:temporal><start>{day}</start><end>2026-12-31</end></dcterms:temporal>
      </zaak:owmskern>
      <zaak:owmsmantel>
        <dcterms:description>De aanvraag {number} is ontvangen. Bezwaar kan tot zes weken na het besluit.</dcterms:description>
      </zaak:owmsmantel>
      <zaak:vergunningenmeta>
        <zaak:product>
          <zaak:producttype scheme="overheidvg:Product">kapvergunning</zaak:producttype>
          <zaak:activiteit scheme="overheidvg:Activiteit">kappen</zaak:activiteit>
        </zaak:product>
        <zaak:termijn>
          <zaak:fase>aanvraag</zaak:fase>
          <zaak:termijnsoortPeriode>
            <zaak:termijnsoort>bezwaar</zaak:termijnsoort>
            <zaak:startdatumTermijn>{day}</zaak:startdatumTermijn>
            <zaak:einddatumTermijn>2026-12-31</zaak:einddatumTermijn>
          </zaak:termijnsoortPeriode>
        </zaak:termijn>
        <zaak:object>
          <zaak:referentienummer>2026-{number}</zaak:referentienummer>
          <zaak:adres>
            <zaak:postcodeHuisnummer>
              <zaak:postcode>3511 ab</zaak:postcode>
              <zaak:huisnummer>{house}</zaak:huisnummer>
            </zaak:postcodeHuisnummer>
          </zaak:adres>
          <zaak:coordinaten>
            <zaak:x-waarde>{x}</zaak:x-waarde>
            <zaak:y-waarde>455000</zaak:y-waarde>
          </zaak:coordinaten>
        </zaak:object>
      </zaak:vergunningenmeta>
    </zaak:meta>
  </zaak:vergunningzaak>
</overheidvg:message>
"""  # noqa: E501


def listing_parts(files: int) -> Iterator[bytes]:
    """Yield a listing as Apache writes it. In parts, since memory of this process counts as its child's."""
    yield b"<html><body><h1>Index of /xml</h1><table>"
    for start in range(0, files, 500):
        yield "".join(
            '<tr><td valign="top"><img src="/icons/text.gif" alt="[TXT]"></td>'
            f'<td><a href="zaak-{number:06}.xml">zaak-{number:06}.xml</a></td>'
            f'<td align="right">{date_of(number)}  </td><td align="right">2.1K</td><td>&nbsp;</td></tr>\n'
            for number in range(start, min(start + 500, files))
        ).encode()
    yield b"</table></body></html>"


def date_of(number: int) -> str:
    """Return the date of a file, to the minute; no two files have the same."""
    return f"{datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number):%Y-%m-%d %H:%M}"


def messages(count: int, base: str = "https://www.voorbeeldstad.nl") -> list[bytes]:
    """Return messages, each about another case of the site at *base*."""
    return [
        MESSAGE.format(
            base=base,
            transactie="CU"[number % 2],
            number=number,
            # In the past: a message of a day that has not come is not accepted.
            day=f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}",
            house=number % 200 + 1,
            x=130_000 + number,
        ).encode()
        for number in range(count)
    ]
