from __future__ import annotations

import asyncio

import pytest
from aiohttp.helpers import is_ip_address
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.downloader.connections import (
    PrivateAddressError,
    PrivateResolver,
    Resolver,
    is_public,
    private_literal,
)


@pytest.mark.parametrize(
    "address",
    [
        *("145.100.190.243", "8.8.8.8", "192.0.1.1", "192.88.98.1", "223.255.255.255"),
        *("2001:4860:4860::8888", "2000::1", "2001:200::1", "2a02:1::1", "3ffe::1", "3fff:1000::1"),
        *("::ffff:8.8.8.8", "64:ff9b::808:808"),
    ],
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
        pytest.param("2002:808:808::1", id="6to4, also of a public address"),
        pytest.param("2001:0:7f00:1::", id="Teredo"),
        pytest.param("2001:0:808:808::", id="Teredo, also of a public server"),
        pytest.param("2001:1::1", id="protocol assignments of IPv6"),
        pytest.param("2001:2::1", id="benchmarks of IPv6"),
        pytest.param("2001:20::1", id="hashes that look like an address"),
        pytest.param("2001:1ff:ffff::1", id="the last of the protocol assignments"),
        pytest.param("::8.8.8.8", id="the old way of IPv4 in IPv6, also of a public address"),
        pytest.param("::ffff:0:7f00:1", id="loopback, translated (SIIT)"),
        pytest.param("::ffff:0:808:808", id="translated (SIIT), also of a public address"),
        pytest.param("64:ff9b:1::808:808", id="local NAT64, also of a public address"),
        pytest.param("64:ff9b::c000:1", id="protocol assignments behind NAT64"),
        pytest.param("fec0::1", id="site-local"),
        pytest.param("feff::1", id="the last of site-local"),
        pytest.param("fe00::1", id="nobody's, before link-local"),
        pytest.param("5f00::1", id="segment routing"),
        pytest.param("4000::1", id="nobody's, after what is given out"),
        pytest.param("1fff::1", id="nobody's, before what is given out"),
        pytest.param("100::1", id="discarded"),
        pytest.param("100:0:0:1::1", id="dummy"),
        pytest.param("200::1", id="given back"),
        pytest.param("3fff::1", id="documentation of IPv6, the newer"),
        pytest.param("3fff:fff::1", id="the last of the newer documentation"),
        pytest.param("2a02:1::1%eth0", id="public with a zone"),
        pytest.param("::ffff:8.8.8.8%1", id="mapped with a zone"),
        pytest.param("0.1.2.3", id="this network"),
        pytest.param("192.0.0.1", id="protocol assignments"),
        pytest.param("192.0.0.9", id="protocol assignments, one that is global for some"),
        pytest.param("192.88.99.1", id="relay of 6to4"),
        pytest.param("198.18.0.1", id="benchmarks"),
        pytest.param("198.19.255.255", id="the last of the benchmarks"),
        pytest.param("198.51.100.1", id="documentation, the second"),
        pytest.param("203.0.113.1", id="documentation, the third"),
        pytest.param("100.127.255.255", id="the last of carrier-grade NAT"),
        pytest.param("255.255.255.254", id="the last but broadcast"),
    ],
)
def test_other_addresses_may_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "10.0.0.8", "[::1]", "::1", "169.254.169.254", "[::ffff:7f00:1]"),
        *("2130706433", "127.1", "0177.0.0.1", "0x7f000001", "0x7F.1", "127.0.0.1.", "017700000001"),
        *("[::ffff:0:7f00:1]", "[fec0::1]", "[4000::1]", "[2a02:1::1%25eth0]", "[v1.fe80::1]", "1.2.3.4.5"),
        *("\uff11\uff12\uff17.0.0.1", "\u00b9\u00b2\u2077.0.0.1", "8.8.8.8:53", "..1"),
    ],
)
def test_a_host_that_is_itself_a_private_address_is_known_without_asking(host: str) -> None:
    assert private_literal(host)


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "[2001:4860:4860::8888]", "www.a.nl", "localhost", "", "112.nl", "0x.nl", "a.b.1x"]
)
def test_names_and_public_addresses_are_judged_later_or_fine(host: str) -> None:
    assert not private_literal(host)


@given(st.from_regex(r"[0-9a-fA-FxX.:%\[\]v\uff11²]{1,20}", fullmatch=True))
def test_what_is_connected_to_without_asking_the_resolver_is_a_public_address(host: str) -> None:
    if is_ip_address(host) and not private_literal(host):
        assert is_public(host.strip("[]"))


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
