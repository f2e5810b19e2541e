"""Short records of documents and permits, whose titles and ids follow from a name."""

from __future__ import annotations

from typing import Any

from tests.portal.permits import DAM, DOM, at
from woo_harvester.utils.urls import record_id

__all__ = ["DAM", "DOM", "THEMA", "document", "permit"]

THEMA = "https://identifier.overheid.nl/tooi/def/thes/top/c_5"
CAUSES = {False: "aanlevering", True: "intrekking"}


def document(
    name: str, day: str = "2026-04-02", *, is_withdrawn: bool = False, **about: Any
) -> dict[str, Any]:
    """Return the record of a document; *about* is its metadata beside the title."""
    loc = f"https://www.voorbeeldstad.nl/{name}.pdf"
    metadata: dict[str, Any] = (
        {} if is_withdrawn else {"titelcollectie": {"officieleTitel": f"Besluit {name}"}, **about}
    )
    return {
        "id": record_id(loc),
        "document": {"weblocatie": loc, **metadata},
        "versies": [
            {
                "oorzaak": CAUSES[is_withdrawn],
                "openbaarmakingsdatum": day,
                "mutatiedatumtijd": f"{day}T10:00:00+02:00",
            }
        ],
        "herkomst": {"opgehaald": f"{day}T12:00:00+02:00", "organisatie": "gm0001"},
    }


def permit(
    name: str, *places: dict[str, float], day: str = "2026-04-02", is_withdrawn: bool = False, **case: Any
) -> dict[str, Any]:
    """Return the record of a permit case at these places; *case* is its metadata beside title and object."""
    identifier = f"https://www.voorbeeldstad.nl/zaken/{name}"
    given: dict[str, Any] = {} if is_withdrawn else {"title": f"Zaak {name}", **case}
    if places:
        given["object"] = {**given.get("object", {}), **at(*places)}
    return {
        "id": record_id(identifier),
        "vergunning": {"identifier": identifier, **given},
        "versies": [{"oorzaak": CAUSES[is_withdrawn], "mutatiedatumtijd": f"{day}T08:00:00+02:00"}],
        "herkomst": {"opgehaald": f"{day}T10:00:00+02:00"},
    }
