"""Names that lead to addresses within: real names of a real name server, in an internet of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.utils.internet import host, in_namespaces
from woo_harvester.findings.texts import in_words


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return in_namespaces(tmp_path_factory.mktemp("internet"))


def codes_about(found: dict[str, Any], url: str) -> dict[str, str]:
    return {
        finding["code"]: finding.get("seen", "") for finding in found["findings"] if finding["url"] == url
    }


def test_a_publisher_at_a_public_address_is_harvested(found: dict[str, Any]) -> None:
    assert found["status"] == 0
    assert "Traceback" not in found["stderr"]
    assert f"https://{host('publiek')}/a.pdf" in found["locs"]


def test_nothing_within_is_ever_asked(found: dict[str, Any]) -> None:
    assert found["inner"] == []


def test_a_name_of_a_private_address_is_refused(found: dict[str, Any]) -> None:
    for name, address in (("tien", "10.0.0.1"), ("lus", "127.0.0.1"), ("zes", "fd00::1"), ("zes-lus", "::1")):
        visited = codes_about(found, f"https://{host(name)}/robots.txt")
        assert visited == {"host.prive-adres": address}
        redirected = codes_about(found, f"https://{host('publiek')}/naar-{name}.pdf")
        assert redirected["host.prive-adres"] == address
        assert f"https://{host('publiek')}/naar-{name}.pdf" not in found["locs"]


@pytest.mark.parametrize(
    ("name", "code", "seen"),
    [
        ("bestaat-niet", "host.bestaat-niet", "de naam van de host bestaat niet in het DNS"),
        ("leeg", "host.bestaat-niet", "de naam van de host bestaat niet in het DNS"),
        ("stuk", "robots.onbereikbaar", "de naamserver gaf geen antwoord op de naam van de host"),
    ],
)
def test_a_name_that_does_not_exist_is_no_server_that_does_not_answer(
    found: dict[str, Any], name: str, code: str, seen: str
) -> None:
    ((known, text),) = codes_about(found, f"https://{host(name)}/robots.txt").items()
    assert (known, in_words(known, text, "nl")) == (code, seen)


def test_of_several_addresses_only_the_public_ones_are_used(found: dict[str, Any]) -> None:
    assert f"https://{host('publiek')}/naar-gemengd.pdf" in found["locs"]


def test_a_name_that_changes_is_asked_for_once_and_that_answer_is_used(found: dict[str, Any]) -> None:
    """Checked and then asked again, it would lead within."""
    assert found["asked"].count("wisselt") == 1
    assert f"https://{host('publiek')}/naar-wisselt.pdf" in found["locs"]
