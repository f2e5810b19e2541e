"""The tokens that an analysis makes of words, according to the server itself."""

from __future__ import annotations

from typing import Any

from elasticsearch import Elasticsearch


class Analysis:
    """The analysis of an index that is made for the tests."""

    def __init__(self, client: Elasticsearch, index: str, definition: dict[str, Any]) -> None:
        self._client, self._index = client, index
        client.options(request_timeout=120).indices.create(index=index, settings=definition["settings"])

    def tokens(self, analyzer: str, text: str) -> list[str]:
        """Return the tokens of *text*."""
        answer = self._client.indices.analyze(index=self._index, analyzer=analyzer, text=text)
        return [token["token"] for token in answer["tokens"]]

    def finds(self, asked: str, word: str, parts: str = "delen", words: str = "stam") -> bool:
        """Return whether a search for *asked* finds *word* in a field with the analyzer *parts*."""
        return not set(self.tokens(words, asked)).isdisjoint(self.tokens(parts, word))
