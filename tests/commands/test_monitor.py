"""The command as cron runs it, with a real mail server on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from socket import gethostname
from typing import Any, cast

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from scrapy.settings import Settings

from tests.extensions.runs import account, write_run
from tests.utils.command import REPORTS, Run, run_scrapy
from tests.utils.ports import free_port
from woo_harvester.commands.monitor import bounds
from woo_harvester.demo.server import Authority
from woo_harvester.extensions.monitored_runs import Bounds

HOUR = timedelta(hours=1)
MAIL: dict[str, Any] = {"SPIDERMON_EMAIL_TO": "beheer@b.nl,wacht@b.nl", "SPIDERMON_EMAIL_SENDER": "woo@a.nl"}


def monitor(folder: Path, *args: str, ca: Path | None = None, **settings: object) -> Run:
    return run_scrapy(["monitor", *args], folder, ca, settings=settings)


@pytest.fixture
def well(tmp_path: Path) -> Path:
    """Return an installation with two equal runs, of yesterday and today."""
    now = datetime.now(UTC)
    for ago in (25, 1):
        write_run(tmp_path / REPORTS, account(listed=500), ended=now - ago * HOUR)
    return tmp_path


@pytest.fixture
def unwell(tmp_path: Path) -> Path:
    """Return an installation in which a host is empty today."""
    now = datetime.now(UTC)
    write_run(tmp_path / REPORTS, account(listed=500), account("www.b.nl", 12), ended=now - 25 * HOUR)
    write_run(tmp_path / REPORTS, account(listed=500), account("www.b.nl", 0), ended=now - HOUR)
    return tmp_path


class Mailbox:
    """A mail server that keeps the delivered mails."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.recipients: list[str] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        found = message_from_bytes(cast("bytes", envelope.content), policy=policy.default)
        self.messages.append(found)
        self.recipients += envelope.rcpt_tos
        return "250 OK"


@contextmanager
def mail_server(**options: Any) -> Iterator[tuple[Mailbox, dict[str, Any]]]:
    """Start a mail server on loopback; return it with the settings for it."""
    mailbox = Mailbox()
    port = free_port()  # the controller wants to know it beforehand
    server = Controller(mailbox, hostname="127.0.0.1", port=port, **options)
    server.start()
    try:
        yield mailbox, {**MAIL, "SPIDERMON_SMTP_HOST": "localhost", "SPIDERMON_SMTP_PORT": port}
    finally:
        server.stop()


def test_a_good_run_is_status_0(well: Path) -> None:
    done = monitor(well)
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("woo-20")
    assert rest == [
        "  ok       a run each day",
        "  ok       hosts can be reached from here",
        "  ok       the run came to its end",
        "  ok       the harvester itself made no error",
        "  ok       no drop in documents",
        "  ok       no host is suddenly empty",
        "  ok       fields are given as usual",
        "  ok       no rise in findings",
    ]
    assert monitor(well, "--quiet").stdout == ""


def test_a_problem_is_status_1_and_stands_below_its_monitor(unwell: Path) -> None:
    done = monitor(unwell, "woo", "--quiet")
    assert (done.returncode, done.stderr) == (1, "")
    _, name, problem = done.stdout.splitlines()
    assert name == "  FAILED   no host is suddenly empty"
    assert problem.strip().startswith("1 host listed documents the last time and none now: www.b.nl (12 ")


def test_a_first_run_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    write_run(tmp_path / REPORTS, account(), ended=datetime.now(UTC) - HOUR)
    done = monitor(tmp_path)
    assert done.returncode == 0
    assert "  skipped  no drop in documents: there is no earlier run to compare with" in done.stdout


def test_a_spider_without_accounts_is_judged_as_far_as_can_be(tmp_path: Path) -> None:
    for ago in (70, 50):
        write_run(tmp_path / REPORTS, ended=datetime.now(UTC) - ago * HOUR, spider="vergunningen")
    done = monitor(tmp_path)
    assert done.returncode == 1
    assert "  FAILED   a run each day\n           no run has ended for 50 hours" in done.stdout
    assert "  skipped  no drop in documents: the run keeps no accounts of hosts" in done.stdout
    assert "  ok       no rise in findings" in done.stdout


def test_the_bounds_are_settings(unwell: Path) -> None:
    assert monitor(unwell, WOO_MONITOR_WELL=13).returncode == 0
    assert monitor(unwell, WOO_MONITOR_WELL=13, WOO_MONITOR_AGE=0.5).returncode == 1


