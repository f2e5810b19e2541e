"""The three fictional publishers, their register and their certificates, started together."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Self

from woo_harvester.demo import exemplary, huge, mistaken
from woo_harvester.demo.certificates import Authority, Certificate
from woo_harvester.demo.register import register_xml
from woo_harvester.demo.site import Site

#: Documents of the huge publisher.
_HUGE = 3000


class Demo:
    """The servers of the publishers. Their register and certificates are written to a folder.

    ::

        with Demo(folder) as demo:
            demo.register_path   # for -a register=
            demo.ca_path         # for SSL_CERT_FILE
            demo.hosts           # the hosts in the register
    """

    def __init__(self, folder: Path, *, documents: int = _HUGE) -> None:
        self.authority = authority = Authority()
        self.exemplary = Site(authority)
        self.mistaken = Site(authority)
        self.huge = Site(authority)
        self.expired = Site(authority, certificate=Certificate.EXPIRED)
        self._without_robots = Site(authority)
        self._without_index = Site(authority, mistaken.pages_without_index())
        self._refused = Site(authority, mistaken.pages_refused())
        self.exemplary.pages.update(exemplary.pages(self.exemplary))
        self.mistaken.pages.update(mistaken.pages(self.mistaken))
        self.huge.pages.update(huge.pages(self.huge, documents))
        self._stack = ExitStack()
        self.ca_path = authority.write_bundle(folder / "demo-ca.pem")
        self.register_path = folder / "demo-register.xml"
        self.register_path.write_text(self._register(), encoding="utf-8")

    @property
    def sites(self) -> list[Site]:
        """All sites in the register."""
        return [self.exemplary, self.mistaken, *self._broken, self.huge]

    @property
    def hosts(self) -> list[str]:
        """The hosts in the register, each with its port."""
        return [site.host for site in self.sites]

    def expected_codes(self) -> frozenset[str]:
        """Return the codes of all findings that a harvest of all hosts gives, with ``documents=download``."""
        of_hosts = {"robots.ontbreekt", "robots.onbereikbaar", "robots.geen-diwoo-index", "robots.te-groot"}
        return mistaken.expected_codes(self.mistaken) | of_hosts | {"tls.ongeldig", "register.url-ongeldig"}

    def __enter__(self) -> Self:
        for site in self.sites:
            self._stack.enter_context(site)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def _broken(self) -> list[Site]:
        """The other hosts of the publisher with mistakes, from which nothing can be harvested."""
        return [self.expired, self._without_robots, self._without_index, self._refused]

    def _register(self) -> str:
        return register_xml(
            [
                exemplary.registered(self.exemplary),
                *mistaken.registered(self.mistaken, self._broken),
                huge.registered(self.huge),
            ]
        )
