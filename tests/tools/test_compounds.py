"""Making the word lists of the index, from a dictionary of a few words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.compounds.__main__ import write
from tools.compounds.entries import Chooser
from tools.compounds.hunspell import Lexicon, read
from tools.compounds.splitting import Splitter

AFFIXES = "SFX Ch Y 1\nSFX Ch 0 s/CaCbCxCp .\nSFX Zb Y 1\nSFX Zb 0 en/CaCbCp [^eo]\n"
WORDS = (
    "raad/CaCc besluit/CaCcZb omgeving/ChCc vergunning/CaCcZb post/CaCc uur/Cc wet/CaCc wetenschap fout/Fw"
)
DICTIONARY = "9\n" + WORDS.replace(" ", "\n") + "\n"


@pytest.fixture
def lexicon(tmp_path: Path) -> Lexicon:
    (tmp_path / "nl.dic").write_text(DICTIONARY, encoding="utf-8")
    (tmp_path / "nl.aff").write_text(AFFIXES, encoding="utf-8")
    (tmp_path / "words").write_text("postuur\nwetenschapper\nomgevingsvergunning\nPiet\n", encoding="utf-8")
    return read(tmp_path / "nl.dic", tmp_path / "nl.aff", tmp_path / "words")


def test_a_dictionary_gives_forms_and_their_places(lexicon: Lexicon) -> None:
    assert "omgevings" in lexicon.begins
    assert "omgevings" not in lexicon.words
    assert {"besluit", "besluiten"} <= lexicon.ends
    assert lexicon.inflected["vergunning"] == {"vergunningen"}
    assert not {"fout", "Piet"} & lexicon.words


def test_a_compound_begins_and_ends_with_its_parts_and_is_hyphenated_there(lexicon: Lexicon) -> None:
    splitter = Splitter(lexicon)
    assert splitter.compound("omgevingsvergunning")
    assert splitter.is_begin("omgeving", "omgevingsvergunning")
    assert splitter.is_end("besluiten", "raadsbesluiten")
    assert not splitter.compound("postuur")
    assert not splitter.is_begin("wet", "wetenschap")


def test_a_shield_keeps_a_part_out_of_words_in_which_it_is_none() -> None:
    compounds = {f"wet{rest}" for rest in ("boek", "geving", "steller", "tekst")}
    others = {"wetenschap", "wetenschapper", "wetenschappelijk", "wetenschappen"}
    chooser = Chooser(
        compounds | others, {"wet"}, set(), lambda part, word: word in compounds, lambda part, word: False
    )
    made = chooser.choose()
    shields = [entry for entry, state in made.entries.items() if state is None]
    assert made.entries["wet"] == "wet"
    assert len(shields) == 1
    assert all(word.startswith(shields[0]) for word in others)
    assert not any(word.startswith(shields[0]) for word in compounds)
    assert not made.exceptions


def test_a_single_word_is_an_exception() -> None:
    words = {"postbode", "postzegel", "postkantoor", "postuur"}
    chooser = Chooser(words, {"post"}, set(), lambda part, word: word != "postuur", lambda part, word: False)
    made = chooser.choose()
    assert (list(made.entries), made.exceptions) == (["post"], ["postuur"])


def test_the_lists_are_written_into_the_definition(tmp_path: Path) -> None:
    target = tmp_path / "index.json"
    target.write_text('{"settings": {"analysis": {"filter": {"begin": {"type": "x"}}}}}', encoding="utf-8")
    write(target, {"begin": ("word_list", ["~raad", "~wet"])})
    made = json.loads(target.read_text(encoding="utf-8"))
    assert made["settings"]["analysis"]["filter"]["begin"] == {"type": "x", "word_list": ["~raad", "~wet"]}
