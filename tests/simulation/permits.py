"""A model of entry pages, organisations and runs, and the oracle that says what the cases come to.

The oracle knows nothing of rows, batches or a database: it has the messages that count of each organisation,
and says by the rules of the documentation whose a case is and which messages are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256

from woo_harvester.crawl.entry_pages import EntryPage, entry_pages
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.record import Vergunning, VergunningDocument
from woo_harvester.record import Waarde
from woo_harvester.register import Location, Organisation, Register

#: Entry pages, with the organisation that the operator names: a body of the register, one that it does not
#: have, or nobody. The page of the host that two organisations share is of one of them, nobody knows which.
PAGES = (
    ("a", "https://een.nl/xml/"),
    ("a", "https://leverancier.nl/a/"),
    ("b", "https://twee.nl/xml/"),
    ("v", "https://vrij.nl/xml/"),
    ("w", "https://vreemd.nl/xml/"),
    ("", "https://samen.nl/xml/"),
)
URLS = tuple(url for _, url in PAGES)

#: Who registered what. The host een.nl may go to another organisation; the others that cases are on are
#: nobody's, also the port of een.nl.
HOSTS = {"een.nl": {"a"}, "twee.nl": {"b"}, "samen.nl": {"a", "b"}}

CASES = (
    "https://een.nl/zaken/1",
    "https://een.nl/zaken/2",
    "https://samen.nl/zaken/1",
    "https://vrij.nl/zaken/1",
    "https://een.nl:8443/zaken/1",
    "https://leverancier.nl/zaken/1",
)
DOCUMENTS = ("https://een.nl/besluit.pdf", "https://vrij.nl/besluit.pdf")

#: Of each case the pages that may offer it where no two organisations have the same right: an owner, and
#: strangers that have less of one. Between these the order in which they come makes no difference.
UNCONTESTED = {
    CASES[0]: (URLS[0], URLS[1], URLS[0], URLS[1], URLS[2], URLS[4]),
    CASES[1]: (URLS[0], URLS[1], URLS[0], URLS[1], URLS[3], URLS[5]),
    CASES[2]: (URLS[0], URLS[1], URLS[3], URLS[4]),
    CASES[3]: (URLS[3], URLS[4]),
    CASES[4]: (URLS[0], URLS[1]),
    CASES[5]: (URLS[1], URLS[4]),
}


def host(url: str) -> str:
    return url.split("/")[2]


@dataclass(frozen=True)
class Offer:
    """What one version of a file says."""

    soort: Soort
    letter: str
    day: int
    number: int
    url: str
    case: str | None
    title: str = ""

    @property
    def order(self) -> tuple[int, int]:
        return self.day, self.number

    @property
    def alive(self) -> bool:
        return self.letter != "D"

    @property
    def key(self) -> tuple[Soort, str]:
        return self.soort, self.url

    def message(self) -> Message:
        given: Vergunning | VergunningDocument | None = None
        if self.alive and self.soort is Soort.ZAAK:
            given = Vergunning(identifier=self.url, title=self.title)
        elif self.alive:
            given = VergunningDocument(identifier=self.url, title=self.title, isPartOf=Waarde(id=self.case))
        return Message(
            self.soort, Transactie(self.letter), str(self.number), 0, date(2026, 4, self.day), self.url,
            self.case, given,
        )  # fmt: skip

    def mutation(self, page: EntryPage, file: str) -> Mutation:
        return Mutation(self.message(), page.organisation, page.url, file, digest=self.digest)

    @property
    def digest(self) -> str:
        return sha256(repr(self).encode()).hexdigest()


@dataclass(frozen=True)
class Draft:
    """A message as it is drawn, whatever the case and the page are."""

    page: int
    case: int
    document: str | None
    letter: str
    day: int
    number: int
    name: str
    """Of its file."""
    named: bool
    """Whether the delete of a document names its case."""

    def offer(self, case: str, title: str) -> Offer:
        if self.document is None:
            return Offer(Soort.ZAAK, self.letter, self.day, self.number, case, case, title)
        of = case if self.named or self.letter != "D" else None
        return Offer(Soort.DOCUMENT, self.letter, self.day, self.number, self.document, of, title)


@dataclass
class File:
    """A file of an entry page."""

    page: str
    name: str
    offer: Offer
    listed: bool = True
    done: bool = False
    """Its message took effect, or came too late; else it counts in the next run that finds it listed."""

    @property
    def url(self) -> str:
        return self.page + self.name


@dataclass
class Shown:
    """What a reader of the records sees of a case.

    Without the dates of the messages: one that only has a newer date changes no record.
    """

    organisation: str
    case: Message
    documents: list[Message]


@dataclass
class Claim:
    """What counts of one organisation about one case or document."""

    offers: list[tuple[Offer, str]] = field(default_factory=list)
    """With the file of each."""
    case: str | None = None
    """Of a document: the case that it was said to be of last."""

    @property
    def last(self) -> Offer:
        return max((offer for offer, _ in self.offers), key=lambda offer: offer.order)

    @property
    def files(self) -> set[str]:
        """Those that have the last message."""
        return {file for offer, file in self.offers if offer == self.last}


class Oracle:
    """What the messages come to."""

    def __init__(self) -> None:
        self.owners = {name: set(bodies) for name, bodies in HOSTS.items()}
        self.claims: dict[tuple[Soort, str], dict[str, Claim]] = {}
        self.reopened: set[str] = set()
        """Files whose messages counted before the last run and do not any more: they are read again."""

    @property
    def register(self) -> Register:
        bodies = {name: Organisation(name, name) for name in ("a", "b")}
        places = [
            Location(bodies[name], f"https://{place}/{name}")
            for place, names in self.owners.items()
            for name in sorted(names)
        ]
        return Register(bodies.values(), places)

    def pages(self) -> dict[str, EntryPage]:
        return {page.url: page for page in entry_pages(PAGES, self.register)}

    def run(self, files: Sequence[File]) -> set[str]:
        """Learn of these files, in their order of arrival; return the URLs of those that are refused."""
        organisations = {url: page.organisation for url, page in self.pages().items()}
        offers = [(file, organisations[file.page]) for file in files]
        self.reopened = set()
        claimed: set[str] = set()
        refused = self._cases([each for each in offers if each[0].offer.soort is Soort.ZAAK], claimed)
        fresh: set[tuple[str, str]] = set()
        documents = [each for each in offers if each[0].offer.soort is Soort.DOCUMENT]
        for file, organisation in sorted(documents, key=lambda each: each[0].offer.order):
            if self._is_refused(file, organisation, fresh):
                refused.add(file.url)
        self.reopened |= self._of_others(claimed, fresh)
        return refused

    def shown(self) -> dict[str, Shown]:
        """The cases that are published."""
        found = {}
        for (soort, url), claims in self.claims.items():
            if soort is Soort.ZAAK:
                for organisation, claim in claims.items():
                    if claim.last.alive:
                        documents = self._documents(url, organisation)
                        found[url] = Shown(organisation, claim.last.message().undated(), documents)
        return found

    def _documents(self, case: str, organisation: str) -> list[Message]:
        found = [
            claims[organisation].last
            for (soort, _), claims in self.claims.items()
            if soort is Soort.DOCUMENT and organisation in claims and claims[organisation].case == case
        ]
        alive = sorted((offer for offer in found if offer.alive), key=lambda offer: offer.url)
        return [offer.message().undated() for offer in alive]

    def right(self, case: str, organisation: str, pages: Iterable[str]) -> int:
        if owners := self.owners.get(host(case)):
            claimants = self.owners.get(organisation) or {organisation}
            return 2 if claimants <= owners else 0
        return 2 if host(case) in {host(page) for page in pages} else 1

    def _of_claim(self, case: str, organisation: str, more: Iterable[str] = ()) -> int:
        claim = self.claims.get((Soort.ZAAK, case), {}).get(organisation, Claim())
        return self.right(case, organisation, [*(file for _, file in claim.offers), *more])

    def _is_blocked(self, case: str, organisation: str, right: int) -> bool:
        if not right:
            return True
        for other, claim in self.claims.get((Soort.ZAAK, case), {}).items():
            theirs = self._of_claim(case, other)
            if other != organisation and (theirs > right or (theirs == right and claim.last.alive)):
                return True
        return False

    def _cases(self, offers: list[tuple[File, str]], claimed: set[str]) -> set[str]:
        """Apply messages about cases; return the files of those that are refused."""
        refused: set[str] = set()
        for case in dict.fromkeys(file.offer.url for file, _ in offers):
            files: dict[str, list[File]] = {}
            for file, organisation in offers:
                if file.offer.url == case:
                    files.setdefault(organisation, []).append(file)
            refused |= self._case(case, files, claimed)
        return refused

    def _case(self, case: str, files: dict[str, list[File]], claimed: set[str]) -> set[str]:
        """Apply messages about one case: the strongest first, then who has it, then who came first."""
        refused: set[str] = set()
        claims = self.claims.setdefault((Soort.ZAAK, case), {})
        rights = {name: self._of_claim(case, name, [file.url for file in files[name]]) for name in files}
        has_it = {name for name, claim in claims.items() if claim.last.alive}
        for name in sorted(rights, key=lambda name: (-rights[name], name not in has_it)):
            if self._is_blocked(case, name, rights[name]):
                refused.update(file.url for file in files[name])
                continue
            if name not in claims:
                claimed.add(case)
            claims.setdefault(name, Claim()).offers += [(file.offer, file.url) for file in files[name]]
            self._displace(case, claims, claimed)
        return refused

    def _displace(self, case: str, claims: dict[str, Claim], claimed: set[str]) -> None:
        """Take the case from an organisation that has less of a right."""
        most = max(self._of_claim(case, name) for name in claims)
        for name in [name for name, claim in claims.items() if claim.last.alive]:
            if self._of_claim(case, name) < most:
                self.reopened |= claims.pop(name).files
                claimed.add(case)

    def _is_refused(self, file: File, organisation: str, fresh: set[tuple[str, str]]) -> bool:
        """Apply a message about a document; return whether it is refused."""
        offer, claims = file.offer, self.claims.setdefault(file.offer.key, {})
        claim = claims.get(organisation, Claim())
        case = offer.case or claim.case
        if case is not None:
            right = self._of_claim(case, organisation, [file.url])
            if self._is_blocked(case, organisation, right):
                return True
        if not claim.offers or offer.order > claim.last.order:
            claim.case = case
            fresh.add((offer.url, organisation))
        claim.offers.append((offer, file.url))
        claims[organisation] = claim
        return False

    def _of_others(self, claimed: set[str], fresh: set[tuple[str, str]]) -> set[str]:
        """Return the files of documents that others offered for a case that is another's now."""
        found: set[str] = set()
        for (soort, url), claims in self.claims.items():
            for name, claim in claims.items():
                case = claim.case
                if soort is Soort.DOCUMENT and case in claimed and case and claim.last.alive:
                    blocked = self._is_blocked(case, name, self._of_claim(case, name, claim.files))
                    if blocked and (url, name) not in fresh:
                        found |= claim.files
        return found