def test_no_run_at_all_is_status_1(tmp_path: Path) -> None:
    done = monitor(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("scrapy monitor: error: no run in ")


def test_a_run_that_never_ended_is_status_1(tmp_path: Path) -> None:
    (tmp_path / REPORTS / "woo-2026-11-21T05-15-00.000000").mkdir(parents=True)
    done = monitor(tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("woo-2026-11-21T05-15-00.000000, not ended\n")
    assert "  FAILED   a run each day\n           no run has ended: expected one in 30 hours." in done.stdout
    assert (
        "  FAILED   the run came to its end\n           woo-2026-11-21T05-15-00.000000 did not" in done.stdout
    )
    assert "  ok       hosts can be reached from here" in done.stdout
    assert done.stdout.count("  skipped  ") == 4


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["wo"], "no run of a spider wo in"),
        (["--quit"], "unknown option --quit: did you mean --quiet?"),
    ],
)
def test_a_wrong_argument_is_one_line_and_status_2(well: Path, args: list[str], line: str) -> None:
    done = monitor(well, *args)
    assert done.returncode == 2
    assert done.stderr.startswith(f"scrapy monitor: error: {line}")
    assert done.stderr.count("\n") == 1


def test_statistics_that_are_broken_are_named(well: Path) -> None:
    newest = max((well / REPORTS).iterdir())
    (newest / "stats.json").write_text("{")
    done = monitor(well)
    assert done.returncode == 1
    assert "  FAILED   the run came to its end" in done.stdout
    assert f"{newest / 'stats.json'} holds no statistics of a run" in done.stdout
    assert "  skipped  no drop in documents" in done.stdout, "the run before it is checked"


def test_what_failed_is_mailed(unwell: Path) -> None:
    with mail_server() as (mailbox, settings):
        done = monitor(unwell, **settings)
    assert (done.returncode, done.stderr) == (1, "")
    assert mailbox.recipients == ["beheer@b.nl", "wacht@b.nl"]
    (message,) = mailbox.messages
    assert message["Subject"] == "woo-harvester: 1 of the monitors failed"
    assert message["From"] == "woo@a.nl"
    text = message.get_body(("plain",))
    assert text is not None
    lines = text.get_content().splitlines()
    assert lines[2] == "no host is suddenly empty"
    assert lines[3].startswith("1 host listed documents the last time and none now: www.b.nl (12 ")


def test_a_run_that_was_killed_is_mailed(well: Path) -> None:
    began = datetime.now().astimezone() - HOUR / 2
    folder = well / REPORTS / f"woo-{began:%Y-%m-%dT%H-%M-%S.%f}"
    folder.mkdir()
    (folder / "findings.jsonl").write_text('{"code": "lo')
    with mail_server() as (mailbox, settings):
        done = monitor(well, **settings)
    assert (done.returncode, done.stderr) == (1, "")
    (message,) = mailbox.messages
    text = message.get_body(("plain",))
    assert text is not None
    assert f"{folder.name} did not end: it was killed, or its machine stopped." in text.get_content()


