"""The map of permits."""

from __future__ import annotations

import re

import pytest
from lxml import html

from tests.portal.client import Client, client_of, opened
from tests.portal.short_records import DAM, DOM, permit
from woo_portal.app import Options
from woo_portal.routes import permits

RECORDS = [
    permit("a", DAM, termijn={"fase": "aanvraag"}),
    permit("b", DAM),
    permit("c", DOM),
    permit("zonder plaats"),
    permit("weg", DAM, is_withdrawn=True),
]


def marks(page: html.HtmlElement) -> dict[str, str]:
    return {str(each.get("aria-label")): str(each.get("href")) for each in page.cssselect("svg a")}


def link(page: html.HtmlElement, text: str) -> str:
    (found,) = {str(each.get("href")) for each in page.cssselect("main a") if text in each.text_content()}
    return found


def middle_and_zoom(page: html.HtmlElement) -> tuple[float, float, int]:
    """The middle and the zoom of a map, by the link that zooms out one step."""
    found = re.search(r"midden=([\d.]+)%2C([\d.]+)&zoom=(\d+)", link(page, "Zoom uit"))
    assert found
    return float(found[1]), float(found[2]), int(found[3]) + 1


def test_the_first_map_shows_all_permits_that_have_a_place(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart")
    assert sorted(marks(page)) == ["2 vergunningen bij elkaar: naar de lijst", "Zaak c"]
    assert marks(page)["Zaak c"] == f"/vergunning/{RECORDS[2]['id']}"
    assert "3 vergunningen op dit deel" in page.text_content()


def test_permits_at_one_place_lead_to_their_list(client: Client) -> None:
    path = marks(opened(client, "/vergunningen/kaart"))["2 vergunningen bij elkaar: naar de lijst"]
    titles = [each.text_content() for each in opened(client, path).cssselect(".hit h3")]
    assert sorted(titles) == ["Zaak a", "Zaak b"]


def test_permits_near_each_other_lead_to_a_map_that_takes_them_apart() -> None:
    near = {"lat": DAM["lat"] + 0.002, "lon": DAM["lon"]}
    client = client_of([permit("a", DAM), permit("b", near), permit("c", DOM)])
    path = "/vergunningen/kaart"
    for _ in range(6):
        found = marks(opened(client, path))
        if "Zaak a" in found:
            break
        path = found["2 vergunningen: zoom in"]
    assert set(found) == {"Zaak a", "Zaak b"}


def test_at_the_nearest_zoom_permits_near_each_other_lead_to_their_list() -> None:
    near = {"lat": DAM["lat"] + 0.00002, "lon": DAM["lon"]}
    client = client_of([permit("a", DAM), permit("b", near)])
    page = opened(client, f"/vergunningen/kaart?midden={DAM['lat']},{DAM['lon']}&zoom=18")
    (path,) = marks(page).values()
    assert len(opened(client, path).cssselect(".hit")) == 2
    assert "Zoom in" not in page.text_content()


def test_links_move_and_zoom_the_map(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart?midden=52.2,5&zoom=10")
    lat, lon, zoom = middle_and_zoom(page)
    assert (lat, lon, zoom) == (52.2, 5.0, 10)
    assert middle_and_zoom(opened(client, link(page, "Zoom in")))[2] == 11
    assert middle_and_zoom(opened(client, link(page, "Naar links")))[1] < lon
    assert middle_and_zoom(opened(client, link(page, "Naar rechts")))[1] > lon
    assert middle_and_zoom(opened(client, link(page, "Naar boven")))[0] > lat
    assert middle_and_zoom(opened(client, link(page, "Naar onder")))[0] < lat


def test_a_part_of_the_world_without_permits_is_an_empty_map(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart?midden=53.2,6.5&zoom=14")
    assert marks(page) == {}
    assert "0 vergunningen op dit deel" in page.text_content()


def test_an_index_without_permits_has_a_map_of_the_country() -> None:
    assert marks(opened(client_of([]), "/vergunningen/kaart")) == {}


def test_filters_apply_on_the_map_and_stay_in_its_links(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart?fase=aanvraag&sorteer=titel&start=10&aantal=5")
    assert set(marks(page)) == {"Zaak a"}
    for text in ("Zoom uit", "Naar links", "als lijst", "andere filters"):
        assert "fase=aanvraag" in link(page, text)
        assert "sorteer" not in link(page, text)


def test_the_list_of_what_the_map_shows_is_as_long(client: Client) -> None:
    page = opened(client, f"/vergunningen/kaart?midden={DOM['lat']},{DOM['lon']}&zoom=14")
    listed = opened(client, link(page, "als lijst"))
    assert [each.text_content() for each in listed.cssselect(".hit h3")] == ["Zaak c"]
    assert "Op een deel van de kaart" in listed.text_content()


def test_the_map_of_a_part_of_the_world_shows_that_part(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart?kader=52.3,4.8,52.4,4.9")
    lat, lon, zoom = middle_and_zoom(page)
    assert (lat, lon) == pytest.approx((52.35, 4.85), abs=0.01)
    assert zoom > 10
    assert list(marks(page)) == ["2 vergunningen bij elkaar: naar de lijst"]


def test_around_the_middle_of_the_map_permits_can_be_searched(client: Client) -> None:
    page = opened(client, f"/vergunningen/kaart?midden={DOM['lat']},{DOM['lon']}&zoom=14")
    listed = opened(client, link(page, "rond het midden"))
    assert [each.text_content() for each in listed.cssselect(".hit h3")] == ["Zaak c"]


def test_a_map_with_too_many_permits_has_the_newest_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permits, "MOST", 2)
    client = client_of([permit("oud", DAM, day="2026-01-01"), permit("nieuw", DAM), permit("nu", DAM)])
    page = opened(client, "/vergunningen/kaart")
    text = page.text_content()
    assert "3 vergunningen op dit deel" in text
    assert "U ziet de nieuwste 2." in text
    assert list(marks(page)) == ["2 vergunningen bij elkaar: naar de lijst"]


def test_the_background_is_made_of_tiles_and_its_maker_is_named() -> None:
    tiles = "https://service.pdok.nl/brt/{z}/{x}/{y}.png"
    client = client_of(RECORDS, Options(tiles=tiles))
    page = opened(client, f"/vergunningen/kaart?midden={DAM['lat']},{DAM['lon']}&zoom=12")
    addresses = {str(each.get("src")) for each in page.cssselect("svg img")}
    assert "https://service.pdok.nl/brt/12/2103/1346.png" in addresses
    assert len(addresses) in range(9, 17)
    assert "Kadaster" in page.cssselect("figcaption")[0].text_content()


def test_without_a_background_nothing_is_asked_of_anyone(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart")
    assert page.cssselect("img, image, figcaption") == []


def test_a_wrong_map_is_a_page_that_says_what(client: Client) -> None:
    for query in [
        *("midden=52,5", "zoom=12", "midden=52&zoom=12", "midden=a,b&zoom=12", "midden=99,5&zoom=12"),
        *("midden=nan,nan&zoom=12", "midden=52,5&zoom=-1", "midden=52,5&zoom=1e9", "midden=52,5&zoom=x"),
        "kleur=rood",
    ]:
        assert client.get(f"/vergunningen/kaart?{query}").status_code == 400, query


def test_a_map_of_elsewhere_is_the_nearest_map_of_the_netherlands(client: Client) -> None:
    for query in ["midden=0,0&zoom=0", "midden=-90,-180&zoom=999999999", "midden=90,180&zoom=18"]:
        page = opened(client, f"/vergunningen/kaart?{query}")
        assert page.cssselect("svg"), query


def test_titles_on_the_map_are_text() -> None:
    record = permit("x", DAM, title='"><script>alert(1)</script>')
    answer = client_of([record]).get("/vergunningen/kaart")
    assert "<script" not in answer.text
    assert marks(html.fromstring(answer.content)) == {
        '"><script>alert(1)</script>': f"/vergunning/{record['id']}"
    }
