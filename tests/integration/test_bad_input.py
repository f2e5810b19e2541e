"""Whatever a publisher serves: a finding with the right code, and the other hosts untouched."""

from __future__ import annotations

import pytest

from tests.integration.bad_input import (
    ALL_RIGHT,
    CUT_OFF,
    DOCUMENTS,
    FAULTS,
    INDEXES,
    MEGABYTE,
    ODD_BYTES,
    ROBOTS,
    SECRET,
    SITEMAPS,
    built,
    hosts,
    that_asks_for_a_file_of_the_machine,
    that_is_good,
    that_lists_documents_on_a_host_with_a_bad_certificate,
    with_a_certificate_for_another_name,
    with_a_certificate_of_nobody,
    with_an_expired_certificate,
    with_xinclude,
)
from tests.utils import hostile
from tests.utils.publishers import (
    INDEX,
    Builder,
    Harvest,
    Publishers,
)
from woo_harvester.demo.server import Page

SETTINGS = {
    "DOWNLOAD_TIMEOUT": 8,
    "WOO_DOCUMENT_TIMEOUT": 8,
    "WOO_DOCUMENT_MAXSIZE": MEGABYTE,
    "WOO_INDEX_MAXSIZE": 5 * MEGABYTE,
    "WOO_SITEMAP_MAXSIZE": 5 * MEGABYTE,
    "RETRY_TIMES": 1,
}


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    publishers.start(hosts)
    file = publishers.folder / "geheim.txt"
    file.write_text(SECRET)
    site = publishers.sites[that_asks_for_a_file_of_the_machine]
    asking = hostile.external_entity(site.url("/a.pdf"), file.as_uri())
    site.pages[f"{INDEX}/sitemap.xml"] = Page(asking)
    return publishers.crawl("-a", "documents=download", settings=SETTINGS)


@pytest.fixture(scope="module")
def guarded(publishers: Publishers, harvest: Harvest) -> Harvest:
    """A run that may not connect to private addresses."""
    port = harvest[that_is_good].site.port
    private = (
        f"localhost:{port},127.0.0.1:{port},[::1]:{port},169.254.169.254,10.0.0.1,[fd00::1],0.0.0.0:{port}"
    )
    given = f"domains={private}"
    return publishers.crawl("-a", given, settings={**SETTINGS, "WOO_ALLOW_PRIVATE_HOSTS": 0})


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert harvest.run.stats["finish_reason"] == "finished"
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)


def test_no_traceback_and_no_error_is_on_stderr(harvest: Harvest) -> None:
    assert "Traceback" not in harvest.run.stderr
    assert " ERROR: " not in harvest.run.stderr
    assert not [key for key in harvest.run.stats if key.startswith("spider_exceptions")]


def test_the_good_host_is_untouched(harvest: Harvest) -> None:
    host = harvest[that_is_good]
    assert len(host.paths) == 30
    assert not host.errors


def test_nothing_of_the_machine_is_in_what_was_written(harvest: Harvest) -> None:
    written = str((harvest.run.records, harvest.run.findings, harvest.run.stats))
    assert SECRET not in written
    assert "root:x:0" not in written


def check(harvest: Harvest, kind: str, name: str, code: str) -> None:
    """The host has this fault and no other."""
    host = harvest[built[kind, name]]
    told = {found["code"] for found in host.findings if found["code"].split(".")[0] in FAULTS}
    assert told - ALL_RIGHT == ({code} if code else set())


@pytest.mark.parametrize("name", list(ROBOTS))
def test_a_bad_robots_txt_is_reported(harvest: Harvest, name: str) -> None:
    check(harvest, "robots", name, ROBOTS[name][1])


@pytest.mark.parametrize("name", list(INDEXES))
def test_a_bad_index_is_reported(harvest: Harvest, name: str) -> None:
    check(harvest, "index", name, INDEXES[name][1])


@pytest.mark.parametrize("name", list(SITEMAPS))
def test_a_bad_sitemap_is_reported(harvest: Harvest, name: str) -> None:
    check(harvest, "sitemap", name, SITEMAPS[name][1])


@pytest.mark.parametrize("name", list(ODD_BYTES))
def test_a_sitemap_in_odd_bytes_is_read_or_reported(harvest: Harvest, name: str) -> None:
    code, documents = ODD_BYTES[name]
    check(harvest, "odd", name, code)
    assert harvest[built["odd", name]].paths == ["/a.pdf", "/b.pdf"][:documents]


@pytest.mark.parametrize("name", list(CUT_OFF))
def test_of_a_sitemap_that_is_cut_off_the_entries_before_it_are_kept(harvest: Harvest, name: str) -> None:
    check(harvest, "cut", name, "sitemap.afgebroken")
    assert harvest[built["cut", name]].paths == ["/a.pdf"]


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_a_bad_document_is_reported_and_the_next_one_is_harvested(harvest: Harvest, name: str) -> None:
    check(harvest, "document", name, DOCUMENTS[name][1])
    assert harvest[built["document", name]].paths == ["/b.pdf"]


def test_an_endless_robots_txt_is_read_up_to_its_bound(harvest: Harvest) -> None:
    assert harvest[built["robots", "endless body"]].paths == ["/a.pdf", "/b.pdf"]


@pytest.mark.parametrize(
    "build",
    [with_an_expired_certificate, with_a_certificate_for_another_name, with_a_certificate_of_nobody],
    ids=lambda b: b.__name__,
)
def test_a_certificate_that_is_not_valid_is_reported(harvest: Harvest, build: Builder) -> None:
    host = harvest[build]
    assert "tls.ongeldig" in host.errors
    assert host.requests == ()
    assert host.paths == []


def test_a_document_on_a_host_with_a_bad_certificate_is_reported(harvest: Harvest) -> None:
    host = harvest[that_lists_documents_on_a_host_with_a_bad_certificate]
    assert host.errors == {"tls.ongeldig"}
    assert host.paths == ["/b.pdf"]


def test_what_xml_can_include_is_not_fetched(harvest: Harvest) -> None:
    host = harvest[with_xinclude]
    assert host.paths == ["/a.pdf"]
    assert host.requested("/stijl.xsl") == []


def test_a_doctype_is_refused_before_anything_is_read_of_it(harvest: Harvest) -> None:
    host = harvest[that_asks_for_a_file_of_the_machine]
    assert host.errors == {"sitemap.doctype"}
    assert host.paths == []


def test_nothing_is_asked_of_a_host_with_a_private_address(guarded: Harvest) -> None:
    assert guarded[that_is_good].requests == ()
    assert guarded.run.records == []
    assert len(guarded.run.about("host.prive-adres")) == guarded.run.stats["woo/hosts/selected"] == 7
    assert guarded.run.returncode == 0
    assert "Traceback" not in guarded.run.stderr
