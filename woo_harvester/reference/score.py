"""The page ``docs/score.md``: how the score of a host is calculated. It is in Dutch, for publishers."""

from __future__ import annotations

from woo_harvester.findings import explanations
from woo_harvester.reference.markdown import code, head, table
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.losses import HarvestKind
from woo_harvester.report.score_parts import PARTS, SECTIONS, Part, part_of, weight_of

_BASES: dict[HarvestKind, dict[str, str]] = {
    "woo": {
        "host": "alles of niets",
        "indexes": "deel van de sitemapindexen",
        "sitemaps": "deel van de sitemaps",
        "listed": "deel van de vermelde documenten",
        "described": "deel van de documenten waarvan deze ronde de metadata las",
    },
    "vergunningen": {
        "pages": "deel van de ingangen",
        "listed": "deel van de vermelde berichten",
        "described": "deel van de berichten die deze ronde verwerkte",
    },
}

_EXAMPLE = """\
## Een voorbeeld

Een host vermeldt 100 documenten. Bij 10 begint de `<loc>` met http (een fout), en van de 90 die geoogst
worden hebben er 45 geen titel (een waarschuwing). De andere onderdelen zijn goed.

- Adressen: 90% is goed, dus 8 × 90% = 7,2 punten.
- De 10 documenten met http komen niet verder. Ook van elk onderdeel daarna is dus hoogstens 90% te halen:
  dat kost 4,8 punten, en de bevinding `loc.geen-https` kost samen 5,6 punten.
- Titel: van de 90% die over is, kost een waarschuwing bij de helft van de documenten een kwart:
  5 × (90% − 22,5%) = 3,4 punten.

Samen 93,3 punten. In het rapport staat 93: er wordt naar beneden afgerond. Wie de adressen verbetert, wint
5,6 punten; wie de titels meegeeft, 1,1.

## Narekenen

`findings.jsonl` heeft een regel voor elke bevinding, `hosts.jsonl` een regel met tellingen voor elke host. De
functie `score` in `woo_harvester/report/score.py` maakt daarvan de score. Een bevinding met een `sitemap`
gaat over één document, een andere over de host en zijn bestanden; dat bepaalt bij welk onderdeel zij hoort.
"""


_PERMITS = """\
## De score van een host met vergunningen

Het verslag van `scrapy crawl vergunningen` heeft een eigen score, met andere onderdelen. Een host is hier de
host van een ingang. Hebben organisaties daar elk een ingang, dan is de score van die host van hen samen.
"""

_PERMITS_END = """\
Een bestand kan meer dan een fout hebben. De eerste fout telt: daardoor valt het bestand af. De andere fouten
in dat bestand kosten niets extra.

Een bericht dat niet is toegepast omdat een latere mutatie al verwerkt was, telt als verwerkt: de zaak is in
een latere toestand. Had het bericht iets veranderd, dan is dat een waarschuwing (`ipm.niet-toegepast`).
"""


def render() -> str:
    """Return the page as Markdown."""
    texts, permits = Texts("nl"), Texts("nl", "vergunningen")
    return (
        "\n".join(
            [
                head("woo_harvester/report/score_parts.py", "De score van een host"),
                "\n\n".join(texts.all("how_score_text")) + "\n",
                *_parts("woo", texts),
                "",
                _EXAMPLE,
                _PERMITS,
                "\n\n".join(permits.all("how_score_text")) + "\n",
                *_parts("vergunningen", permits),
                "",
                _PERMITS_END,
            ]
        ).rstrip()
        + "\n"
    )


def _parts(kind: HarvestKind, texts: Texts) -> list[str]:
    """Return the table of the parts of a score."""
    rows = [
        (
            texts(f"section_{part.section}"),
            texts(f"part_{part.name}"),
            str(part.points),
            _BASES[kind][part.basis],
            ", ".join(code(name) for name in _codes(part, kind)),
        )
        for section in SECTIONS
        for part in PARTS[kind]
        if part.section == section
    ]
    return list(table(("onderwerp", "onderdeel", "punten", "deel", "bevindingen die het verlagen"), rows))


def _codes(part: Part, kind: HarvestKind) -> list[str]:
    """Return the codes of the errors and warnings that lower a part, if they are about what it counts."""
    return [
        name
        for name in explanations()
        if weight_of(name) and part_of(name, part.about_document, kind) is part
    ]
