"""Functions on URLs: the host, the id of a document, and whether a location may be harvested."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv6Address
from urllib.parse import unquote, urljoin
from uuid import NAMESPACE_URL, uuid5

import idna

from woo_harvester.utils.terminal import is_unseen

#: Longest location that is harvested, in bytes: the default of Scrapy's ``URLLENGTH_LIMIT``. An index of the
#: state's database can have values of this length.
LOC_MAXLENGTH = 2083

_DEFAULT_PORTS = {"https": 443, "http": 80}
_HTTP = re.compile("http:", re.IGNORECASE)
_WEB = re.compile("https?://", re.IGNORECASE)
_HTTP_HOST = re.compile("http://([^/?#]*?)(?::80)?(?=[/?#]|$)", re.IGNORECASE)
_PLAIN = re.compile("https://[^/?#@:]*(?=[/?#]|$)")
_PORT = re.compile(r":[^:\]]*$")
_SCHEME = re.compile("[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ABSOLUTE = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)", re.IGNORECASE)
#: White space, control characters and lone surrogates, which a URL never has (RFC 3986, 2).
_NEVER_IN_URL = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
#: A tag of HTML within a text. A location has none (RFC 3986, 2).
_TAG = re.compile("</?(?:a|b|br|em|font|i|p|span|strong|sub|sup|u|wbr)/?>", re.IGNORECASE)
_AFTER_PATH = re.compile("[?#]")
#: The session id that Java servers add to the URLs of visitors without cookies.
_SESSION = re.compile(";jsessionid=.*", re.IGNORECASE | re.DOTALL)
#: Host names. RFC 1123 has no underscores, but they resolve and are in use.
_HOST_NAME = re.compile(r"(?!.{254})[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")


@lru_cache(maxsize=16)  # the host of a document, and that of its page, is asked for several times in turn
def host_of(url: str) -> str:
    """Return the host of an absolute URL, such as ``www.a.nl`` or ``www.a.nl:8443``.

    It is in lower case and in IDNA's ASCII form (RFC 5891), without final dot, user name, password, and the
    default port of the scheme. Raises ValueError for a URL without a host, with a bad port, or with a name
    that IDNA refuses.
    """
    match = _ABSOLUTE.match(url.strip())
    if match is None:
        raise ValueError(f"Expected an absolute URL such as https://www.a.nl/x, got {url!r}")
    return _host(*match.groups())


def is_web_url(text: str) -> bool:
    """Return whether a text that may be a path is an http or https URL."""
    return text.lower().startswith(("http://", "https://"))


def is_tidy(text: str) -> bool:
    """Return whether a text from XML is surely one that :func:`tidy_loc` leaves as it is. Nearly all are.

    Of the control characters, XML 1.0 allows only those that are asked for here.
    """
    is_plain = text.isascii() and "<" not in text and " " not in text and "\x7f" not in text
    return is_plain and "\n" not in text and "\r" not in text and "\t" not in text


def tidy_loc(given: str) -> str:
    """Return a location without tags, and without unseen signs (:func:`is_unseen`) around it or in its host.

    Each space in it becomes ``%20`` (RFC 3986, 2.1).
    """
    loc = _TAG.sub("", given).strip()
    if not (loc.isascii() and loc.isprintable()):
        seen = [at for at, sign in enumerate(loc) if not is_unseen(sign)] or [-1]
        loc = loc[seen[0] : seen[-1] + 1]
        host = match[0] if (match := _ABSOLUTE.match(loc)) else ""
        loc = "".join(sign for sign in host if sign.isspace() or not is_unseen(sign)) + loc[len(host) :]
    return loc.replace(" ", "%20")


def loc_problem(loc: str) -> str | None:
    """Return the code of the finding for a location that may not be harvested, or None for a good one.

    The code is ``loc.geen-https`` for http, ``loc.inloggegevens`` for a user name or password, and
    ``loc.ongeldig`` for any other problem. The register is not used. Source: seed "Sitemapindex en Sitemaps",
    section "Aandachtspunten bij de invulling van de sitemaps" (https); sitemaps.org (absolute URL).
    """
    loc = loc.strip()
    if _HTTP.match(loc):
        return "loc.geen-https"
    match = _ABSOLUTE.match(loc)
    if match is None or match[1].lower() != "https" or _NEVER_IN_URL.search(loc):
        return "loc.ongeldig"
    if len(loc if loc.isascii() else loc.encode()) > LOC_MAXLENGTH:
        return "loc.ongeldig"
    if "@" in match[2]:
        return "loc.inloggegevens"
    try:
        _host(*match.groups())
    except ValueError:
        return "loc.ongeldig"
    return None


def is_relative(href: str) -> bool:
    """Return whether a link has no scheme (RFC 3986, 4.2), nor one behind other signs."""
    return _SCHEME.match(href) is None and "://" not in href.partition("?")[0]


def absolute_url(base: str, href: str) -> str | None:
    """Return the absolute URL of a link, without fragment; None if it is not http or https."""
    try:
        url = urljoin(base, href.partition("#")[0])
    except ValueError:  # a broken IPv6 address
        return None
    return url if _WEB.match(url) else None


def secured(url: str) -> str:
    """Return an http URL with https; any other URL unchanged."""
    return f"https{url[4:]}" if _HTTP.match(url) else url


def https_form(url: str) -> str:
    """Return what identifies a page whether its URL has http or https: the URL with https.

    The default port of http is left out, since https has another one.
    """
    match = _HTTP_HOST.match(url)
    return f"https://{match[1]}{url[match.end() :]}" if match else url


def corrected_locs(loc: str) -> list[str]:
    """Return the locations that one may mean which has another scheme, a user name, a password or a port.

    They have https and a host as :func:`host_of` returns it, with the port and without. There are none for a
    location without a host, or with nothing to correct.
    """
    if _PLAIN.match(loc) or (match := _ABSOLUTE.match(loc)) is None:
        return []
    netloc = match[2].rpartition("@")[2]
    found: dict[str, None] = {}
    for given in (netloc, _PORT.sub("", netloc)):
        with suppress(ValueError):
            found[f"https://{_host(match[1], given)}{loc[match.end() :]}"] = None
    return [*found]


def record_id(loc: str) -> str:
    """Return the id of a document's record: the UUID version 5 of its location, in the URL namespace.

    Raises ValueError for a text that cannot be written in UTF-8.
    """
    return str(uuid5(NAMESPACE_URL, loc.strip()))


@lru_cache(maxsize=16)  # the name, the type and the title of a document ask for it one after another
def last_segment(url: str) -> str:
    """Return the last segment of a URL's path, percent-decoded; empty after a final slash.

    A session id (``;jsessionid=``) is removed.
    """
    url = url.strip()
    authority = _ABSOLUTE.match(url)
    path = _AFTER_PATH.split(url[authority.end() if authority else 0 :], maxsplit=1)[0]
    segment = _SESSION.sub("", path.rpartition("/")[2])
    if "%" not in segment:
        return segment
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:  # older publishing software encodes é as %E9
        return unquote(segment, encoding="windows-1252", errors="replace")


@lru_cache(maxsize=4096)
def _host(scheme: str, netloc: str) -> str:
    """Return the host. The cache has scheme and netloc as key, since many documents share a few hosts."""
    host, port = _split_port(netloc.rpartition("@")[2])
    if not host:
        raise ValueError(f"Expected a host, got {scheme}://{netloc}")
    name = _ipv6(host) if host.startswith("[") else _ascii_name(host)
    if port is None or port == _DEFAULT_PORTS.get(scheme.lower()):
        return name
    return f"{name}:{port}"


def _split_port(hostport: str) -> tuple[str, int | None]:
    """Return host and port; the port is None if it is absent or empty (RFC 3986, 3.2.3)."""
    host, colon, port = hostport.rpartition(":")
    if not colon or port.endswith("]"):
        return hostport, None
    if not port:
        return host, None
    if not re.fullmatch(r"0*[1-9][0-9]{0,4}", port, re.ASCII) or int(port) > 65535:
        raise ValueError(f"Expected a port from 1 to 65535, got {port!r}")
    return host, int(port)


def _ascii_name(host: str) -> str:
    """Return the host name in lower-case ASCII."""
    name = host.lower().removesuffix(".")
    if len(host) > 1000:
        raise ValueError("Expected a host name of at most 253 characters")
    if not name.isascii() or "xn--" in name:
        try:
            name = idna.encode(host, uts46=True).decode("ascii").lower().removesuffix(".")
        except UnicodeError as error:
            raise ValueError(f"Expected a host name, got {host!r}: {error}") from None
    if not _HOST_NAME.fullmatch(name):
        raise ValueError(f"Expected a host name, got {host!r}")
    return name


def _ipv6(host: str) -> str:
    """Return the shortest form of an IPv6 address, in brackets. A zone raises ValueError."""
    if not host.endswith("]") or "%" in host:
        raise ValueError(f"Expected an IPv6 address in brackets, got {host!r}")
    return f"[{IPv6Address(host[1:-1])}]"
