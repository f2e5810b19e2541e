"""``scrapy audit``: shows what would be harvested of documents or permits, and what to fix for the rest."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

from scrapy import signals
from scrapy.exceptions import UsageError

from woo_harvester.findings import Severity
from woo_harvester.kinds import Kind
from woo_harvester.report.run_folder import FINISHED, OWN_ERROR_FIRST, REPORT, RunFolder, run_name
from woo_harvester.running.causes import ArgumentError
from woo_harvester.running.command import (
    AUDIT_SETTINGS,
    DOCUMENT_SAMPLE,
    MESSAGE_SAMPLE,
    ProjectCommand,
)
from woo_harvester.running.credentials import PASSWORD, Credentials, trusting
from woo_harvester.running.process import HarvestProcess
from woo_harvester.running.streams import to_stdout, write_stderr
from woo_harvester.utils.program import program
from woo_harvester.utils.terminal import printable_lines
from woo_harvester.utils.urls import host_of, is_web_url

if TYPE_CHECKING:
    import argparse

    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

    from woo_harvester.audit.given import GivenHost
    from woo_harvester.extensions.findings import Findings
    from woo_harvester.spiders.base import HarvestSpider

#: The width of a line if the output is not a terminal and ``COLUMNS`` is not set.
_WIDTH = 100

#: A public name: only a name server that does not answer has no answer for it.
_PUBLIC_NAME = "organisaties.overheid.nl"

_Job = tuple[str, dict[str, Any]]
"""A spider, and its arguments."""

#: An audit of files asks no host, so it need not wait, and reads each message.
_OF_FILES = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_HANDLERS": {"https": "woo_harvester.downloader.given_files.GivenFilesHandler"},
    "WOO_CRAWL_DELAY_MAX": 0,
    "WOO_MESSAGE_SAMPLE": 0,
}

#: Its components in the place of those of a harvest.
_COMPONENTS_OF_FILES: dict[str, dict[str, int | None]] = {
    "EXTENSIONS": {
        "woo_harvester.extensions.findings.Findings": None,
        "woo_harvester.extensions.given_files.GivenFilesFindings": 20,
    },
    "ITEM_PIPELINES": {
        "woo_harvester.pipelines.record.FileTypePipeline": None,
        "woo_harvester.pipelines.unasked.UnaskedDocumentPipeline": 300,
    },
}


class Command(ProjectCommand):
    """Runs a spider over hosts or entry pages, or reads files, and prints what a publisher needs to know.

    Exit status 0 if there are no findings at or above ``--fail-on``, 1 if there are or the audit failed, 2
    for a wrong argument.
    """

    name = "audit"
    arguments = "{DOMAIN... | --permits URL...} [--file FILE...] [options]"
    summary = "Show a publisher which documents or permits would be harvested, and what to fix"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--file",
            nargs="+",
            action="extend",
            metavar="FILE",
            help="read sitemaps, indexes, robots.txt and permit messages, or folders, without network",
        )
        parser.add_argument(
            "--permits",
            nargs="+",
            action="extend",
            metavar="URL",
            help="read entry pages of permits, and the messages that they list",
        )
        parser.add_argument(
            "--sample",
            type=int,
            metavar="N",
            help="request N documents of each host, and read the first and the last N messages of each page "
            f"(default: {DOCUMENT_SAMPLE} and {MESSAGE_SAMPLE}; 0: all)",
        )
        parser.add_argument("--all", action="store_const", dest="sample", const=0, help="as --sample 0")
        parser.add_argument(
            "--user",
            metavar="NAME",
            help=f"user name for hosts behind a password, which is asked for, or that in {PASSWORD}",
        )
        parser.add_argument(
            "--ca",
            metavar="FILE",
            help="trust the certificates in this file too, such as that of your own CA",
        )
        parser.add_argument("--format", choices=("json", "junit"), help=f"print {REPORT}, or JUnit")
        parser.add_argument(
            "--json", action="store_const", dest="format", const="json", help="as --format json"
        )
        parser.add_argument(
            "--fail-on",
            choices=("error", "warning"),
            default="error",
            help="the least severity that gives exit status 1: error (the default) or warning",
        )
        parser.add_argument(
            "--lang", choices=("nl", "en"), help="language of answer and report (default: nl)"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments, and show only errors of the log, unless the command line asks for more."""
        settings = cast("Settings", self.settings)
        settings.set("LOG_LEVEL", "ERROR", "project")
        self._own_error: str | None = None
        """The last line of a run in which the harvester itself failed on something."""
        self._spiders: list[HarvestSpider] = []
        """The spiders that were opened."""
        opts.permits = opts.permits or []
        super().process_options(args, opts)
        self._files = [_existing(given) for given in opts.file or ()]
        self._check(args, opts)
        settings.setdict(AUDIT_SETTINGS, "cmdline")
        hosts = _hosts(args) if args else [host_of(url) for url in opts.permits]
        settings.setdict({"WOO_PRIVATE_HOSTS": hosts, "WOO_REPORT_HISTORY": False}, "project")  # or -s
        self._credentials = Credentials(hosts, opts.user)
        settings.set("WOO_TEST_HOSTS", hosts if opts.ca or opts.user else [], "cmdline")
        for setting, default in (("MESSAGE", MESSAGE_SAMPLE), ("DOCUMENT", DOCUMENT_SAMPLE)):
            sample = default if opts.sample is None else opts.sample
            settings.set(f"WOO_{setting}_SAMPLE", sample, "cmdline")
        if opts.lang:
            settings.set("WOO_REPORT_LANG", opts.lang, "cmdline")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the audit, and print the result."""
        from woo_harvester.audit.given import hosts_among
        from woo_harvester.report.json_file import read_hosts

        jobs: list[_Job] = []
        if opts.permits:
            jobs.append(("vergunningen", {"entries": tuple(dict.fromkeys(opts.permits))}))
        elif args:
            jobs.append(("woo", {"domains": ",".join(args), "documents": "head"}))
        try:
            jobs += map(_job, hosts_among(self._files))
        except ValueError as error:
            raise UsageError(f"--file: {error}", print_help=False) from error
        with trusting(opts.ca):
            folder = self._crawl(jobs, opts)
        if folder is None:
            return
        severities = list(Severity)
        failing = frozenset(severities[: severities.index(Severity(opts.fail_on)) + 1])
        with to_stdout():
            _print(folder, failing, opts)
        found = {row.severity for host in read_hosts(folder.report) for row in host.findings}
        if self._own_error is not None:
            self.fail(self._own_error)  # below the answer, which is about the rest
        if failing & found or any(host.complete is None for host in read_hosts(folder.report)):
            self.exitcode = 1

    def _check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Raise UsageError for wrong arguments."""
        from woo_harvester.permits.entry_pages import page_problem

        if not args and not self._files and not opts.permits:
            raise UsageError(
                f"expected a domain or --file, such as: {program()} audit www.gemeente.nl, or an entry "
                f"page of permits, such as: {program()} audit --permits https://www.gemeente.nl/vergunningen/"
            )
        if args and opts.permits:
            raise UsageError(f"{args[0]} is no entry page: audit domains and --permits one after the other")
        for url in opts.permits or ():
            if problem := page_problem(url):
                raise UsageError(f"--permits: {problem}")
        if opts.user is not None and not (args or opts.permits):
            raise UsageError("--user is for domains and --permits: files need no password")
        for given in (*args, *opts.permits):
            if "@" in given.rpartition("://")[2].partition("/")[0]:
                line = f"a user name comes after --user, and its password is asked for, or in {PASSWORD}"
                raise UsageError(line)
        for given in args:
            is_file = "://" not in given and given.lower().endswith((".xml", ".xml.gz", "robots.txt"))
            if is_file or ("." not in given and ":" not in given and given != "localhost"):
                raise UsageError(f"{given} is no domain, such as www.gemeente.nl: files come after --file")

    def _crawl(self, jobs: Sequence[_Job], opts: argparse.Namespace) -> RunFolder | None:
        """Run the spiders one after another; return the folder of their report, or None if one failed."""
        self.crawler_process = process = HarvestProcess(cast("Settings", self.settings))
        crawlers = [self._made_crawler(process, *job) for job in jobs]
        started: list[Crawler] = crawlers[:1]

        def start_next(task: object = None) -> None:
            is_finished = started[-1].stats.get_value("finish_reason") == FINISHED
            if is_finished and len(started) < len(jobs):
                arguments = jobs[len(started)][1]
                started.append(crawlers[len(started)])
                process.crawl(started[-1], **arguments).add_done_callback(start_next)

        failure = process.run(crawlers[0], jobs[0][1], start_next)
        failures = [spider.failure for spider in self._spiders if spider.failure is not None]
        failure = failure or next(iter(failures), None)
        if failure and not self._spiders:  # there is no spider to ask
            self.fail(failure[1], failure[0])
            return None
        findings = _findings(crawlers[0])
        is_register = is_web_url(str(cast("Settings", self.settings)["WOO_REGISTER"]))
        is_unread = findings.common_cause.causes == (set() if failure and is_register else {"dns"})
        if len(jobs) == 1 and is_unread and _is_offline():
            rmtree(findings.run_folder.path, ignore_errors=True)  # it blames publishers
            self._say("audit_offline", "error: ")
            self.exitcode = 1
            return None
        if failure:
            status, self._own_error = failure
            if not any(spider.crawler.stats.get_value(OWN_ERROR_FIRST) for spider in self._spiders):
                self.fail(self._own_error, status)
                return None
        for host, typed in self._spiders[0].renamed.items():
            self._say("audit_renamed", host=host, typed=typed)
        return self._joined([_findings(crawler).run_folder for crawler in started])

    def _say(self, key: str, start: str = "", **values: str) -> None:
        """Write a text in the language of the answer to stderr; on a terminal, in lines of 80 characters."""
        from woo_harvester.report.html.texts import Texts

        text = Texts(cast("Settings", self.settings)["WOO_REPORT_LANG"])(key, **values)
        line = f"{program()} audit: {start}{text}"
        write_stderr(fill(line, 80, break_on_hyphens=False) if sys.stderr.isatty() else line)

    def _keep(self, spider: HarvestSpider) -> None:
        """Keep a spider: a crawler whose run fails has none at its end."""
        self._spiders.append(spider)

    def _joined(self, folders: Sequence[RunFolder]) -> RunFolder | None:
        """Return the folder with the report of all these runs; None if there is no report."""
        from woo_harvester.report.assemble import make_report
        from woo_harvester.report.merge import join

        if missing := [folder for folder in folders if not folder.report.exists()]:
            self.fail(f"no report was made in {missing[0].path}")
            return None
        if len(folders) == 1:
            return folders[0]
        settings = cast("Settings", self.settings)
        kinds = {folder.kind for folder in folders}
        to = folders[0].reports.run(run_name(kinds.pop() if len(kinds) == 1 else Kind.woo))
        try:
            join(folders, to)
            make_report(to, lang=settings["WOO_REPORT_LANG"], history=False)
            for folder in folders:
                rmtree(folder.path)
        except OSError as error:
            self.fail_at(error, to.path)
            return None
        return to

    def _made_crawler(self, process: HarvestProcess, spider: str, arguments: Mapping[str, Any]) -> Crawler:
        """Return the crawler of a spider, for hosts or for the files in its arguments."""
        crawler = process.create_crawler(spider)
        if "_on_disk" in arguments:
            crawler.settings.setdict(_OF_FILES, "cmdline")
            for name, components in _COMPONENTS_OF_FILES.items():
                crawler.settings.set(name, {**crawler.settings.getdict(name), **components}, "cmdline")
        elif self._credentials.hosts:
            crawler.signals.connect(self._credentials.sign, signals.request_reached_downloader)
        crawler.signals.connect(self._keep, signals.spider_opened)
        return crawler


