"""The notifications of the monitors: Spidermon's actions with its settings, and this project's texts."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage, Message
from socket import gethostname
from typing import TYPE_CHECKING, Any

from spidermon.contrib.actions.email import SendEmail
from spidermon.contrib.actions.slack import SendSlackMessage
from spidermon.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

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
