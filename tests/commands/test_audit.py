# ruff: noqa: E501  -- a case a line
"""``scrapy audit`` as it is typed: what it refuses, and what it prints in a terminal, in a pipe and for machines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lxml import etree
from scrapy.cmdline import execute
from scrapy.settings import Settings

from tests.commands.state_shell import Done
from tests.utils.command import run_scrapy
from tests.utils.junit import JUNIT
from tests.utils.terminal import COLUMNS, run_on_terminal
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.sitemaps import Entry, sitemap

WRONG = "http://www.a.nl/een-heel-lang-adres/" + "-".join(["van-een-besluit"] * 12) + ".pdf"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a good sitemap, one with an error and one with a warning."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "woo_harvester.settings")
    good = Entry(loc="https://www.a.nl/1.pdf", lastmod=LASTMOD, diwoo=GOOD)
    (tmp_path / "goed.xml").write_bytes(sitemap(good))
    (tmp_path / "fout.xml").write_bytes(sitemap(good, good, Entry(loc=WRONG, lastmod=LASTMOD, diwoo=GOOD)))
    (tmp_path / "matig.xml").write_bytes(
        sitemap(Entry(loc="https://www.a.nl/3.pdf", lastmod="gisteren", diwoo=GOOD))
    )
    (tmp_path / "leeg").mkdir()
    return tmp_path


class Audit:
    """Runs the command: with files in a process of its own, else in this one."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._capsys = capsys

    def __call__(self, *args: str, command: str = "audit") -> Done:
        if "--file" in args:
            run = run_scrapy([command, *args], self._folder)
            return Done(run.returncode, run.stdout, run.stderr)
        settings = Settings()
        settings.setmodule("woo_harvester.settings", priority="project")
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            execute(["scrapy", command, *args], settings)
        out, err = self._capsys.readouterr()
        return Done(int(caught.value.code or 0), out, err)


