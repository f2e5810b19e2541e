"""The register as it was published, in ``shared/`` beside the checkout."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register, read_export

EXPORT = Path(__file__).parents[2] / "../shared/data/roo/exportOO.xml"


@pytest.fixture(scope="module")
def register() -> Register:
    return _read(date(2026, 11, 21))


def _read(today: date) -> Register:
    if not EXPORT.is_file():
        skip_or_fail(f"needs {EXPORT}")
    findings: list[Finding] = []
    with EXPORT.open("rb") as stream:
        register = read_export(stream, Reporter(findings.append), today)
    assert findings == []
    return register


def test_on_a_day_before_any_organisation_ended_all_locations_are_there() -> None:
    register = _read(date(1990, 1, 1))
    with_locations = [body for body in register.organisations if register.hosts_of(body)]
    assert (len(with_locations), register.location_count, len(register.hosts)) == (756, 3685, 884)


def test_ended_organisations_take_their_hosts_with_them(register: Register) -> None:
    with_locations = [body for body in register.organisations if register.hosts_of(body)]
    assert (len(with_locations), register.location_count, len(register.hosts)) == (732, 3558, 859)


def test_amsterdam_is_found_by_its_code(register: Register) -> None:
    amsterdam = register.find("gm0363")
    assert amsterdam is not None
    assert amsterdam.name == "Gemeente Amsterdam"
    assert amsterdam == register.find(amsterdam.identifier) == register.find(amsterdam.system_id)


def test_a_host_that_hundreds_of_organisations_share_gives_no_publisher(
    register: Register,
) -> None:
    host = "zoek.officielebekendmakingen.nl"
    match = register.organisation_of(f"https://{host}/gmb-2024-1.pdf", host)
    assert match.organisation is None
    assert len(match.candidates) > 1


def test_every_registered_url_leads_back_to_an_organisation_that_registered_its_host(
    register: Register,
) -> None:
    for host in register.hosts:
        match = register.organisation_of(f"https://{host}/", host)
        found = (match.organisation,) if match.organisation else match.candidates
        assert found
        assert set(found) <= set(register.organisations_of_host(host))
