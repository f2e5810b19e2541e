"""The arguments of the spiders, checked before anything is done with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from woo_harvester.register.shards import parse_shard
from woo_harvester.urls import host_of, loc_problem, secured

DocumentsMode = Literal["download", "head", "none"]


class ArgumentError(ValueError):
    """An argument that makes no sense; the message is one line that says what was expected."""


def _hosts(value: Any) -> Any:
    """Hosts, host:port or URLs, with commas between."""
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
    if not isinstance(value, str):
        return value
    return parse_shard(value)


def _filled(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise ValueError("expected a value, got an empty text")
    return value


#: What the argument ``entries`` may hold.
_ENTRIES = "URLs of entry pages with commas between, or a CSV file with the columns organisatie,url"


def _entries(value: Any) -> Any:
    """URLs with commas between, or the path of a file."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text.lower().startswith(("http://", "https://")):
        with suppress(OSError):  # a name that no file can have
            if text and Path(text).is_file():
                return Path(text)
        raise ValueError(f"expected {_ENTRIES}; there is no file {text!r}")
    urls = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for url in urls:
        if problem := page_problem(url):
            raise ValueError(f"{problem} (a URL that holds a comma must stand in a CSV file)")
    return urls


def page_problem(url: str) -> str | None:
    """Why *url* cannot be an entry page, or None: it must be a whole http or https URL without a password."""
    return f"expected the URL of an entry page, got {url!r}" if loc_problem(secured(url)) else None


_Text = Annotated[str, BeforeValidator(_filled)]


class Arguments(BaseModel):
    """What may stand behind ``-a`` for every spider of the project."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    domains: Annotated[tuple[str, ...] | None, BeforeValidator(_hosts)] = None
    """Only these hosts."""
    register_source: _Text | None = Field(default=None, alias="register")
    """The argument ``register``, a name that pydantic's own class has: the ROO export, file or URL."""
    shard: Annotated[tuple[int, int] | None, BeforeValidator(_shard)] = None
    """Number of this shard, and of how many."""
    deltafetch_reset: bool = False
    """Forget the state of the hosts in this run first."""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Check the arguments of a run. Raises :class:`ArgumentError` for the first that makes no sense.

        Names that begin with ``_`` are left alone: Scrapyd passes its job and version that way.
        """
        named = {name: value for name, value in given.items() if not name.startswith("_")}
        try:
            return cls.model_validate(named)
        except ValidationError as error:
            first = error.errors()[0]
            raise ArgumentError(cls._explain(str(first["loc"][0]), first["type"], first["msg"])) from None

    @classmethod
    def _explain(cls, name: str, kind: str, message: str) -> str:
        if kind == "missing":
            return f"argument {name} is missing: expected {cls.model_fields[name].description}"
        if kind != "extra_forbidden":
            return f"argument {name}: {message.removeprefix('Value error, ')}"
        names = [field.alias or name for name, field in cls.model_fields.items()]
        return f"unknown argument {name}: {suggestion(name, names)}"


class WooArguments(Arguments):
    """What may stand behind ``-a`` for the spider ``woo``."""

    organisation: _Text | None = None
    """Only the hosts of this body: TOOI URI, its code, systeemId or exact name."""
    documents: DocumentsMode | None = None
    """What happens to each document."""


class PermitArguments(Arguments):
    """What may stand behind ``-a`` for the spider ``vergunningen``."""

    entries: Annotated[tuple[str, ...] | Path, BeforeValidator(_entries)] = Field(description=_ENTRIES)
    """URLs of entry pages, or the path of a CSV file that names them."""


def suggestion(given: str, names: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return a suggestion for a misspelt name, such as ``did you mean --json?``; without one, list *names*.

    *others* are names that may be meant too, but are too many to list.
    """
    known = list(names)
    close = get_close_matches(given, [*known, *others], n=1)
    return f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
