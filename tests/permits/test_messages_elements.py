"""Messages with elements that the model does not have, or that come twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.permits.reading import codes, faults, given, noted
from woo_harvester.demo.permit_messages import (
    CASE_URL,
    PRODUCT,
    delete_message,
    document_message,
    message,
)
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.messages import read_message
from woo_harvester.state.permits import PermitFile
from woo_harvester.tooi.lists import organisaties

OWMS = ("abstract", "rights", "audience", "source")


@pytest.mark.parametrize("group", ["kern", "mantel"])
@pytest.mark.parametrize("name", OWMS)
def test_an_element_of_owms_that_is_not_used_is_accepted_and_named(name: str, group: str) -> None:
    content = message(**{group: f'<dcterms:{name} scheme="overheid:Gemeente">x</dcterms:{name}>'})
    metadata, (finding,) = noted(content)
    assert metadata == given(message())
    assert (finding["code"], finding["severity"]) == ("ipm.element-onbekend", "info")
    assert (finding["element"], finding["seen"], finding["action"]) == (name, name, "niet gebruikt")


def test_all_elements_that_are_not_used_are_in_one_finding() -> None:
    kern = "<overheid:organisationType>gemeente</overheid:organisationType>"
    mantel = "".join(f"<dcterms:{name}>x</dcterms:{name}>" for name in (*OWMS, *OWMS))
    _, (finding,) = noted(message(kern=kern, mantel=mantel))
    assert finding["seen"] == ", ".join(["organisationType", *OWMS])


@pytest.mark.parametrize("make", [document_message, delete_message])
def test_a_document_and_a_delete_may_have_them_too(make: Callable[[], bytes]) -> None:
    content = make().replace(
        b"</dcterms:identifier>", b"</dcterms:identifier><dcterms:rights>x</dcterms:rights>"
    )
    assert [finding["code"] for finding in noted(content)[1]] == ["ipm.element-onbekend"]


def test_an_element_within_the_metadata_of_the_case_may_be_unknown() -> None:
    meta = PRODUCT.replace(
        "</zaak:product>", "<zaak:nieuw><zaak:nummer>1</zaak:nummer></zaak:nieuw></zaak:product>"
    )
    metadata, (finding,) = noted(message(meta=meta + "<zaak:extra/>"))
    assert metadata == given(message())
    assert finding["seen"] == "nieuw, extra"


def test_a_field_of_one_group_may_stand_in_the_other() -> None:
    description = "<dcterms:description>Twee eiken</dcterms:description>"
    assert given(message(kern=description)) == given(message(mantel=description))
    place = '<dcterms:spatial scheme="overheid:Gemeente">Voorbeeldstad</dcterms:spatial>'
    assert given(message(mantel=place)) == given(message(kern=place))


@pytest.mark.parametrize(
    ("kern", "mantel", "meta"),
    [
        ("<dcterms:title>Anders</dcterms:title>", "", ""),
        ('<dcterms:creator scheme="overheid:Gemeente">Anders</dcterms:creator>', "", ""),
        ("<dcterms:modified>2026-04-02</dcterms:modified>", "", ""),
        ("", "", PRODUCT.replace("kapvergunning", "bouwvergunning")),
        ("", "<dcterms:title>Anders</dcterms:title>", ""),
    ],
)
def test_of_an_element_that_comes_twice_the_first_counts(kern: str, mantel: str, meta: str) -> None:
    assert given(message(kern=kern, mantel=mantel, meta=PRODUCT + meta)) == given(message())


def test_what_the_record_has_as_a_list_may_come_more_than_once() -> None:
    places = "".join(
        f'<dcterms:spatial scheme="overheid:Gemeente">{name}</dcterms:spatial>'
        for name in ("Aadorp", "Bedum")
    )
    assert [place["label"] for place in given(message(kern=places))["spatial"]] == ["Aadorp", "Bedum"]


def test_a_message_with_two_different_identifiers_is_refused() -> None:
    other = f"{CASE_URL}-anders"
    (fault,) = faults(message(kern=f"<dcterms:identifier>{other}</dcterms:identifier>"))
    assert (fault["code"], fault["seen"]) == ("ipm.identifier", f"{CASE_URL} en {other}")
    assert given(message(kern=f"<dcterms:identifier>{CASE_URL}</dcterms:identifier>")) == given(message())


@pytest.mark.parametrize("name", ["title", "type", "creator", "modified"])
def test_an_element_with_a_name_that_is_almost_right_leaves_the_required_one_absent(name: str) -> None:
    content = message().replace(f"dcterms:{name}".encode(), f"dcterms:{name}s".encode())
    assert codes(content) == ["ipm.schema"]
    assert faults(content)[0]["element"] == f"owmskern/{name}"


def test_a_delete_with_a_wrong_control_element_needs_no_title() -> None:
    content = delete_message().replace(b"2026-04-", b"april-")
    assert [finding["code"] for finding in faults(content)] == ["ipm.datum"]


def test_metadata_of_any_shape_are_not_read_after_an_error_in_them() -> None:
    content = message(aanmaakdatum="april").replace(b"owmskern", b"kern")
    assert [finding["code"] for finding in faults(content)] == ["ipm.datum", "ipm.schema"]


# Messages whose aanmaakdatum is in the future, and when their files are read again.
@pytest.mark.parametrize(
    ("text", "now", "ahead"),
    [
        ("2026-05-02", "2026-05-01T21:59:59+00:00", True),
        ("2026-05-02", "2026-05-01T22:00:00+00:00", False),
        ("2026-05-02T10:00:00", "2026-05-02T07:54:59+00:00", True),
        ("2026-05-02T10:00:00", "2026-05-02T07:55:00+00:00", False),
        ("2026-05-02T10:00:00Z", "2026-05-02T09:54:59+00:00", True),
    ],
)
def test_a_file_is_read_again_once_its_date_is_in_the_past(text: str, now: str, ahead: bool) -> None:
    moment = datetime.fromisoformat(now)
    result = read_message([message(aanmaakdatum=text)], 10_000, organisaties(), moment)
    assert (result.message is None) is ahead
    faults = [{"code": "ipm.datum-toekomst", "seen": text}]
    assert PermitFile(RememberedFile("ab"), 0, faults=faults).is_due(moment) is not ahead


def test_only_a_file_that_is_too_early_is_ever_due() -> None:
    faults = [{"code": "ipm.datum", "seen": "2020-01-01"}]
    assert not PermitFile(RememberedFile("ab"), 0, faults=faults).is_due(datetime.now(UTC))
