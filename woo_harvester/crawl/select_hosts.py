"""Selects the hosts that a run visits: those of the register, narrowed by the spider's arguments."""

from __future__ import annotations

import logging
from itertools import chain

from woo_harvester.arguments import ArgumentError, WooArguments
from woo_harvester.findings import Reporter
from woo_harvester.register import Register
from woo_harvester.register.choose import find_organisations
from woo_harvester.register.shards import shard_of

logger = logging.getLogger(__name__)

#: Most organisations without a location that are named.
_NAMED = 5


def select_hosts(
    register: Register, arguments: WooArguments, report: Reporter
) -> tuple[Register, tuple[str, ...]]:
    """Return the register as this run sees it, and the hosts to visit.

    Hosts in ``domains`` count as registered for this run. Reports ``register.domein-ontbreekt`` for those
    that are not. Raises :class:`ArgumentError` for an organisation that the register does not have, and if
    the arguments together leave no host.
    """
    hosts = register.hosts
    if arguments.organisation:
        hosts = _hosts_of(register, arguments.organisation)
    if arguments.domains:
        narrowed = set(arguments.domains).intersection(hosts) if arguments.organisation else arguments.domains
        hosts = tuple(host for host in arguments.domains if host in narrowed)
        register = with_domains(register, arguments.domains, report)
    if not hosts:
        raise ArgumentError("no host is left: domains and organisation have none in common")
    if arguments.shard:
        number, total = arguments.shard
        hosts = tuple(host for host in hosts if shard_of(host, total) == number)
    return register, hosts


def with_domains(register: Register, domains: tuple[str, ...], report: Reporter) -> Register:
    """Return the register with these hosts added; report each that it did not have."""
    for host in domains:
        if not register.is_registered(host):
            report("register.domein-ontbreekt", host=host, url=f"https://{host}/")
    return register.with_domains(domains)


def _hosts_of(register: Register, key: str) -> tuple[str, ...]:
    """Return the hosts of the organisations that *key* names, in alphabetical order."""
    try:
        organisations = find_organisations(register, key)
    except ValueError as error:
        raise ArgumentError(f"argument organisation: {error}") from None
    hosts = {organisation: register.hosts_of(organisation) for organisation in organisations}
    if not any(hosts.values()):
        several = f"none of these {len(organisations)} organisations has registered a location"
        one = f"{organisations[0].name} has registered no location"
        what = one if len(organisations) == 1 else several
        raise ArgumentError(f"argument organisation: {what} in the Woo-index")
    if without := [organisation.name for organisation in organisations if not hosts[organisation]]:
        more = f" and {len(without) - _NAMED} more" if len(without) > _NAMED else ""
        names = ", ".join(without[:_NAMED]) + more
        logger.warning("Without a registered location in the Woo-index, so not visited: %s", names)
    return tuple(sorted(set(chain(*hosts.values()))))
