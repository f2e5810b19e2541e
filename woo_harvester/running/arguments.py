"""The arguments of the spiders (``-a``), and their validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo

from woo_harvester.diwoo.choice import Choice
from woo_harvester.register.register import parse_shard
from woo_harvester.running.causes import ArgumentError
from woo_harvester.tooi.coded import resolve
from woo_harvester.tooi.lists import (
    CATEGORY_COUNT,
    UNKNOWN_CATEGORY,
    category_of_index,
    informatiecategorieen,
)
from woo_harvester.tooi.values import normal_label
from woo_harvester.utils.dates import day_of, parse_datetime, parse_end
from woo_harvester.utils.program import suggestion
from woo_harvester.utils.urls import host_of

DocumentsMode = Literal["download", "head", "none"]


def _hosts(value: Any) -> Any:
    """Return the hosts in a text of hosts, host:port or URLs, with commas between."""
    if not isinstance(value, str):
        return value
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if not parts:
        raise ValueError("expected one host or more, such as www.gemeente.nl,open.gemeente.nl:8443")
    try:
        return tuple(dict.fromkeys(host_of(part if "://" in part else f"https://{part}") for part in parts))
    except ValueError as error:
        raise ValueError(f"expected hosts such as www.gemeente.nl: {error}") from error


def _shard(value: Any) -> Any:
    return parse_shard(value) if isinstance(value, str) else value


def _filled(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise ValueError("expected a value, got an empty text")
    return value


#: The values of the argument ``categories``, for error messages.
_CATEGORIES = "numbers from 001 to 017, labels or URIs with commas between: docs/categories.md has all"


def _categories(value: Any) -> Any:
    """Return the URIs in a text of numbers, labels or URIs of categories, with commas between."""
    if not isinstance(value, str):
        return value
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if not parts:
        raise ValueError(f"expected {_CATEGORIES}")
    return tuple(dict.fromkeys(map(_category, parts)))


def _category(given: str) -> str:
    if given.isdecimal() and given.isascii() and 1 <= int(given) <= CATEGORY_COUNT:
        return category_of_index(int(given)).uri
    known = informatiecategorieen()
    found = resolve(known, given, None)
    if found is not None and found.concept is not None:
        if found.concept.uri != UNKNOWN_CATEGORY.uri:
            return found.concept.uri
        if normal_label(given) in (UNKNOWN_CATEGORY.label, UNKNOWN_CATEGORY.uri):
            return UNKNOWN_CATEGORY.uri
    raise ValueError(f"no category {given!r}: expected {_CATEGORIES}")


#: The values of the arguments for periods, for error messages.
_DAY = "a day, month or year such as 2025-12-31, 2025-12 or 2025"


def _since(value: Any) -> Any:
    """Return the moment at which a day, month or year begins, or the moment in a date-time, in UTC."""
    if not isinstance(value, str):
        return value
    with _expecting(_DAY, value):
        return parse_datetime(value)


def _until(value: Any, info: ValidationInfo) -> Any:
    """Return the moment at which a day, month or year ends, or the moment in a date-time, in UTC."""
    if not isinstance(value, str):
        return value
    with _expecting(_DAY, value):
        moment = parse_end(value).replace(microsecond=999_999)  # nothing lies between it and the next day
    if (since := info.data.get("since")) is not None and moment < since:
        raise ValueError(f"expected a day on or after that of since, got {value!r}")
    return moment


def _published(value: Any) -> Any:
    """Return the first and the last day of a period."""
    if not isinstance(value, str):
        return value
    first, dots, last = value.partition("..")
    with _expecting(f"{_DAY}, or two of them such as 2025-01..2025-06", value):
        begin, end = parse_datetime(first), parse_end(last if dots else first)
    if end < begin:
        raise ValueError(f"expected a period that begins before its end, got {value!r}")
    return day_of(begin), day_of(end)


@contextmanager
def _expecting(expected: str, given: str) -> Iterator[None]:
    """Turn a ValueError about a date into one that says what was expected."""
    try:
        yield
    except ValueError:
        raise ValueError(f"expected {expected}, got {given!r}") from None


#: Names that people try, and the argument that they mean.
_MEANT = {
    **dict.fromkeys(("gemeente", "organisatie", "bestuursorgaan", "publisher"), "organisation"),
    **dict.fromkeys(("host", "hosts", "url", "site", "start_urls"), "domains"),
    **dict.fromkeys(("categorie", "informatiecategorie", "infocat"), "categories"),
}

_Text = Annotated[str, BeforeValidator(_filled)]


class Arguments(BaseModel):
    """The arguments of every spider of the project."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    domains: Annotated[tuple[str, ...] | None, BeforeValidator(_hosts)] = None
    """Harvest only these hosts."""
    register_source: _Text | None = Field(default=None, alias="register")
    """Read this export of the ROO: a file or a URL."""
    shard: Annotated[tuple[int, int] | None, BeforeValidator(_shard)] = None
    """Harvest only the hosts of this shard, such as 2/8."""
    deltafetch_reset: bool = False
    """Delete the state of the hosts in this run first."""

    @property
    def is_over_register(self) -> bool:
        """True for a run over all that the register is about, or over a shard of that."""
        return True

    @property
    def is_choosing(self) -> bool:
        """True for a run that chooses some of the documents of its hosts only."""
        return False

    @property
    def is_filtered(self) -> bool:
        """True for a run that chooses hosts or documents: its report is not that of the day."""
        return self.domains is not None or self.is_choosing or not self.is_over_register

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Validate the arguments of a run. Raises :class:`ArgumentError` for the first invalid one.

        Names that begin with ``_`` are ignored: Scrapyd passes its job and version that way.
        """
        named = {name: value for name, value in given.items() if not name.startswith("_")}
        try:
            return cls.model_validate(named)
        except ValidationError as error:
            first = error.errors()[0]
            if not first["loc"]:
                raise ArgumentError("expected the name of an argument in UTF-8") from None
            raise ArgumentError(cls._explain(str(first["loc"][0]), first["type"], first["msg"])) from None

    @classmethod
    def _explain(cls, name: str, kind: str, message: str) -> str:
        if kind == "missing":
            return f"argument {name} is missing: expected {cls.model_fields[name].description}"
        if kind != "extra_forbidden":
            return f"argument {name}: {message.removeprefix('Value error, ')}"
        names = [field.alias or name for name, field in cls.model_fields.items()]
        meant = _MEANT.get(name.lower(), name)
        return f"unknown argument {name}: {suggestion(meant, names)}"

    @classmethod
    def help(cls) -> str:
        """Return a line for each argument: its name, and what it does."""
        lines = []
        for name, field in cls.model_fields.items():
            text = " ".join(str(field.description).replace("`", "").split())
            lines.append(f"  {field.alias or name:<18}{text}")
        return "\n".join(lines)


class WooArguments(Arguments):
    """The arguments of the spider ``woo``."""

    organisation: _Text | None = None
    """Harvest only the hosts of these organisations: TOOI URI, its code, systeemId or name, or a kind."""
    documents: DocumentsMode | None = None
    """Request each document (``download``), only its headers (``head``), or nothing (``none``)."""
    categories: Annotated[tuple[str, ...] | None, BeforeValidator(_categories)] = None
    """Harvest only documents of these informatiecategorieën: their URIs."""
    since: Annotated[datetime | None, BeforeValidator(_since)] = None
    """Harvest only documents with this lastmod or a newer one, in UTC."""
    until: Annotated[datetime | None, BeforeValidator(_until)] = None
    """Harvest only documents with this lastmod or an older one, in UTC."""
    published: Annotated[tuple[date, date] | None, BeforeValidator(_published)] = None
    """Harvest only documents whose own date is in this period: its first and its last day."""

    @property
    def is_over_register(self) -> bool:
        """True for a run over the hosts of all organisations in the register, or over a shard of those."""
        return self.domains is None and self.organisation is None

    @property
    def is_choosing(self) -> bool:
        """True if ``categories``, ``since``, ``until`` or ``published`` is given."""
        return self.choice is not None

    @property
    def choice(self) -> Choice | None:
        """What the run chooses of the entries; None for all of them."""
        categories = frozenset(self.categories) if self.categories else None
        choice = Choice(categories, self.since, self.until, self.published)
        return None if choice == Choice() else choice
