"""The data of the register: organisations, and the locations where each publishes its documents."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Organisation:
    """One organisation in the Register van Overheidsorganisaties (ROO)."""

    system_id: str
    """The register's own number, ``systeemId``; every organisation has one."""
    name: str
    uri: str | None = None
    """The TOOI URI; many organisations have none."""
    kind: str | None = field(default=None, compare=False)
    """The kind of organisation as the register names it, such as ``Gemeente``."""

    @property
    def identifier(self) -> str:
        """The identifier in records and findings: the TOOI URI, else the systeemId."""
        return self.uri or self.system_id


@dataclass(frozen=True, slots=True)
class Location:
    """One ``documentLocatie``: a URL in the Woo-index where an organisation publishes its documents."""

    organisation: Organisation
    url: str
    """The absolute URL, with the scheme https and the host as ``urls.host_of`` writes it."""
    category: str | None = None
    """URI of the informatiecategorie of its documents; None for "Andere documenten", or if it is unknown."""


@dataclass(frozen=True, slots=True)
class RegisteredUrl:
    """A URL that one location or more have."""

    url: str
    categories: frozenset[str]
    """URIs of the informatiecategorieën that it is registered for; empty if any category may be there."""


@dataclass(frozen=True, slots=True)
class Match:
    """The organisation of a URL, according to the register."""

    organisation: Organisation | None = None
    """None if the register has no organisation for the URL, or more than one."""
    candidates: tuple[Organisation, ...] = ()
    """The organisations that the URL may belong to, if there is more than one; else empty."""
    registered: RegisteredUrl | None = field(default=None, compare=False, repr=False)
    """The longest registered URL that is a prefix of the URL; None if there is none."""
