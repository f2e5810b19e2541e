"""The monitors of a run for Spidermon, and the warnings that they send by mail and Slack."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage, Message
from socket import gethostname
from typing import TYPE_CHECKING, Any

from spidermon import Monitor, MonitorSuite, monitors
from spidermon.contrib.actions.email import SendEmail
from spidermon.contrib.actions.slack import SendSlackMessage
from spidermon.exceptions import NotConfigured
from spidermon.runners import MonitorRunner

from woo_harvester.extensions.monitored_runs import (
    Bounds,
    EndedRun,
    age,
    connected,
    covered,
    dropped,
    emptied,
    ended,
    failed,
    risen,
)
from woo_harvester.report.funnel import HarvestKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from scrapy.crawler import Crawler

    from woo_harvester.extensions.monitored_runs import EndedRun, Runs


_SUBJECT = "woo-harvester: {{ result.monitors_failed_results|length }} of the monitors failed"

_BODY = """\
{{ data.title }}

{% for each in result.monitors_failed_results -%}
{{ each.monitor.method_name }}
{{ each.reason or each.error }}

{% endfor %}"""

#: The timeout for a mail server, in seconds.
_SMTP_TIMEOUT = 30


class SendMail(SendEmail):  # type: ignore[misc]  # Spidermon has no type hints
    """Sends the failed monitors by SMTP, with the settings of Spidermon's own action.

    Spidermon's action uses ``scrapy.mail``, which is deprecated, needs a running reactor and does not wait
    for the answer. This action waits, and can also use a server without a password.
    """

    subject = _SUBJECT
    body_text = _BODY
    body_html_template = None

    def __init__(
        self, host: str, port: int, user: str, password: str, tls: tuple[bool, bool], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if not (host and self.sender):
            raise NotConfigured("SPIDERMON_EMAIL_TO needs SPIDERMON_SMTP_HOST and SPIDERMON_EMAIL_SENDER too")
        self._address = host, port
        self._login = user, password
        self._starttls, self._ssl = tls

    @classmethod
    def from_crawler_kwargs(cls, crawler: Crawler) -> dict[str, Any]:
        settings = crawler.settings
        tls = settings.getbool("SPIDERMON_SMTP_ENFORCE_TLS"), settings.getbool("SPIDERMON_SMTP_ENFORCE_SSL")
        return {
            **super().from_crawler_kwargs(crawler),
            "host": settings["SPIDERMON_SMTP_HOST"] or "",
            "port": int(settings["SPIDERMON_SMTP_PORT"] or 0) or (465 if tls[1] else 587 if tls[0] else 25),
            "user": settings["SPIDERMON_SMTP_USER"] or "",
            "password": settings["SPIDERMON_SMTP_PASSWORD"] or "",
            "tls": tls,
        }

    def send_message(self, message: Message, **kwargs: Any) -> None:
        """Send the message. Raises OSError and smtplib.SMTPException."""
        trusted = ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(*self._address, timeout=_SMTP_TIMEOUT, context=trusted)
            if self._ssl
            else smtplib.SMTP(*self._address, timeout=_SMTP_TIMEOUT)
        ) as server:
            if self._starttls:
                server.starttls(context=trusted)
            if self._login[0]:
                server.login(*self._login)
            server.send_message(message)


def mail_failure(crawler: Crawler, unit: str, log: str) -> None:
    """Mail that a unit of systemd failed, with the end of its *log*, to the address of the monitors.

    Raises Spidermon's NotConfigured, OSError and smtplib.SMTPException.
    """
    action = SendMail.from_crawler(crawler)
    message = EmailMessage()
    message["Subject"] = f"woo-harvester: {unit} failed on {gethostname()}"
    message["From"] = action.sender
    message["To"] = ", ".join(action.to)
    message.set_content(f"The last lines of the log of {unit}:\n\n{log}\n")
    action.send_message(message)


class SendSlack(SendSlackMessage):  # type: ignore[misc]
    """Sends the failed monitors to Slack, with the same text as the mail."""

    message = f"{_SUBJECT}\n{_BODY}"
    include_attachments = False
    sender_name = "woo-harvester"


_NO_EARLIER_RUN = "there is no earlier run to compare with"
_NO_ACCOUNTS = "the run keeps no accounts of hosts"
_NO_FIELDS = "a run of permits does not count fields"


class _Check(Monitor):  # type: ignore[misc]  # Spidermon has no type hints
    """A monitor that fails with the problems that a check returns."""

    def fail_if_any(self, problems: Sequence[str]) -> None:
        if problems:
            self.fail("\n".join(problems))

    def compared(self) -> tuple[EndedRun, Sequence[EndedRun], Bounds]:
        """Return the run and the runs before it; skip the monitor if there are none."""
        if self.data.run is None or not self.data.before:
            self.skipTest(_NO_EARLIER_RUN)
        return self.data.run, self.data.before, self.data.bounds

    def accounted(self) -> tuple[EndedRun, Sequence[EndedRun], Bounds]:
        """Return the same as :meth:`compared`; skip the monitor if the run has no accounts."""
        if self.data.run is not None and not self.data.run.accounts:
            self.skipTest(_NO_ACCOUNTS)
        return self.compared()


class _RunMonitor(_Check):
    """Monitors that runs finish, and often enough."""

    @monitors.name("a run each day")  # type: ignore[untyped-decorator]
    def test_age(self) -> None:
        self.fail_if_any(age(self.data.run, self.data.now, self.data.bounds))

    @monitors.name("the run came to its end")  # type: ignore[untyped-decorator]
    def test_ended(self) -> None:
        self.fail_if_any(ended(self.data.run, self.data.unended))

    @monitors.name("the harvester itself made no error")  # type: ignore[untyped-decorator]
    def test_failed(self) -> None:
        self.fail_if_any(failed(self.data.run))

    @monitors.name("hosts can be reached from here")  # type: ignore[untyped-decorator]
    def test_connected(self) -> None:
        self.fail_if_any(connected(self.data.run))


class _DocumentMonitor(_Check):
    """Monitors that documents do not disappear."""

    @monitors.name("no host is suddenly empty")  # type: ignore[untyped-decorator]
    def test_emptied(self) -> None:
        self.fail_if_any(emptied(*self.accounted()))

    @monitors.name("no drop in documents")  # type: ignore[untyped-decorator]
    def test_dropped(self) -> None:
        self.fail_if_any(dropped(*self.accounted()))


class _QualityMonitor(_Check):
    """Monitors that quality does not get worse."""

    @monitors.name("no rise in findings")  # type: ignore[untyped-decorator]
    def test_risen(self) -> None:
        self.fail_if_any(risen(*self.compared()))

    @monitors.name("fields are given as usual")  # type: ignore[untyped-decorator]
    def test_covered(self) -> None:
        if self.data.run is not None and self.data.run.kind is HarvestKind.PERMITS:
            self.skipTest(_NO_FIELDS)
        self.fail_if_any(covered(*self.accounted()))


class RunSuite(MonitorSuite):  # type: ignore[misc]
    """All monitors of a run; notifies by mail or Slack if Spidermon's settings for it are given."""

    monitors = (_RunMonitor, _DocumentMonitor, _QualityMonitor)

    def __init__(self, crawler: Crawler) -> None:
        wanted = {"SPIDERMON_EMAIL_TO": SendMail, "SPIDERMON_SLACK_SENDER_TOKEN": SendSlack}
        actions = [action for setting, action in wanted.items() if crawler.settings[setting]]
        super().__init__(crawler=crawler, monitors_failed_actions=actions)


class MonitorResults:
    """The results of the monitors, and the notifications that could not be sent."""

    def __init__(self, result: Any) -> None:
        self.lines = [
            (each.monitor.method_name, each.status, each.reason or each.error)
            for each in result.monitor_results
        ]
        """The name, the status (OK, SKIPPED, FAIL or ERROR) and the reason of each monitor."""
        self.passed: bool = result.all_monitors_passed
        self.unsent = [
            f"{each.action.name}: {(each.error or '').strip().rpartition(chr(10))[2]}"
            for each in result.monitors_failed_action_results
            if each.error
        ]
        """The notifications that failed, with the reason."""


def run_monitors(crawler: Crawler, runs: Runs, bounds: Bounds, now: datetime) -> MonitorResults:
    """Check the last run, and compare it with those before. Raises Spidermon's NotConfigured."""
    return MonitorResults(MonitorRunner().run(RunSuite(crawler), **monitored(runs, bounds, now)))


def monitored(runs: Runs, bounds: Bounds, now: datetime) -> dict[str, Any]:
    """Return what the monitors and the texts of the notifications read as ``data``."""
    parts = {"run": runs.last, "before": runs.before, "unended": runs.unended, "title": runs.title}
    return {**parts, "bounds": bounds, "now": now}
