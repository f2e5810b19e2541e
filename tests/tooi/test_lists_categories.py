from __future__ import annotations

import re

from tests.conftest import shared_file
from woo_harvester.tooi import (
    CATEGORY_COUNT,
    UNKNOWN_CATEGORY,
    article_of_category,
    category_of_index,
    informatiecategorieen,
    normal_label,
)


def test_each_category_has_the_article_that_the_table_of_the_guide_gives() -> None:
    rows = re.findall(
        r"^(.+) (3\.3, [12], [a-l](?: &\s+3\.3a)?) sitemapindex-diwoo-infocat(\d{3})\.xml",
        shared_file("seeds/000_8841dad2cc8e2100.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) == CATEGORY_COUNT == 17
    for label, article, number in rows:
        category = category_of_index(int(number))
        assert normal_label(category.label) == normal_label(label)
        assert article_of_category(category.uri) == " ".join(article.split())


def test_every_category_of_the_list_has_an_article_and_an_unknown_one_has_none() -> None:
    articles = {concept.label: article_of_category(concept.uri) for concept in informatiecategorieen()}
    assert articles.pop("inspanningsverplichting art 3.1 Woo") == "3.1"
    assert len(set(articles.values()) - {None}) == 17
    assert article_of_category(UNKNOWN_CATEGORY.uri) is None
