from __future__ import annotations

import socket

import pytest

from woo_harvester.utils.offline import is_offline


class Probe(socket.socket):
    """A socket of a machine without a route."""

    def connect(self, address: object) -> None:
        raise OSError(101, "Network is unreachable")


class Routed(Probe):
    def connect(self, address: object) -> None:
        pass


@pytest.mark.parametrize(
    ("probe", "error", "expected"),
    [
        (Probe, None, True),
        (Routed, None, False),
        (Routed, socket.EAI_AGAIN, True),
        (Routed, socket.EAI_NONAME, False),
    ],
)
def test_without_a_route_or_a_name_server_the_machine_is_offline(
    monkeypatch: pytest.MonkeyPatch, probe: type[socket.socket], error: int | None, expected: bool
) -> None:
    def look_up(*args: object) -> list[object]:
        if error is not None:
            raise socket.gaierror(error, "no")
        return []

    monkeypatch.setattr(socket, "socket", probe)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert is_offline() is expected
