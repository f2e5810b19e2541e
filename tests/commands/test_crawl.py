from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.crawl import Crawl
from tests.utils.daily import numbered, publish
from tests.utils.sites import write_register
from woo_harvester.demo.site import Site


def only_here(folder: Path, site: Site) -> list[str]:
    """Return the arguments of a run over one site that requests no documents."""
    register = write_register(folder / "roo.xml", {"Raad": [site.url("/d")]})
    return ["-a", f"register={register}", "-a", "documents=none"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-a", "domain=www.a.nl"], "unknown argument domain: did you mean domains?"),
        (
            ["-a", "shard=9/8"],
            "argument shard: expected a shard such as 2/8 (the second of eight), got '9/8'",
        ),
        (["-a", "domains="], "argument domains: expected one host or more"),
        (["-a", "documents=all"], "argument documents: Input should be 'download', 'head' or 'none'"),
    ],
)
def test_a_wrong_argument_is_one_line_and_status_2(crawl: Crawl, arguments: list[str], line: str) -> None:
    done = crawl(*arguments, settings={"LOG_ENABLED": 0})
    assert done.returncode == 2
    assert done.stderr.startswith(f"scrapy crawl: error: {line}")
    assert done.stderr.count("\n") == 1
    assert done.report is None


def test_an_organisation_that_the_register_lacks_is_a_wrong_argument(crawl: Crawl, tmp_path: Path) -> None:
    register = write_register(tmp_path / "roo.xml", {"Raad": ["https://www.a.nl/"]})
    done = crawl("-a", f"register={register}", "-a", "organisation=gm0000", settings={"LOG_ENABLED": 0})
    assert done.returncode == 2
    assert done.stderr == (
        "scrapy crawl: error: argument organisation: no organisation 'gm0000' in the register"
        ": expected TOOI URI, its code, systeemId, name, or a kind such as waterschap\n"
    )
    assert done.records == []


@pytest.mark.parametrize("content", [None, "<html>Onderhoud</html>", ""])
def test_a_register_that_cannot_be_read_is_one_line(
    crawl: Crawl, tmp_path: Path, content: str | None
) -> None:
    register = tmp_path / "roo.xml"
    if content is not None:
        register.write_text(content)
    done = crawl("-a", f"register={register}", settings={"LOG_ENABLED": 0})
    assert done.returncode == 1
    assert done.stderr.startswith("scrapy crawl: error: ")
    assert done.stderr.count("\n") == 1


def test_a_publishers_faults_never_change_the_exit_status(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = crawl("-a", f"register={register}")
    assert done.returncode == 0
    assert done.codes == {"robots.ontbreekt"}


def test_a_quiet_run_that_succeeds_writes_nothing(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, numbered(2))
    for _ in range(2):
        done = crawl(*only_here(tmp_path, site), "--quiet", settings={"WOO_PROGRESS_INTERVAL": 0.01})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert done.stats["finish_reason"] == "finished"
    logged = crawl(*only_here(tmp_path, site), "--quiet", settings={"LOG_FILE": "run.log"})
    assert (logged.stdout, logged.stderr) == ("", "")
    assert "INFO: Spider closed (finished)" in (tmp_path / "run.log").read_text(encoding="utf-8")


def test_a_quiet_run_that_fails_says_why_in_one_line(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, numbered(2))
    (tmp_path / "records").touch()  # a file in the place of the folder
    done = crawl(*only_here(tmp_path, site), "--quiet")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("scrapy crawl: error: an output could not be written (")
    wrong = crawl("-a", "domain=www.a.nl", "-q")
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "meant"),
    [("wo", "did you mean woo?"), ("iets-heel-anders", "expected one of vergunningen, woo")],
)
def test_an_unknown_spider_gives_one_line_with_a_suggestion(tmp_path: Path, name: str, meant: str) -> None:
    done = run_scrapy(["crawl", name], tmp_path, settings={"LOG_ENABLED": 0})
    assert done.returncode == 2
    assert done.stderr == f"scrapy crawl: error: unknown spider {name}: {meant}\n"


def test_without_a_spider_the_command_shows_its_usage(tmp_path: Path) -> None:
    done = run_scrapy(["crawl"], tmp_path)
    assert done.returncode == 2
    assert "expected the name of one spider, such as: scrapy crawl woo" in done.stdout + done.stderr


def test_a_log_file_ends_with_why_the_run_could_not_start(crawl: Crawl, tmp_path: Path) -> None:
    done = crawl("-a", "register=/nowhere.xml", settings={"LOG_FILE": tmp_path / "run.log"})
    assert done.returncode == 1
    line = "ERROR: The register /nowhere.xml cannot be read: No such file or directory (exit status 1)"
    assert (tmp_path / "run.log").read_text(encoding="utf-8").splitlines()[-1].endswith(line)
    assert done.stderr.count("\n") == 1
