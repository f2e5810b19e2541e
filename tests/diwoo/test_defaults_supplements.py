from __future__ import annotations

import zlib
from random import Random

import pytest
from msgspec.structs import fields, replace

from woo_harvester.diwoo.defaults import CATEGORY_FIELD, fields_of, pack, supplement, unpack
from woo_harvester.diwoo.given import (
    Extra,
    ExtraField,
    GivenMetadata,
    Handling,
    Relation,
    Value,
)

VALUE, OTHER = Value("een", "https://a.nl/een"), Value("ander", None)

#: All that one entry can give.
FULL = GivenMetadata(
    has_diwoo=True,
    identifiers=["1"],
    publisher=VALUE,
    verantwoordelijke=VALUE,
    medeverantwoordelijken=[VALUE],
    opsteller=VALUE,
    naam_opsteller="Jansen",
    officiele_titel="Besluit",
    verkorte_titels=["Besl."],
    alternatieve_titels=["Beschikking"],
    omschrijvingen=["Over iets"],
    informatiecategorieen=[VALUE],
    documentsoorten=[VALUE],
    themas=[VALUE],
    trefwoorden=["water"],
    creatiedatum="2024-04-02",
    begindatum="2024-04-02",
    einddatum="2024-05-02",
    language=VALUE,
    format=VALUE,
    aggregatiekenmerk="dossier",
    is_part_of=VALUE,
    has_parts=[VALUE],
    handelingen=[Handling(VALUE, "2024-04-02T10:00:00", OTHER)],
    relaties=[Relation(VALUE, OTHER)],
    reden=VALUE,
    extra=[Extra("https://a.nl", "a", [ExtraField("sleutel", ["waarde"])])],
)
#: What an entry says of itself, and does not give.
NOT_GIVEN = {"has_diwoo", "has_mdto", "namespace", "unread", "outside", "doubled", "resource_elements"}
GIVEN = [one.name for one in fields(GivenMetadata) if one.name not in NOT_GIVEN]


def only(*names: str) -> GivenMetadata:
    """Return metadata with these fields."""
    return GivenMetadata(has_diwoo=True, **{name: getattr(FULL, name) for name in names})


@pytest.mark.parametrize("name", GIVEN)
def test_each_field_that_is_absent_comes_from_the_other_entry(name: str) -> None:
    without = replace(FULL, **{name: getattr(GivenMetadata(), name)})
    assert supplement(without, FULL) == (without if name in ("begindatum", "einddatum") else FULL)
    assert supplement(GivenMetadata(), only(name)) == only(name)
    assert fields_of(only(name)).bit_count() == 1


def test_a_field_that_is_given_stays() -> None:
    other = replace(FULL, officiele_titel="Ander", publisher=OTHER, themas=[OTHER])
    assert supplement(FULL, other) == FULL


def test_a_period_is_of_one_entry() -> None:
    assert supplement(only("begindatum"), only("einddatum")) == only("begindatum")
    assert supplement(only(), only("begindatum", "einddatum")) == only("begindatum", "einddatum")


def test_neither_entry_is_changed() -> None:
    one, other = only("officiele_titel"), only("themas")
    supplement(one, other)
    assert (one, other) == (only("officiele_titel"), only("themas"))


def test_an_entry_without_diwoo_is_read_as_that_of_the_other() -> None:
    other = replace(only("themas"), namespace="https://a.nl/ns")
    found = supplement(GivenMetadata(has_mdto=True, unread=["x"]), other)
    assert (found.has_diwoo, found.has_mdto, found.namespace) == (True, True, "https://a.nl/ns")
    assert found.unread == ["x"]
    assert supplement(only("themas"), other).namespace is None


def test_the_bits_are_those_that_states_have() -> None:
    assert fields_of(GivenMetadata()) == 0
    assert fields_of(FULL) == 2**25 - 1
    assert fields_of(only("identifiers")) == 1
    assert fields_of(only("informatiecategorieen")) == CATEGORY_FIELD == 2**10
    assert fields_of(only("extra")) == 2**24


def test_metadata_come_back_as_they_were_packed() -> None:
    for given in (FULL, GivenMetadata(), only("extra"), GivenMetadata(has_mdto=True, unread=["x"])):
        packed = pack(given)
        assert packed is not None
        assert unpack(packed) == given


def test_what_earlier_versions_packed_is_read_and_packed_in_the_same_form() -> None:
    text = (
        '{"has_diwoo":true,"identifiers":["1"],"publisher":["A",null],"themas":[[null,"urn:x"]],'
        '"handelingen":[[["b","u"],"2024",null]],"relaties":[[null,["c",null]]],'
        '"extra":[{"namespace":"ns","fields":[["k",["é"]]]}],"unread":["x"]}'
    )
    given = unpack(zlib.compress(text.encode()))
    assert given == GivenMetadata(
        has_diwoo=True,
        identifiers=["1"],
        publisher=Value("A", None),
        themas=[Value(None, "urn:x")],
        handelingen=[Handling(Value("b", "u"), "2024", None)],
        relaties=[Relation(None, Value("c", None))],
        extra=[Extra("ns", None, [ExtraField("k", ["é"])])],
        unread=["x"],
    )
    assert zlib.decompress(pack(given) or b"").decode() == text


def test_metadata_that_stay_too_large_are_not_packed() -> None:
    text = Random(1).randbytes(70_000).hex()
    assert pack(GivenMetadata(omschrijvingen=[text])) is None
    assert pack(GivenMetadata(omschrijvingen=["a" * 1_000_000])) is not None


def test_what_another_version_of_the_program_packed_gives_nothing() -> None:
    assert unpack(zlib.compress(b'{"identifiers": 5}')) == GivenMetadata()
