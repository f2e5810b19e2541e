from __future__ import annotations

import pytest

from woo_harvester.findings import Severity, explanations
from woo_harvester.report.funnel import LOSSES, STAGE_OF, is_repeated
from woo_harvester.report.score import PARTS, part_of, weight_of

#: Errors about an entry page itself, and not about a file that it lists.
OF_PAGES = {"ipm.ingang-onbereikbaar", "ipm.ingang-zonder-links"}


def test_every_error_about_a_file_of_permits_loses_that_file() -> None:
    errors = {
        code
        for code, text in explanations().items()
        if text.severity is Severity.ERROR and code.startswith(("ipm.", "tls.", "host."))
    }
    assert errors - OF_PAGES <= STAGE_OF["vergunningen"].keys()
    assert {explanations()[code].severity for code in STAGE_OF["vergunningen"]} == {Severity.ERROR}


@pytest.mark.parametrize("kind", ["woo", "vergunningen"])
def test_the_stages_are_those_of_documents_and_no_code_is_in_two(kind: str) -> None:
    losses = LOSSES[kind]  # type: ignore[index]
    assert list(losses) == ["valid", "allowed", "fetched", "harvested"]
    assert sum(map(len, losses.values())) == len(STAGE_OF[kind])  # type: ignore[index]


def test_the_score_of_permits_has_a_part_for_each_error_and_warning() -> None:
    assert sum(part.points for part in PARTS["vergunningen"]) == 100
    found = {code for code in explanations() if code.startswith("ipm.") and weight_of(code)}
    parts = {code: part_of(code, code not in OF_PAGES, "vergunningen") for code in found}
    assert {code for code, part in parts.items() if part is None} == set()
    assert {part.name for part in parts.values() if part} == {part.name for part in PARTS["vergunningen"]}


@pytest.mark.parametrize(
    ("code", "repeated"), [("ipm.schema", True), ("ipm.datum-nu", True), ("ipm.zaak-onbekend", False)]
)
def test_errors_are_reported_in_each_run(code: str, repeated: bool) -> None:
    assert is_repeated(code) is repeated
