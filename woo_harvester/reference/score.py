"""The page ``docs/score.md``: how the score of a host is calculated. It is in Dutch, for publishers."""

from __future__ import annotations

from woo_harvester.findings import explanations
from woo_harvester.reference.markdown import code, head, table
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.score_parts import PARTS, SECTIONS, Part, part_of, weight_of

_BASES = {
    "host": "alles of niets",
    "indexes": "deel van de sitemapindexen",
    "sitemaps": "deel van de sitemaps",
    "listed": "deel van de vermelde documenten",
    "described": "deel van de documenten waarvan deze ronde de metadata las",
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


def render() -> str:
    """Return the page as Markdown."""
    texts = Texts("nl")
    rows = [
        (
            texts(f"section_{part.section}"),
            texts(f"part_{part.name}"),
            str(part.points),
            _BASES[part.basis],
            ", ".join(code(name) for name in _codes(part)),
        )
        for section in SECTIONS
        for part in PARTS["woo"]
        if part.section == section
    ]
    return (
        "\n".join(
            [
                head("woo_harvester/report/score_parts.py", "De score van een host"),
                "\n\n".join(texts.all("how_score_text")) + "\n",
                *table(("onderwerp", "onderdeel", "punten", "deel", "bevindingen die het verlagen"), rows),
                "",
                _EXAMPLE,
            ]
        ).rstrip()
        + "\n"
    )


def _codes(part: Part) -> list[str]:
    """Return the codes of the errors and warnings that lower a part."""
    return [name for name in explanations() if weight_of(name) and part_of(name, part.about_document) is part]
