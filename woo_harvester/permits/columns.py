"""The columns of permits in a CSV file: those for people, and those that come first if all are written."""

FOR_PEOPLE = {
    "titel": "vergunning.title",
    "organisatie": "vergunning.creator.label",
    "soort": "vergunning.product.producttype.label",
    "fase": "vergunning.termijn.fase",
    "datum": "vergunning.modified",
    "oorzaak": "versies.oorzaak",
    "gewijzigd": "versies.mutatiedatumtijd",
    "bedrijf": "vergunning.actor.bedrijfsnaam",
    "postcode": "vergunning.object.adres.postcodeHuisnummer.postcode",
    "huisnummer": "vergunning.object.adres.postcodeHuisnummer.huisnummer",
    "documenten": "documenten.title",
    "link": "vergunning.identifier",
    "id": "id",
}

FIRST = (
    "id",
    "vergunning.title",
    "vergunning.creator.label",
    "versies.oorzaak",
    "vergunning.termijn.fase",
    "vergunning.identifier",
)