@pytest.fixture
def audit(folder: Path, capsys: pytest.CaptureFixture[str]) -> Audit:
    return Audit(folder, capsys)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ([], "expected a domain or --file, such as: scrapy audit www.gemeente.nl"),
        (["--jsn", "a.nl"], "unknown option --jsn: scrapy audit -h shows the options"),
        (["a.nl", "--format"], "argument --format: expected one argument"),
        (["a.nl", "--format", "junti"], "argument --format: invalid choice: 'junti' (choose from 'json', 'junit')"),
        (["a.nl", "--fail-on", "info"], "argument --fail-on: invalid choice: 'info'"),
        (["--file", "goed.xml", "--user", "jan"], "--user is for domains and --permits: files need no password"),
        (["a.nl", "--user", "jan:geheim"], "expected a user name without a colon, such as --user jan"),
        (["https://jan:geheim@a.nl"], "a user name comes after --user, and its password is asked for"),
        (["a.nl", "--ca", "weg.pem"], "--ca is weg.pem, which cannot be used: No such file or directory"),
        (["a.nl", "--sample", "veel"], "argument --sample: invalid int value: 'veel'"),
        (["gemeente"], "gemeente is no domain, such as www.gemeente.nl"),
        (["goed.xml"], "goed.xml is no domain, such as www.gemeente.nl: files come after --file"),
        (["--file", "god.xml"], "--file: there is no file god.xml"),
        (["--file", "map/robots.txt"], "--file: there is no file map/robots.txt"),
        (["--file", "x" * 5000], f"--file: there is no file {'x' * 5000}"),
        (["--file", "leeg"], "--file: leeg has no sitemap, index, robots.txt or message"),
        (["--file", ""], "--file: there is no file "),
        (["--file"], "argument --file: expected at least one argument"),
        (["a.nl:99999"], "expected hosts such as www.gemeente.nl: Expected a port from 1 to 65535"),
        (["https://"], "expected hosts such as www.gemeente.nl: Expected a host"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_line_with_a_suggestion(audit: Audit, args: list[str], line: str) -> None:
    done = audit(*args)
    assert done.status == 2
    assert done.stderr.startswith(f"scrapy audit: error: {line}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not Path("reports").exists()


@pytest.mark.parametrize(
    ("command", "args", "line"),
    [
        ("crawl", ["wo"], "unknown spider wo: did you mean woo?"),
        ("crawl", [], "expected the name of one spider, such as: scrapy crawl woo"),
        ("crawl", ["woo", "www.a.nl"], "expected the name of one spider, such as: scrapy crawl woo -a domains=www.a.nl"),
        ("crawl", ["vergunningen", "https://a.nl/v"], "expected the name of one spider, such as: scrapy crawl vergunningen -a entries=https://a.nl/v"),
        ("crawl", ["woo", "--outptu", "x"], "unknown option --outptu: scrapy crawl -h"),
        ("crawl", ["woo", "-a"], "argument -a: expected one argument"),
        ("crawl", ["woo", "-a", "domains"], "Invalid -a value, use -a NAME=VALUE"),
        ("demo", ["--documnts", "4"], "unknown option --documnts: scrapy demo -h"),
        ("demo", ["--documents", "veel"], "argument --documents: invalid int value: 'veel'"),
        ("demo", ["a.nl"], "scrapy demo takes no arguments but vergunningen, got a.nl"),
    ],
)  # fmt: skip
def test_every_command_says_what_was_meant(audit: Audit, command: str, args: list[str], line: str) -> None:
    done = audit(*args, command=command)
    assert done.status == 2
    assert done.stderr.startswith(f"scrapy {command}: error: {line}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("file", "fail_on", "status"),
    [
        ("goed.xml", "warning", 0),
        ("matig.xml", "error", 0),
        ("matig.xml", "warning", 1),
        ("fout.xml", "error", 1),
    ],
)
def test_the_exit_status_is_that_of_the_severity(audit: Audit, file: str, fail_on: str, status: int) -> None:
    assert audit("--file", file, "--fail-on", fail_on).status == status


def test_the_summary_is_dutch_and_says_how_to_fix_findings(audit: Audit) -> None:
    done = audit("--file", "fout.xml")
    assert "1 van de 2 documenten wordt geoogst\n" in done.stdout
    assert "loc.geen-https (1 keer, +" in done.stdout
    assert "→ Schrijf het adres in <loc> met https://" in done.stdout
    assert re.search(r"/reports/woo-\S+/index\.html$", done.stdout.replace("\n", ""))
    assert done.stderr == ""


def test_the_answer_can_be_english(audit: Audit) -> None:
    done = audit("--file", "goed.xml", "--lang", "en")
    assert "1 of the 1 documents is harvested\n" in done.stdout
    (page,) = Path("reports").glob("*/index.html")
    assert '<html lang="en"' in page.read_text(encoding="utf-8")


def test_json_is_a_format_too(audit: Audit) -> None:
    answers = [
        json.loads(audit("--file", "goed.xml", *args).stdout) for args in (["--json"], ["--format", "json"])
    ]
    assert [answer["hosts"][0]["host"] for answer in answers] == ["goed.xml", "goed.xml"]
    assert audit("--file", "goed.xml", "--json", "--format", "json").status == 0


def test_what_files_cannot_show_is_said_to_be_not_judged(audit: Audit) -> None:
    said = "Niet beoordeeld, en niet in de score: de registratie in het ROO, het certificaat en de antwoorden van de server,"
    assert said in " ".join(audit("--file", "goed.xml").stdout.split())
    answer = json.loads(audit("--file", "goed.xml", "--json").stdout)
    assert answer["hosts"][0]["not_judged"] == ["register", "connection", "documents", "withdrawal", "robots"]
    assert (
        "Not judged, and not in the score: the registration"
        in audit("--file", "goed.xml", "--lang", "en").stdout
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("creatiedatum", "creatiedatun", ["gezien: creatiedatun", "Bedoelde u creatiedatum?"]),
        ("gemeente Kladderveen", "x", []),
    ],
)
def test_a_near_miss_has_a_suggestion(audit: Audit, before: str, after: str, said: list[str]) -> None:
    Path("goed.xml").write_bytes(Path("goed.xml").read_bytes().replace(before.encode(), after.encode()))
    done = audit("--file", "goed.xml")
    assert [text for text in said if text not in done.stdout] == []
    assert ("Bedoelde u" in done.stdout) == bool(said)


def test_texts_of_libraries_are_in_the_language_of_the_answer(audit: Audit) -> None:
    Path("fout.xml").write_bytes(Path("fout.xml").read_bytes().replace(b"</loc>", b"</lok>", 1))
    assert "is niet gesloten: hier staat </lok>" in audit("--file", "fout.xml").stdout
    assert "is not closed: there is </lok> here" in audit("--file", "fout.xml", "--lang", "en").stdout
    for form in ("json", "junit"):
        out = audit("--file", "fout.xml", "--format", form).stdout
        assert "is niet gesloten" in out
        assert "Opening and ending tag" not in out


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 2), ("warning", 3)])
def test_junit_has_a_suite_a_host_and_a_case_a_finding(audit: Audit, fail_on: str, failures: int) -> None:
    done = audit("--file", "fout.xml", "matig.xml", "--format", "junit", "--fail-on", fail_on)
    root = etree.fromstring(done.stdout)
    etree.XMLSchema(etree.fromstring(JUNIT)).assertValid(root)
    assert root.get("failures") == str(failures)
    assert {suite.get("name") for suite in root} == {Path.cwd().name}
    (case,) = [case for case in root.iter("testcase") if case.get("name") == "loc.geen-https"]
    assert WRONG in (case.findtext("failure") or "")
    assert "(in fout.xml), regel 5; element: loc" in (case.findtext("failure") or "")


def test_a_folder_that_cannot_be_written_is_one_line_and_status_1(audit: Audit) -> None:
    Path("reports").write_text("a file where a folder must come")
    done = audit("--file", "goed.xml")
    assert done.status == 1
    assert done.stderr.startswith("scrapy audit: error: the report in ")
    assert done.stderr.count("\n") == 1


def test_the_help_names_all_options(audit: Audit) -> None:
    done = audit("-h")
    for option in ("--file FILE", "--json", "--format", "--fail-on", "--lang"):
        assert option in done.stdout


# What a person sees


def test_in_a_terminal_of_80_columns_no_line_is_longer_and_severities_have_a_colour(folder: Path) -> None:
    terminal = run_on_terminal(["audit", "--file", "fout.xml"], folder)
    output = terminal.raw.decode()
    assert (terminal.returncode, COLUMNS) == (1, 80)
    assert "\x1b[1;31mFout\x1b[0m" in output
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output)
    lines = [part for line in plain.splitlines() for part in line.split("\r")]
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert "1 van de 2 documenten wordt geoogst" in lines
    assert WRONG in "".join(line.strip() for line in lines)


def test_without_a_terminal_there_are_no_colours(audit: Audit) -> None:
    done = audit("--file", "fout.xml")
    assert "\x1b" not in done.stdout
    assert all(len(line) <= 100 and line == line.rstrip() for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("columns", "width"), [("60", 60), ("140", 140), ("", 100), ("0", 100), ("veel", 100)]
)
def test_columns_count_without_a_terminal(
    audit: Audit, monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = audit("--file", "fout.xml").stdout.splitlines()
    assert width - 30 < max(map(len, lines)) <= width
