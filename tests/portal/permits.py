"""Records of permits as in the output."""

from __future__ import annotations

from typing import Any

DAM = {"lat": 52.373056, "lon": 4.892778}
DOM = {"lat": 52.090737, "lon": 5.121420}


def permit(name: str, cause: str = "aanlevering", day: str = "2026-04-02", **case: Any) -> dict[str, Any]:
    """Return the record of a case; *case* is its metadata."""
    return {
        "id": name,
        "vergunning": {"identifier": f"https://www.voorbeeldstad.nl/zaken/{name}", **case},
        "versies": [{"oorzaak": cause, "mutatiedatumtijd": f"{day}T08:00:00+02:00"}],
        "herkomst": {"opgehaald": f"{day}T10:00:00+02:00"},
    }


def gemeente(name: str) -> dict[str, str]:
    """Return a municipality, as a place or as the creator of a case."""
    return {"scheme": "overheid:Gemeente", "label": name}


def at(*places: dict[str, float]) -> dict[str, Any]:
    """Return the object of a case at these places."""
    return {"coordinaten": [{"x-waarde": 1.0, "y-waarde": 2.0, "wgs84": place} for place in places]}
