"""An internet of its own: a run in network and mount namespaces where names and addresses are the test's.

::

    python -m tests.utils.internet FOLDER

Runs as the only program in the namespaces, and prints what it found as JSON. In it there are a public
address with a publisher, private ones with a server that nobody may reach, and a name server.
"""

from __future__ import annotations

import json
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, skip_or_fail
from tests.utils.command import run_scrapy
from tests.utils.publishers import publish
from tests.utils.sites import write_register
from woo_harvester.demo.server import Authority, Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf

PORT = 8443
PUBLIC = "145.100.190.243"
PRIVATE = ("10.0.0.1", "127.0.0.1", "fd00::1", "::1")
#: What the name server answers, first and from then on.
NAMES: dict[str, tuple[list[str], list[str]]] = {
    "publiek": ([PUBLIC], [PUBLIC]),
    "tien": (["10.0.0.1"], ["10.0.0.1"]),
    "lus": (["127.0.0.1"], ["127.0.0.1"]),
    "zes": (["fd00::1"], ["fd00::1"]),
    "zes-lus": (["::1"], ["::1"]),
    "gemengd": (["10.0.0.1", PUBLIC], ["10.0.0.1", PUBLIC]),
    "wisselt": ([PUBLIC], ["127.0.0.1"]),
}
#: Names without an address: the code with which the name server answers (RFC 1035, 4.1.1).
NAMELESS = {"leeg": 0, "stuk": 2, "bestaat-niet": 3}
A, AAAA = 1, 28


class PlacedSite(Site):
    """A site at an address."""

    def __init__(self, authority: Authority, name: str, address: str) -> None:
        super().__init__(authority, name=f"{name}.localhost")
        self._tls = authority.server_context(names=[f"{name}.localhost" for name in NAMES])
        self._socket.close()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.create_server((address, PORT), family=family)
        self.port = PORT


def host(name: str) -> str:
    """Return the host of a name, as in a register."""
    return f"{name}.localhost:{PORT}"


@contextmanager
def name_server() -> Iterator[list[str]]:
    """Answer on 127.0.0.1:53; give the list of names for whose IPv4 address it was asked."""
    asked: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 53))

        def serve() -> None:
            while True:
                query, client = sock.recvfrom(512)
                sock.sendto(_answer(query, asked), client)

        threading.Thread(target=serve, daemon=True).start()
        yield asked


def _answer(query: bytes, asked: list[str]) -> bytes:
    """RFC 1035, 4: the question again, and an address record for each address of its family."""
    end = query.index(b"\0", 12) + 5
    name = query[13 : 13 + query[12]].decode().lower()
    (kind,) = struct.unpack("!H", query[end - 4 : end - 2])
    first, later = NAMES.get(name, ([], []))
    addresses = [ip_address(given) for given in (later if name in asked else first)]
    if kind == A:
        asked.append(name)
    version = {A: 4, AAAA: 6}.get(kind)
    found = [address.packed for address in addresses if address.version == version]
    records = b"".join(struct.pack("!HHHIH", 0xC00C, kind, 1, 0, len(packed)) + packed for packed in found)
    flags = 0x8180 | NAMELESS.get(name, 0)
    return query[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0) + query[12:end] + records


def run(folder: Path) -> dict[str, Any]:
    """Harvest the publisher, whose documents redirect to each of the other names."""
    authority = Authority()
    bundle = authority.write_bundle(folder / "ca.pem")
    with ExitStack() as stack:
        publisher = stack.enter_context(PlacedSite(authority, "publiek", PUBLIC))
        inner = [stack.enter_context(PlacedSite(authority, "binnen", address)) for address in PRIVATE]
        for site in inner:
            site.pages["*"] = Page(pdf("geheim"), content_type="application/pdf")
        asked = stack.enter_context(name_server())
        others = [name for name in NAMES if name != "publiek"]
        publish(publisher, *(f"/naar-{name}.pdf" for name in others), "/a.pdf")
        publisher.pages |= {f"/naar-{name}.pdf": redirect(f"https://{host(name)}/a.pdf") for name in others}
        publisher.pages["/a.pdf"] = Page(pdf("Besluit"))
        names = (*NAMES, *NAMELESS)
        register = write_register(folder / "roo.xml", {name: [f"https://{host(name)}/"] for name in names})
        # The name that changes is only redirected to: one request, for which one answer must do.
        visited = ",".join(host(name) for name in names if name != "wisselt")
        arguments = (f"register={register}", f"domains={visited}", "documents=download")
        done = run_scrapy(
            ["crawl", "woo", *(part for each in arguments for part in ("-a", each))],
            folder,
            bundle,
            settings={"WOO_ALLOW_PRIVATE_HOSTS": 0, "ROBOTSTXT_OBEY": 0},
            fresh=True,
        )
        return {
            "status": done.returncode,
            "stderr": done.stderr,
            "locs": done.locs,
            "findings": done.findings,
            "inner": [request.target for site in inner for request in site.requests],
            "asked": asked,
        }


def in_namespaces(folder: Path) -> dict[str, Any]:
    """Return what :func:`run` finds; skip the test where the namespaces cannot be made."""
    for tool in ("unshare", "ip", "mount"):
        if shutil.which(tool) is None:
            skip_or_fail(f"needs the command {tool}")
    (folder / "hosts").write_text("")
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions ndots:0\n")
    (folder / "nsswitch.conf").write_text("hosts: files dns\n")
    script = " && ".join(
        [
            *(
                f"mount --bind {folder}/{name} /etc/{name}"
                for name in ("hosts", "resolv.conf", "nsswitch.conf")
            ),
            "ip link set lo up",
            *(
                f"ip address add {address} dev lo"
                for address in (PUBLIC, "2a02:1::1", *PRIVATE)
                if address not in ("127.0.0.1", "::1")
            ),
        ]
    )
    prepared = ["unshare", "--net", "--mount", "sh", "-c", f'{script} && echo ready && exec "$@"', "sh"]
    done = subprocess.run(
        [*prepared, sys.executable, "-m", "tests.utils.internet", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if not done.stdout.startswith("ready"):
        skip_or_fail(f"needs the right to make namespaces ({done.stderr.strip()})")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.removeprefix("ready"))
    return found


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]))))
