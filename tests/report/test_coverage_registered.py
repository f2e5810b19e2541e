from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.register.exports import AMSTERDAM, organisation, read
from woo_harvester.report.coverage import Registered, RunRegister

REGISTER = read(
    organisation(
        "gemeente Amsterdam", "https://www.a.nl/woo", "https://www.a.nl/woo", "https://b.nl/", uri=AMSTERDAM
    ),
    organisation("Dienst zonder locatie", id="2"),
)


def registered(name: str, *locations: str) -> Registered:
    return Registered(name, name, None, None, list(locations))


def test_the_file_has_every_organisation_with_each_of_its_locations_once(tmp_path: Path) -> None:
    path = tmp_path / "organisations.json"
    RunRegister.of(REGISTER, (2, 8)).write(path)
    kept = RunRegister.read(path)
    assert kept == RunRegister(
        [(2, 8)],
        [
            Registered(
                "1",
                "gemeente Amsterdam",
                AMSTERDAM,
                "Gemeente",
                ["https://www.a.nl/woo", "https://b.nl/"],
                dict.fromkeys(["https://www.a.nl/woo", "https://b.nl/"], "Zie de site"),
            ),
            Registered("2", "Dienst zonder locatie", None, "Gemeente", []),
        ],
    )
    assert [one.id for one in kept.organisations] == [AMSTERDAM, "2"]
    assert [each.name for each in tmp_path.iterdir()] == ["organisations.json"]


def test_a_url_has_each_remark_of_its_locations_once() -> None:
    text = organisation(
        "gemeente Amsterdam", "https://a.nl/", "https://a.nl/", "https://a.nl/", "https://b.nl/"
    )
    for remark in ("Besluiten", "Adviezen", "Besluiten", ""):
        text = text.replace("Zie de site", remark, 1)
    (kept,) = RunRegister.of(read(text), None).organisations
    assert kept.remarks == {"https://a.nl/": "Besluiten; Adviezen"}


def test_a_run_without_the_file_has_no_register(tmp_path: Path) -> None:
    assert RunRegister.read(tmp_path / "organisations.json") is None


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"shards": [[1, 1]]}', b'{"shards": "x", "organisations": []}', b"\xff"]
)
def test_a_file_that_no_run_wrote_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "organisations.json"
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=f"^{re.escape(str(path))}: expected the register of a run: "
    ) as raised:
        RunRegister.read(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("shards", "expected"),
    [
        ([(1, 1)], True),
        ([(1, 2), (2, 2)], True),
        ([(2, 2), (1, 2)], True),
        ([(1, 2)], False),
        ([(1, 2), (1, 2)], False),
        ([(1, 2), (2, 3)], False),
        ([(1, 1), (2, 2)], False),
    ],
)
def test_a_run_is_whole_if_its_shards_together_are(shards: list[tuple[int, int]], expected: bool) -> None:
    assert RunRegister(shards, []).is_whole is expected