def _is_offline() -> bool:
    """Return whether no name server answers this machine."""
    try:
        socket.getaddrinfo(_PUBLIC_NAME, 443)
    except socket.gaierror as error:
        return error.errno == socket.EAI_AGAIN
    return False


def _job(hosts: Sequence[GivenHost]) -> _Job:
    """Return the spider that reads hosts on disk, with its arguments."""
    if hosts[0].kind is Kind.vergunningen:
        return "vergunningen", {"entries": tuple(host.url for host in hosts), "_on_disk": hosts}
    return "woo", {"domains": ",".join(host.host for host in hosts), "documents": "none", "_on_disk": hosts}


def _findings(crawler: Crawler) -> Findings:
    """Return the extension that has the findings of a run."""
    from woo_harvester.extensions.findings import Findings

    return cast("Findings", crawler.get_extension(Findings))


def _print(folder: RunFolder, failing: frozenset[Severity], opts: argparse.Namespace) -> None:
    """Print the report in the format that the options ask for."""
    from rich.console import Console

    from woo_harvester.report.audit_summary import print_summary
    from woo_harvester.report.json_file import read_head
    from woo_harvester.report.junit import junit

    if opts.format == "json":
        print(_json(folder))
    elif opts.format == "junit":
        print(junit(folder, failing), end="")
    else:
        print_summary(folder, Console(width=_width()), read_head(folder.report).lang)


def _width() -> int | None:
    """Return the width of a line without a terminal, or None to use that of the terminal or ``COLUMNS``."""
    columns = os.environ.get("COLUMNS", "")
    return None if sys.stdout.isatty() or (columns.isdecimal() and int(columns)) else _WIDTH


def _hosts(given: list[str]) -> list[str]:
    """Return the hosts that were typed. Raises UsageError if one is none."""
    from woo_harvester.running.arguments import WooArguments

    try:
        return list(WooArguments.read({"domains": ",".join(given)}).domains or ())
    except ArgumentError as error:
        raise UsageError(str(error).replace("argument domains: ", "")) from error


def _existing(given: str) -> Path:
    """Return the path of a file or folder. Raises UsageError if it does not exist."""
    with suppress(OSError, ValueError):  # a name that no file can have
        if given and Path(given).exists():
            return Path(given)
    raise UsageError(f"--file: there is no file {given}")


def _json(folder: RunFolder) -> str:
    """Return ``report.json`` with one more key, ``report``: the path of the HTML page."""
    made: dict[str, Any] = json.loads(folder.report.read_text(encoding="utf-8"))
    return printable_lines(json.dumps({**made, "report": str(folder.page)}, ensure_ascii=False, indent=1))
