"""The arguments of the spiders, checked before anything is done with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from woo_harvester.hints import hint
from woo_harvester.urls import host_of

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
    number, slash, total = value.partition("/")
    try:
        shard = (int(number), int(total))
    except ValueError:
        shard = (0, 0)
    if not slash or not 1 <= shard[0] <= shard[1]:
        raise ValueError(f"expected a shard such as 2/8 (the second of eight), got {value!r}")
    return shard


def _filled(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise ValueError("expected a value, got an empty text")
    return value


Text = Annotated[str, BeforeValidator(_filled)]


class WooArguments(BaseModel):
    """What may stand behind ``-a`` for the spider ``woo``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    domains: Annotated[tuple[str, ...] | None, BeforeValidator(_hosts)] = None
    """Only these hosts."""
    organisation: Text | None = None
    """Only the hosts of this body: TOOI URI, its code, systeemId or exact name."""
    register_source: Text | None = Field(default=None, alias="register")
    """The argument ``register``, a name that pydantic's own class has: the ROO export, file or URL."""
    documents: DocumentsMode | None = None
    """What happens to each document."""
    shard: Annotated[tuple[int, int] | None, BeforeValidator(_shard)] = None
    """Number of this shard, and of how many."""
    deltafetch_reset: bool = False
    """Forget the state of the hosts in this run first."""


def read_arguments(given: Mapping[str, Any]) -> WooArguments:
    """Check the arguments of a run. Raises :class:`ArgumentError` for the first that makes no sense.

    Names that begin with ``_`` are left alone: Scrapyd passes its job and version that way.
    """
    named = {name: value for name, value in given.items() if not name.startswith("_")}
    try:
        return WooArguments.model_validate(named)
    except ValidationError as error:
        first = error.errors()[0]
        raise ArgumentError(_explain(str(first["loc"][0]), first["type"], first["msg"])) from None


def _explain(name: str, kind: str, message: str) -> str:
    if kind != "extra_forbidden":
        return f"argument {name}: {message.removeprefix('Value error, ')}"
    names = [field.alias or name for name, field in WooArguments.model_fields.items()]
    return f"unknown argument {name}: {hint(name, names)}"
