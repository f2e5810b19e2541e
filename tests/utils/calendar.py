"""Stories of publishers that share the days of one installation.

A story is a test that yields where the harvester comes by, and gets what that run gave for its own hosts::

    calendar = Calendar(Harvester)

    @calendar.story
    def test_what_is_gone_is_withdrawn(site: Site) -> Story:
        publish(site, {"a": FIRST, "b": FIRST})

Yield:
        publish(site, {"a": FIRST})
        second_day = yield
        assert causes(second_day) == {"b": "intrekking"}

State and guards are per host. Therefore one run a day is enough for all stories of a calendar, also if they
are in several modules. The hosts of a story are harvested up to its last day. Between two days a story may
harvest its own hosts with other settings.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, get_type_hints
from urllib.parse import urlsplit

import pytest

from tests.utils.command import Line, Run
from tests.utils.hostile import RawSite
from woo_harvester.demo.server import Authority, LoopbackServer

Story = Generator[None, Run, None]
"""Yields at the end of each day, and is sent that day's run without what it gave for other stories' hosts."""


class Installation(Protocol):
    """What harvests each day."""

    sites: list[Any]
    """The hosts that are harvested; a story may take its own out."""

    def day(self, *args: str, **settings: object) -> Run:
        """Harvest all sites."""


@dataclass
class _Begun:
    """A story that is being played."""

    name: str
    hosts: frozenset[str]
    story: Story


class Calendar:
    """The days that stories share.

    *install* makes the installation from its folder, the certificates that it trusts, its sites, and the
    values of *fixtures*. Each run gets *args* and *settings*; the run of a day that *on* names gets those
    settings too. With *kinds*, each story is a test for each kind of installation, with days of its own:
    *install* gets the kind too, and the values of that kind's fixtures.
    """

    def __init__(
        self,
        install: Callable[..., Installation],
        *args: str,
        on: Mapping[int, Mapping[str, object]] | None = None,
        fixtures: Sequence[str] = (),
        kinds: Mapping[str, Sequence[str]] | None = None,
        **settings: object,
    ) -> None:
        self._install = install
        self._args = args
        self._on = on or {}
        self._fixtures = fixtures
        self._kinds = kinds or {}
        self._settings = settings
        self._outcomes: dict[str, BaseException | None] = {}

    def story(self, tell: Callable[..., Story]) -> Callable[..., None]:
        """Make a story a test.

        A parameter that is annotated with a kind of server gets a new one, which is harvested from the first
        day on. A parameter that is annotated with the installation gets that. All others are pytest's.
        """
        hints = get_type_hints(tell)
        given = [name for name in inspect.signature(tell).parameters if not _is_made(hints[name])]

        @wraps(tell)
        def test(request: pytest.FixtureRequest, **_: object) -> None:
            if request.node.nodeid not in self._outcomes:
                self._play(request)
            if error := self._outcomes[request.node.nodeid]:
                raise error

        names = ["request", *given, *(["kind"] if self._kinds else [])]
        parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
        vars(test).update(__signature__=inspect.Signature(parameters), calendar=self, tell=tell)
        return pytest.mark.parametrize("kind", self._kinds)(test) if self._kinds else test

    def again(self, test: Callable[..., None]) -> Callable[..., None]:
        """Make the story of a test of another module a test of this calendar too."""
        return self.story(vars(test)["tell"])

    def _play(self, request: pytest.FixtureRequest) -> None:
        """Play all stories of this calendar and kind that were selected, day by day."""
        authority: Authority = request.getfixturevalue("ca")
        folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("calendar")
        kind = _kind(request.node)
        values: list[object] = [] if kind is None else [kind]
        fixtures = (*self._fixtures, *self._kinds.get(kind or "", ()))
        values += [request.getfixturevalue(name) for name in fixtures]
        installation = self._install(folder, request.getfixturevalue("ca_bundle"), [], *values)
        items = [item for item in request.session.items if isinstance(item, pytest.Function)]
        own = [item for item in items if self._has(item) and _kind(item) == kind]
        with ExitStack() as stack:
            begun = [_begin(item, installation, authority, stack) for item in own]
            hosts = frozenset().union(*(story.hosts for story in begun))
            going_on = [story for story in begun if self._goes_on(story, None)]
            day = 0
            while going_on:
                day += 1
                ended = hosts.difference(*(story.hosts for story in going_on))
                installation.sites[:] = [site for site in installation.sites if site.host not in ended]
                run = installation.day(*self._args, **self._settings, **self._on.get(day, {}))
                going_on = [story for story in going_on if self._goes_on(story, _of(story.hosts, run, hosts))]

    def _has(self, item: pytest.Function) -> bool:
        return getattr(item.function, "calendar", None) is self

    def _goes_on(self, begun: _Begun, run: Run | None) -> bool:
        """Play a story up to its next yield; return whether there is one. An error is its test's outcome."""
        self._outcomes[begun.name] = None
        try:
            if run is None:
                next(begun.story)
            else:
                begun.story.send(run)
        except StopIteration:
            return False
        except BaseException as error:
            self._outcomes[begun.name] = error
            return False
        return True


def _kind(item: pytest.Function) -> str | None:
    """Return the kind of installation that a story is played with, if its calendar has kinds."""
    if not item.function.calendar._kinds:
        return None
    return str(item.callspec.params["kind"])


def _is_made(hint: Any) -> bool:
    """Return whether the calendar itself makes values of this type."""
    return inspect.isclass(hint) and (issubclass(hint, LoopbackServer) or hasattr(hint, "day"))


def _begin(
    item: pytest.Function, installation: Installation, authority: Authority, stack: ExitStack
) -> _Begun:
    """Start the servers that a story asks for; the story itself has not begun."""
    tell = item.function.tell
    hints = get_type_hints(tell)
    values: dict[str, Any] = {}
    for name in inspect.signature(tell).parameters:
        if not _is_made(hints[name]):
            values[name] = item.callspec.params[name]
        elif not issubclass(hints[name], LoopbackServer):
            values[name] = installation
        else:
            kind = hints[name]
            site = kind(authority, {}) if issubclass(kind, RawSite) else kind(authority)
            values[name] = stack.enter_context(site)
            installation.sites.append(site)
    hosts = frozenset(value.host for value in values.values() if isinstance(value, LoopbackServer))
    return _Begun(item.nodeid, hosts, tell(**values))


def _of(own: frozenset[str], run: Run, hosts: frozenset[str]) -> Run:
    """Return a run without what it gave for other stories' hosts, and without sums over all hosts."""
    others = hosts - own
    return replace(
        run,
        records=[record for record in run.records if _host(record) not in others],
        findings=[finding for finding in run.findings if finding.get("host") not in others],
        stats={key: value for key, value in run.stats.items() if not others or key.rpartition("/")[2] in own},
    )


def _host(record: Line) -> str:
    """Return the host of a record's document or, for a permit, of its entry page."""
    url = record["document"]["weblocatie"] if "document" in record else record["herkomst"]["ingang"]
    return str(urlsplit(url).netloc)
