from __future__ import annotations

import asyncio

import pytest

from woo_harvester.handlers.addresses import (
    PrivateAddressError,
    PrivateResolver,
    Resolver,
    is_public,
    private_literal,
)


@pytest.mark.parametrize(
    "address",
    ["145.100.190.243", "8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_addresses_of_the_public_internet_may_be_visited(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("127.0.0.1", id="loopback"),
        pytest.param("127.255.0.9", id="the whole of loopback"),
        pytest.param("::1", id="loopback of IPv6"),
        pytest.param("10.1.2.3", id="private, 10/8"),
        pytest.param("172.16.0.1", id="private, 172.16/12"),
        pytest.param("192.168.1.1", id="private, 192.168/16"),
        pytest.param("fd00::1", id="unique local"),
        pytest.param("169.254.1.1", id="link-local"),
        pytest.param("169.254.169.254", id="metadata of a cloud machine"),
        pytest.param("fd00:ec2::254", id="metadata of a cloud machine, IPv6"),
        pytest.param("fe80::1", id="link-local of IPv6"),
        pytest.param("fe80::1%eth0", id="link-local with a zone"),
        pytest.param("100.64.0.1", id="carrier-grade NAT"),
        pytest.param("0.0.0.0", id="this host"),
        pytest.param("::", id="unspecified"),
        pytest.param("255.255.255.255", id="broadcast"),
        pytest.param("224.0.0.1", id="multicast"),
        pytest.param("239.1.2.3", id="multicast within an organisation"),
        pytest.param("ff02::1", id="multicast of IPv6"),
        pytest.param("ff0e::1", id="global multicast of IPv6"),
        pytest.param("240.0.0.1", id="reserved"),
        pytest.param("192.0.2.1", id="documentation"),
        pytest.param("2001:db8::1", id="documentation of IPv6"),
        pytest.param("::ffff:127.0.0.1", id="loopback, mapped"),
        pytest.param("::ffff:169.254.169.254", id="metadata, mapped"),
        pytest.param("::ffff:10.0.0.1", id="private, mapped"),
        pytest.param("64:ff9b::7f00:1", id="loopback behind NAT64"),
        pytest.param("64:ff9b::a9fe:a9fe", id="metadata behind NAT64"),
        pytest.param("64:ff9b:1::a00:1", id="private behind local NAT64"),
        pytest.param("::127.0.0.1", id="loopback, the old way of IPv4 in IPv6"),
        pytest.param("2002:7f00:1::", id="loopback by 6to4"),
        pytest.param("2002:a9fe:a9fe::1", id="metadata by 6to4"),
        pytest.param("2001:0:7f00:1::", id="Teredo"),
    ],
)
def test_other_addresses_may_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "10.0.0.8", "[::1]", "::1", "169.254.169.254", "[::ffff:7f00:1]"),
        *("2130706433", "127.1", "0177.0.0.1", "0x7f000001", "0x7F.1", "127.0.0.1."),
    ],
)
def test_a_host_that_is_itself_a_private_address_is_known_without_asking(host: str) -> None:
    assert private_literal(host)


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "[2001:4860:4860::8888]", "www.a.nl", "localhost", "", "112.nl", "0x.nl", "1.2.3.4.5"]
)
def test_names_and_public_addresses_are_judged_later_or_fine(host: str) -> None:
    assert not private_literal(host)


def resolve(host: str) -> list[str]:
    async def run() -> list[str]:
        resolver = Resolver(public_only=True)
        try:
            return [result["host"] for result in await resolver.resolve(host, 443)]
        finally:
            await resolver.close()

    return asyncio.run(run())


def test_a_name_with_private_addresses_only_is_refused_with_the_address() -> None:
    with pytest.raises(PrivateAddressError, match=r"^127\.0\.0\.1$"):
        resolve("localhost")


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1"])
def test_an_address_in_disguise_is_judged_by_what_it_means(host: str) -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1|not known|resolve"):
        resolve(host)


def test_a_public_address_is_resolved_to_itself() -> None:
    assert resolve("8.8.8.8") == ["8.8.8.8"]


def test_a_resolver_of_hosts_that_may_be_private_notes_those_that_are() -> None:
    async def resolve() -> tuple[list[str], set[str]]:
        resolver = PrivateResolver()
        try:
            found = await resolver.resolve("localhost", 443)
        finally:
            await resolver.close()
        return [result["host"] for result in found], resolver.private_names

    addresses, names = asyncio.run(resolve())
    assert "127.0.0.1" in addresses
    assert names == {"localhost"}
