"""The organisations and locations of the register of a run, which the run leaves for its report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Self

from pydantic import TypeAdapter

from woo_harvester.atomic import replace_file
from woo_harvester.inputs import check_regular, parse_object
from woo_harvester.register import Organisation, Register

_WHOLE = (1, 1)


@dataclass(frozen=True, slots=True)
class Registered:
    """An organisation of the register, with its locations."""

    system_id: str
    name: str
    uri: str | None
    kind: str | None
    locations: list[str]
    """The URLs that it registered, each once."""

    @property
    def id(self) -> str:
        """The identifier in the report: the TOOI URI, else the systeemId, else the name."""
        return self.uri or self.system_id or self.name


@dataclass(frozen=True, slots=True)
class RunRegister:
    """The register of a run over all its hosts, or over some shards of them."""

    shards: list[tuple[int, int]]
    """Number and total of each shard that was harvested; (1, 1) for a run over all hosts."""
    organisations: list[Registered]

    @classmethod
    def of(cls, register: Register, shard: tuple[int, int] | None) -> Self:
        """Return what a run over a register leaves."""
        locations: dict[Organisation, dict[str, None]] = {}
        for location in register.locations:
            locations.setdefault(location.organisation, {})[location.url] = None
        return cls(
            [shard or _WHOLE],
            [
                Registered(one.system_id, one.name, one.uri, one.kind, list(locations.get(one, ())))
                for one in register.organisations
            ],
        )

    @staticmethod
    def read(path: Path) -> RunRegister | None:
        """Read the file of a run; None if there is none. Raises OSError, and ValueError with the path."""
        if not path.exists():
            return None
        check_regular(path)
        try:
            return _ADAPTER.validate_python(parse_object(path.read_bytes()))
        except ValueError as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"{path}: expected the register of a run: {reason}") from error

    def write(self, path: Path) -> None:
        """Write the file of a run in one step: a run that is killed leaves all of it or nothing."""
        replace_file(path, (json.dumps(asdict(self), ensure_ascii=False) + "\n").encode())

    @property
    def is_whole(self) -> bool:
        """True if the shards together have all hosts of the register."""
        totals = {total for _, total in self.shards}
        return len(totals) == 1 and {number for number, _ in self.shards} == set(range(1, totals.pop() + 1))


def together(registers: Sequence[RunRegister]) -> RunRegister:
    """Return the register of several runs, one at least: an organisation has the locations of all of them."""
    found: dict[str, Registered] = {}
    for one in chain.from_iterable(each.organisations for each in registers):
        known = found.setdefault(one.id, one)
        known.locations.extend(url for url in one.locations if url not in known.locations)
    return RunRegister([shard for each in registers for shard in each.shards], list(found.values()))


_ADAPTER = TypeAdapter(RunRegister)
