"""What the register tells: bodies, and where each publishes its documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Organisation:
    """One public body in the Register van Overheidsorganisaties (ROO)."""

    system_id: str
    """The register's own number, ``systeemId``; every body has one."""
    name: str
    uri: str | None = None
    """The TOOI URI; many bodies have none."""

    @property
    def identifier(self) -> str:
        """What records and findings name the body by: its TOOI URI, else its systeemId."""
        return self.uri or self.system_id


@dataclass(frozen=True, slots=True)
class Location:
    """One ``documentLocatie``: a place in the Woo-index where a body says that it publishes."""

    organisation: Organisation
    url: str
    """Absolute, with the scheme https and the host as ``urls.host_of`` writes it."""
    informatiecategorie: str | None = None
    """One of the 17 labels or "Andere documenten", as given."""


@dataclass(frozen=True, slots=True)
class Match:
    """Whose a URL is by the register."""

    organisation: Organisation | None = None
    """None where the register does not tell, or not which of several."""
    candidates: tuple[Organisation, ...] = ()
    """The bodies between which the register does not decide; empty where the organisation is known, and where
    the register has no body for the URL at all."""
