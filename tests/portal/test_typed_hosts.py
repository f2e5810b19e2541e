"""What people type for the website that they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import BaseSettings

from tests.utils.sites import write_register
from woo_harvester.running.default_settings import complete
from woo_portal.typed_hosts import NotUnderstoodError, TypedHosts

REGISTER = {
    "gemeente Utrecht": ["https://www.utrecht.nl/woo", "https://open.utrecht.nl/", "https://a.test:8443/"],
    "provincie Utrecht": ["https://provincie.nl/x"],
    "gemeente Zonder": [],
    "gemeente 's-Gravendeel": ["https://gravendeel.nl/"],
    "Dienst Natuur en Visserij": ["https://natuur.nl/"],
    **{f"Dienst {number}": [f"https://dienst{number}.nl/"] for number in range(30)},
}
#: Each hostile thing that somebody may type; none of these means a host.
HOSTILE = [
    "", "   ", ".", "..", "-", "--help", "-s WOO_STATE_URL=x", "../../etc/passwd", "file:///etc/passwd",
    "javascript:alert(1)", "data:text/html,x", "ftp://www.a.nl/", "gopher://www.a.nl:70/", "www.a.nl:22",
    "https://www.a.nl:99999/", "localhost", "localhost:9200", "http://127.0.0.1/", "127.1", "2130706433",
    "0x7f.0.0.1", "[::1]", "https://[fe80::1%25eth0]/", "169.254.169.254", "metadata.internal:80",
    "-x.nl", "$(id).nl", "`id`.nl", "a.nl;reboot", "a.nl|x", "a.nl\x00.b.nl",
    "<script>alert(1)</script>", "{{ 7 * 7 }}", "' OR 1=1 --", "a" * 300 + ".nl", "x" * 501, "http://",
    "https://user:secret@/", "\ud800.nl",
]  # fmt: skip


def typed_hosts(folder: Path, register: dict[str, Any] = REGISTER, **given: Any) -> TypedHosts:
    settings = {"WOO_REGISTER": write_register(folder / "register.xml", register), "WOO_DATA_DIR": folder}
    made = BaseSettings({**settings, "USER_AGENT": "test (+https://a.example)", **given})
    complete(made)
    return TypedHosts(made)


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("www.utrecht.nl", "www.utrecht.nl"),
        ("  HTTPS://WWW.Utrecht.NL/woo/index.html?x=1#y  ", "www.utrecht.nl"),
        ("http://www.utrecht.nl", "www.utrecht.nl"),
        ("www.utrecht.nl.", "www.utrecht.nl"),
        ("<www.utrecht.nl>,", "www.utrecht.nl"),
        ("www.utrecht.nl\u200b", "www.utrecht.nl"),
        ("www.utrecht.nl en nog iets", "www.utrecht.nl"),
        ("www.utrecht.nl\r\nHost: b.nl", "www.utrecht.nl"),
        ("woo@utrecht.nl", "www.utrecht.nl"),  # and the register has it with www.
        ("www.provincie.nl", "provincie.nl"),
        ("a.test:8443", "a.test:8443"),  # a port that the register has
        ("www.niet-geregistreerd.nl:443", "www.niet-geregistreerd.nl"),
        ("gemeente-súdwest.nl", "xn--gemeente-sdwest-cvb.nl"),
    ],
)
def test_an_address_means_its_host_as_the_register_has_it(tmp_path: Path, typed: str, host: str) -> None:
    assert typed_hosts(tmp_path).meant(typed) == {"": [host]}


@pytest.mark.parametrize("typed", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_website_on_the_internet_means_none(tmp_path: Path, typed: str) -> None:
    with pytest.raises(NotUnderstoodError) as error:
        typed_hosts(tmp_path).meant(typed)
    assert str(error.value).endswith("zoals www.uwgemeente.nl.")


def test_a_name_means_the_hosts_of_each_organisation_that_has_it(tmp_path: Path) -> None:
    hosts = typed_hosts(tmp_path)
    of_town = ["a.test:8443", "open.utrecht.nl", "www.utrecht.nl"]
    assert hosts.meant("Gemeente  UTRECHT") == {"gemeente Utrecht": tuple(of_town)}
    assert hosts.meant("'s-gravendeel") == {"gemeente 's-Gravendeel": ("gravendeel.nl",)}
    assert hosts.meant("utrecht").keys() == {"gemeente Utrecht", "provincie Utrecht"}
    for typed in ("natuur & visserij", "Natuur, Visserij", "dienst natuur en visserij"):
        assert hosts.meant(typed) == {"Dienst Natuur en Visserij": ("natuur.nl",)}, typed
    for typed, why in [
        ("gemeente Zonder", "gemeente Zonder heeft in het register geen adres."),
        ("Dienst", "Deze naam past bij te veel organisaties."),
        ("Rotterdam", "Deze naam staat niet in het register."),
    ]:
        with pytest.raises(NotUnderstoodError, match=why):
            hosts.meant(typed)


def test_an_abbreviation_of_the_register_means_its_organisation(tmp_path: Path) -> None:
    hosts, register = typed_hosts(tmp_path), tmp_path / "register.xml"
    name = "<p:naam>provincie Utrecht</p:naam>"
    register.write_text(register.read_text().replace(name, f"{name}<p:afkorting>PU</p:afkorting>"))
    assert hosts.meant("pu") == {"provincie Utrecht": ("provincie.nl",)}


def test_another_register_is_read_when_it_comes_and_one_that_is_broken_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hosts = typed_hosts(tmp_path)
    assert hosts.meant("www.nieuw.nl") == {"": ["www.nieuw.nl"]}
    write_register(tmp_path / "register.xml", {"gemeente Nieuw": ["https://nieuw.nl/"]})
    assert hosts.meant("www.nieuw.nl") == {"": ["nieuw.nl"]}
    (tmp_path / "register.xml").write_text("<broken")
    assert hosts.meant("www.nieuw.nl") == {"": ["nieuw.nl"]}
    assert [record.message[:27] for record in caplog.records] == ["the register cannot be read"]
