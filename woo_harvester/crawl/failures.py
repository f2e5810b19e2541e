"""Turns a failed request into a finding: its code, and what was seen."""

from __future__ import annotations

from typing import Literal

from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from woo_harvester.downloadermiddlewares.own_fault import is_own_fault
from woo_harvester.downloadermiddlewares.redirect import RedirectRefused
from woo_harvester.downloadermiddlewares.robotstxt import RobotsForbidden
from woo_harvester.extensions.stopping import StoppedError
from woo_harvester.findings.seen_texts import certificate_fault
from woo_harvester.handlers.body import SpoolError
from woo_harvester.handlers.streaming import NoSuchHostError, PrivateHostError, TlsError
from woo_harvester.sitemaps.robots import FORBIDDEN
from woo_harvester.trust import TrustError

RequestKind = Literal["robots", "index", "sitemap", "document", "ingang", "bericht"]

#: The codes of files of permits. The code of all other files is ``<kind>.onbereikbaar``.
UNREACHABLE = {"ingang": "ipm.ingang-onbereikbaar", "bericht": "ipm.bericht-onbereikbaar"}


def is_ours(error: BaseException | None) -> bool:
    """Return whether the harvester or its machine caused an error, so that no publisher is to blame."""
    if error is None:
        return False
    return isinstance(error, SpoolError | StoppedError | TrustError) or is_own_fault(error)


def failure_code(error: BaseException | None, kind: RequestKind) -> str:
    """Return the code of the finding about *error*: ``<kind>.onbereikbaar`` unless a code is more precise."""
    unreachable = UNREACHABLE.get(kind, f"{kind}.onbereikbaar")
    match error:
        case TlsError():
            return "tls.ongeldig"
        case NoSuchHostError():
            return "host.bestaat-niet"
        case PrivateHostError():
            return "host.prive-adres"
        case RobotsForbidden():
            return "robots.verboden"
        case RedirectRefused(code=code):
            return "document.doorverwijzing" if kind == "document" else code or unreachable
        case IgnoreRequest() if kind == "document" and not isinstance(error, HttpError):
            return "document.doorverwijzing"  # Scrapy's "max redirections reached"
        case _:
            return unreachable


def failure_seen(error: BaseException | None) -> str:
    """Return what was seen instead of the file, in Dutch, for the finding."""
    match error:
        case HttpError():
            return f"HTTP {error.response.status}"
        case RedirectRefused():
            return f"doorverwijzing naar {error.target}"
        case TlsError(verify_code=code) if fault := certificate_fault(code):
            return f"{fault} ({error})"
        case DownloadTimeoutError():
            return "time-out"
        case RobotsForbidden():
            return FORBIDDEN
        case None:
            return "geen antwoord"
        case _:
            return " ".join(str(error).split()) or type(error).__name__