def test_the_end_of_the_log_of_a_failed_unit_is_mailed(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "journalctl"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"; echo "scrapy crawl: error: geen ruimte é"\n')
    program.chmod(0o755)
    with mail_server() as (mailbox, settings):
        environment = {name: str(value) for name, value in settings.items()}
        environment["PATH"] = f"{program.parent}:{os.environ['PATH']}"
        done = run_scrapy(["monitor", "--failed", "woo-harvester.service"], tmp_path, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert mailbox.recipients == ["beheer@b.nl", "wacht@b.nl"]
    (message,) = mailbox.messages
    assert message["Subject"] == f"woo-harvester: woo-harvester.service failed on {gethostname()}"
    assert "--unit=woo-harvester.service" in message.get_content().splitlines()
    assert message.get_content().rstrip().endswith("scrapy crawl: error: geen ruimte é")


def test_a_mail_about_a_unit_that_cannot_be_sent_is_an_error(tmp_path: Path) -> None:
    asked = "--failed", "woo-harvester.service"
    unset = monitor(tmp_path, *asked)
    assert unset.returncode == 1
    assert "no mail about woo-harvester.service: " in unset.stderr
    nowhere = monitor(
        tmp_path, *asked, **MAIL, SPIDERMON_SMTP_HOST="localhost", SPIDERMON_SMTP_PORT=free_port()
    )
    assert (nowhere.returncode, nowhere.stderr.count("\n")) == (1, 1)
    assert monitor(tmp_path, "woo", *asked).returncode == 2


def test_a_good_run_is_not_mailed(well: Path) -> None:
    with mail_server() as (mailbox, settings):
        assert monitor(well, **settings).returncode == 0
    assert mailbox.messages == []


@pytest.mark.parametrize(("password", "delivered"), [("geheim", 1), ("anders", 0)])
def test_mail_goes_with_a_password_over_tls(
    unwell: Path, ca: Authority, ca_bundle: Path, password: str, delivered: int
) -> None:
    def accept(server: object, session: object, envelope: object, mechanism: str, data: Any) -> AuthResult:
        return AuthResult(success=data == LoginPassword(b"woo", b"geheim"), handled=False)

    options = {"tls_context": ca.server_context(), "require_starttls": True, "auth_required": True}
    with mail_server(**options, authenticator=accept) as (mailbox, settings):
        given = {"SPIDERMON_SMTP_USER": "woo", "SPIDERMON_SMTP_PASSWORD": password}
        done = monitor(unwell, ca=ca_bundle, **settings, **given, SPIDERMON_SMTP_ENFORCE_TLS=1)
    assert done.returncode == 1
    assert len(mailbox.messages) == delivered
    assert ("not sent: SendMail: smtplib.SMTPAuthenticationError" in done.stderr) == (not delivered)


def test_mail_that_cannot_be_sent_is_one_line(unwell: Path) -> None:
    settings: dict[str, Any] = {**MAIL, "SPIDERMON_SMTP_HOST": "127.0.0.1", "SPIDERMON_SMTP_PORT": 1}
    done = monitor(unwell, **settings)
    assert done.returncode == 1
    assert done.stderr.startswith("scrapy monitor: error: not sent: SendMail: ConnectionRefusedError")
    assert done.stderr.count("\n") == 1


def test_a_setting_for_mail_that_is_missing_is_named(well: Path) -> None:
    done = monitor(well, **MAIL)
    assert done.returncode == 1
    assert done.stderr == (
        "scrapy monitor: error: SPIDERMON_EMAIL_TO needs SPIDERMON_SMTP_HOST and SPIDERMON_EMAIL_SENDER too\n"
    )


def test_the_runs_of_both_spiders_are_checked_each_by_its_own(well: Path) -> None:
    long_ago = datetime.now(UTC) - 40 * HOUR
    write_run(well / REPORTS, account("vergunningen.a.nl", 20), ended=long_ago, spider="vergunningen")
    done = monitor(well, "--quiet")
    assert (done.returncode, done.stderr) == (1, "")
    title, failed, _ = done.stdout.splitlines()
    assert title.startswith("vergunningen-20")
    assert failed == "  FAILED   a run each day"


def test_a_spider_whose_first_run_goes_on_keeps_no_other_from_being_checked(unwell: Path) -> None:
    (unwell / REPORTS / f"vergunningen-{datetime.now(UTC):%Y-%m-%dT%H-%M-%S.%f}").mkdir()
    done = monitor(unwell, "--quiet")
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"no run of vergunningen in {unwell / REPORTS} has ended: expected one a day\n"
    )
    assert "  FAILED   no host is suddenly empty" in done.stdout


# The limits of the monitors are read from the settings.
def test_each_bound_has_its_setting() -> None:
    given = {"AGE": 7, "WELL": 3, "DROP": 0.25, "RISE": 0.75, "COVERAGE": 0.05, "RECORDS": 11}
    settings = Settings({f"WOO_MONITOR_{name}": value for name, value in given.items()})
    expected = Bounds(age=timedelta(hours=7), well=3, drop=0.25, rise=0.75, coverage=0.05, records=11)
    assert bounds(settings) == expected


@pytest.mark.parametrize(("runs", "status"), [(2, 1), (1, 0)])
def test_a_run_is_compared_with_as_many_runs_as_are_set(tmp_path: Path, runs: int, status: int) -> None:
    now = datetime.now(UTC)
    for hours, host in [
        (50, account(listed=100)),
        (25, account(listed=0, complete=None)),
        (1, account(listed=0)),
    ]:
        write_run(tmp_path / REPORTS, host, ended=now - timedelta(hours=hours))
    done = run_scrapy(["monitor"], tmp_path, settings={"WOO_MONITOR_RUNS": runs})
    assert done.returncode == status, done.stdout + done.stderr
