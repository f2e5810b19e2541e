"""The model of coverage in ``report.json``: the parts of the register from which nothing is harvested."""

from __future__ import annotations

from typing import Literal, get_args

from woo_harvester.report.model_base import OrganisationRef, ReportModel

HostGapKind = Literal["no_robots", "no_index", "dead"]
GapKind = Literal["no_location", "no_robots", "no_index", "dead"]
#: All kinds of gap, in the order of the page.
GAP_KINDS: tuple[GapKind, ...] = get_args(GapKind)


class RegisteredOrganisation(OrganisationRef):
    """An organisation in the register."""

    system_id: str
    """Its ``systeemId``."""
    kind: str | None
    """The kind of organisation as the register names it, such as ``Gemeente``."""


class OrganisationGap(RegisteredOrganisation):
    """An organisation without a location."""

    since: str | None
    """The first of the runs in a row that found it, ISO 8601; null if earlier runs are not known."""


class OrganisationOnHost(RegisteredOrganisation):
    """An organisation that registered a location on a host."""

    locations: list[str]
    """The URLs that it registered there."""


class HostGap(ReportModel):
    """A registered host from which no sitemap could be read."""

    host: str
    organisations: list[OrganisationOnHost]
    code: str
    """Code of the finding that says why."""
    seen: str | None
    since: str | None
    """The first of the runs in a row that found it, ISO 8601; null if earlier runs are not known."""


class KindCoverage(ReportModel):
    """The organisations of one kind."""

    kind: str | None
    organisations: int
    with_location: int
    """Those that have registered a location."""


class Coverage(ReportModel):
    """The organisations and hosts of the whole register, and those of which nothing can be harvested."""

    organisations: int
    with_location: int
    hosts: int
    hosts_not_reached: int
    """Hosts of which nothing is known, because the run ended before, or by a fault on our own side."""
    kinds: list[KindCoverage]
    """The largest first."""
    no_location: list[OrganisationGap]
    """Organisations that registered no usable location, by name."""
    no_robots: list[HostGap]
    """Hosts that answer, but give no robots.txt that can be read, by host."""
    no_index: list[HostGap]
    """Hosts whose robots.txt names no sitemap index that can be read, by host."""
    dead: list[HostGap]
    """Hosts that do not exist, do not answer, or not with a valid certificate, by host."""

    @property
    def is_dated(self) -> bool:
        """True if earlier runs are known, so that each gap has a date since when it is there."""
        hosts = (*self.no_robots, *self.no_index, *self.dead)
        return any(gap.since for gap in hosts) or any(one.since for one in self.no_location)

    def hosts_of(self, kind: HostGapKind) -> list[HostGap]:
        """Return the hosts with this kind of gap."""
        return {"no_robots": self.no_robots, "no_index": self.no_index, "dead": self.dead}[kind]
