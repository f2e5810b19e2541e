"""Which hosts a run visits: those of the register, narrowed by the spider's arguments."""

from __future__ import annotations

from woo_harvester.arguments import ArgumentError, WooArguments
from woo_harvester.findings import Reporter
from woo_harvester.register import Register
from woo_harvester.register.shards import shard_of


def select_hosts(
    register: Register, arguments: WooArguments, report: Reporter
) -> tuple[Register, tuple[str, ...]]:
    """The register as this run sees it, and the hosts to visit.

    Hosts in ``domains`` count as registered for this run, with the finding ``register.domein-ontbreekt`` for
    one that is not. Raises :class:`ArgumentError` for a body that the register does not have, and where the
    arguments together leave no host.
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
    """The register in which these hosts count as registered, with a finding for one that is not."""
    for host in domains:
        if not register.is_registered(host):
            report("register.domein-ontbreekt", host=host, url=f"https://{host}/")
    return register.with_domains(domains)


def _hosts_of(register: Register, key: str) -> tuple[str, ...]:
    try:
        body = register.find(key)
    except ValueError as error:
        raise ArgumentError(f"argument organisation: {error}") from None
    if body is None:
        expected = "TOOI URI, its code, systeemId or exact name"
        raise ArgumentError(f"argument organisation: no body {key!r} in the register ({expected})")
    hosts = register.hosts_of(body)
    if not hosts:
        raise ArgumentError(f"argument organisation: {body.name} has registered no location in the Woo-index")
    return hosts
