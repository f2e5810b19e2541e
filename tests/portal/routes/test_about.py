"""The page about the portal, what an organisation adds to each page, security.txt, and the figures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.portal.client import client_of, opened
from tests.portal.records import full, withdrawn
from woo_harvester.utils.templates import base_css
from woo_portal.app import Options

LINKS = [("Toegankelijkheid", "https://www.example.nl/t"), ("Contact", "mailto:woo@example.nl")]


def test_the_page_about_the_portal_says_how_much_there_is_and_how_to_reach_it() -> None:
    client = client_of([full(), withdrawn()], Options(links=LINKS, contact="beheer@example.nl"))
    page = opened(client, "/over")
    text = " ".join(page.text_content().split())
    assert "Er staat hier 1 document van 1 organisatie." in text
    assert "1 document is later ingetrokken." in text
    assert "http://portal.test/api/v0" in text
    links = {each.text_content(): each.get("href") for each in page.cssselect("main a")}
    assert links["de beschrijving (OpenAPI)"] == "/api/v0/openapi.json"
    assert links["beheer@example.nl"] == "mailto:beheer@example.nl"
    assert all(client.get(str(url)).status_code == 200 for url in links.values() if str(url)[0] == "/")


def test_each_page_has_the_links_style_and_logo_of_the_organisation(tmp_path: Path) -> None:
    css, logo = tmp_path / "huisstijl.css", tmp_path / "logo.png"
    css.write_text(":root { --accent: #ff0000; }")
    logo.write_bytes(b"\x89PNG")
    own, without = Options(links=LINKS, css=str(css), logo=str(logo)), Options()
    for options, links, images, end in ((own, LINKS, 1, css.read_text()), (without, [], 0, "}\n")):
        client = client_of([full()], options)
        for path in ("/", "/over", f"/document/{full()['id']}"):
            page = opened(client, path)
            found = [(each.text_content(), each.get("href")) for each in page.cssselect("footer a")]
            assert found == [("Over deze website", "/over"), *links], path
            assert [each.get("alt") for each in page.cssselect("header img")] == [""] * images, path
        addresses = [each.get("href") or each.get("src") for each in page.cssselect("head link, header img")]
        answers = [client.get(str(address)) for address in addresses]
        types = [answer.headers["content-type"] for answer in answers]
        assert types == ["text/css; charset=utf-8", "image/svg+xml", *["image/png"] * images]
        assert all("immutable" in answer.headers["cache-control"] for answer in answers)
        assert answers[0].text.startswith(base_css())
        assert answers[0].text.endswith(end)


def test_security_txt_names_the_contact_for_less_than_a_year() -> None:
    assert client_of([]).get("/.well-known/security.txt").status_code == 404
    for contact, expected in [
        ("woo@example.nl", "mailto:woo@example.nl"),
        ("https://example.nl/cvd", "https://example.nl/cvd"),
    ]:
        answer = client_of([], Options(contact=contact)).get("/.well-known/security.txt")
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        lines = dict(line.split(": ", 1) for line in answer.text.splitlines())
        assert lines["Contact"] == expected
        assert timedelta(0) < datetime.fromisoformat(lines["Expires"]) - datetime.now(UTC) < timedelta(365)


def test_prometheus_gets_what_there_is_of_each_spider_where_that_is_on() -> None:
    assert client_of([full()]).get("/metrics").status_code == 404
    answer = client_of([full(), withdrawn()], Options(metrics=True)).get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = {
        (metric.name.removeprefix("woo_portal_"), sample.labels["spider"]): sample.value
        for metric in text_string_to_metric_families(answer.text)
        for sample in metric.samples
    }
    newest = found.pop(("newest_record_timestamp_seconds", "woo"))
    assert newest == max(
        datetime.fromisoformat(each["herkomst"]["opgehaald"]).timestamp() for each in (full(), withdrawn())
    )
    expected = {"published_records": (1, 0), "withdrawn_records": (1, 0), "organisations": (1, 0)}
    assert found == {
        (name, spider): value
        for name, values in expected.items()
        for spider, value in zip(("woo", "vergunningen"), values, strict=True)
    }
