"""A finding in whole sentences."""

from __future__ import annotations

import pytest

from woo_harvester.report.audit_summary import sentences
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import Example


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (Example(), ""),
        (Example(url="https://a.nl/1.pdf"), "Het gaat om https://a.nl/1.pdf."),
        (
            Example(url="https://a.nl/1.pdf", sitemap="a.xml", line=1200),
            "Het gaat om https://a.nl/1.pdf (in a.xml), regel 1200.",
        ),
        (Example(url="a.xml", sitemap="a.xml", line=3), "Het gaat om a.xml, regel 3."),
        (Example(sitemap="a.xml"), "Het gaat om a.xml."),
        (
            Example(
                url="b",
                element="creatieDatum",
                seen="creatieDatum",
                suggestion="creatiedatum",
                action="niet gelezen",
            ),
            "Het gaat om b. Het element is creatieDatum. Bedoelde u creatiedatum?"
            " De harvester deed daarmee dit: niet gelezen.",
        ),
        (Example(url="b", seen="een\n  regel"), "Het gaat om b. Gezien is: een regel."),
    ],
)
def test_each_part_of_a_finding_is_a_sentence(example: Example, said: str) -> None:
    assert sentences(example, Texts("nl")) == said
