"""The help of LibreOffice, read from a few pages written here in its manner."""

from __future__ import annotations

from pathlib import Path

import pytest

from attnviz.data import manual
from attnviz.data.manual import build, clean, distinct, paragraphs, split, split_sentences
from attnviz.data.pairs import Pair
from attnviz.data.sources import SourceError

FOLDERS = {"en": "en-US", "fr": "fr", "ko": "ko"}


def write(root: Path, language: str, page: str, **texts: str) -> None:
    """A page with one paragraph an id."""
    path = root / FOLDERS[language] / "text" / f"{page}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "\n".join(f'<p id="par_{name}" class="paragraph">{t}</p>' for name, t in texts.items())
    path.write_text(f"<html><p>LibreOffice 7.4 Help</p>{body}</html>", encoding="utf-8")


def rows(root: Path, name: str = "manual_en_fr") -> set[tuple[str, str]]:
    corpus = build(name, root=root)
    return {(p.source, p.target) for p in (*corpus.train, *corpus.valid, *corpus.test)}


def test_paragraphs_and_headings_with_ids_are_read() -> None:
    html = """<p class="logo">LibreOffice 7.4 Help</p>
    <script>var p = "<p id='par_no'>no</p>";</script>
    <h2 id="hd_1" dir="auto"><a name="x"></a>Saving&nbsp;<span class="emph">Files</span>
    &amp; More</h2>
    <p id="par_2">Before<br>after <img src="i.png" alt="Icon"> the   break
    <table><tr><td><p id="par_3" class="tablecontentintable">Unclosed before</p></td></tr></table>
    <pre><p id="par_4" class="bascode">Dim a As Integer</p></pre><p id="par_5"></p>"""
    assert paragraphs(html) == [
        ("hd_1", "Saving Files & More"),
        ("par_2", "Before after the break"),
        ("par_3", "Unclosed before"),
    ]


def test_of_the_variants_for_each_system_the_default_is_read() -> None:
    switch = '<span class="switchinline">{}</span>'
    mac = '<span hidden="true" id="MACx" class="MAC"><span class="keycode">Command</span></span>'
    other = '<span hidden="true" id="defaultx"><span class="keycode">Ctrl</span></span>'
    html = f'<p id="par_1">Press {switch.format(mac + other)}+F now.</p>'
    assert paragraphs(html) == [("par_1", "Press Ctrl+F now.")]
    assert paragraphs(f'<p id="par_1">Press {switch.format(mac)}+F.</p><p id="par_2">Yes.</p>') == [
        ("par_2", "Yes.")
    ]


def test_text_is_cleaned() -> None:
    assert clean(" “L’e\u0301te\u0301”\u00a0:\n \u200bun\u00adjour ") == '"L\'été" : unjour'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One sentence here.", 1),
        ("Click OK. The dialog closes! Does it? Yes", 4),
        ("Use a style, e.g. Heading 1, or a template, i.e. a file.", 1),
        ("Version 7.4 of the file name.txt opens.", 1),
        ("설정을 저장합니다. 대화 상자를 닫습니다.", 2),
        ("Choisissez un style (p. ex. Titre). Cliquez.", 2),
    ],
)
def test_sentences_end_where_they_end(text: str, count: int) -> None:
    parts = split_sentences(text)
    assert len(parts) == count and " ".join(parts) == text


def test_paragraphs_are_matched_by_their_id(tmp_path: Path) -> None:
    write(
        tmp_path, "en", "a/page",
        x="Opens the selected file. Saves the current page.", y="Closes all open windows.",
        z="Only English has this.",
    )  # fmt: skip
    write(
        tmp_path, "fr", "a/page",
        y="Ferme toutes les fenêtres ouvertes.",
        x="Ouvre le fichier sélectionné. Enregistre la page active.",
    )  # fmt: skip
    write(tmp_path, "en", "only/english", x="There is no such page.")
    assert rows(tmp_path) == {
        ("Opens the selected file.", "Ouvre le fichier sélectionné."),
        ("Saves the current page.", "Enregistre la page active."),
        ("Closes all open windows.", "Ferme toutes les fenêtres ouvertes."),
    }


def test_a_paragraph_cut_differently_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "en", "p", x="Opens the selected file. Saves the current page.")
    write(tmp_path, "fr", "p", x="Ouvre le fichier sélectionné et enregistre la page active.")
    assert rows(tmp_path) == set()


def test_an_id_that_comes_again_is_matched_in_order_or_not_at_all(tmp_path: Path) -> None:
    twice = '{}</p><p id="par_x">{}'
    write(tmp_path, "en", "p", x=twice.format("Opens the selected file.", "Saves the open file."))
    write(tmp_path, "fr", "p", x=twice.format("Ouvre le fichier choisi.", "Enregistre le fichier."))
    assert ("Saves the open file.", "Enregistre le fichier.") in rows(tmp_path)
    write(tmp_path, "fr", "p", x="Enregistre le fichier.")
    assert rows(tmp_path) == set()


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("Opens a file.", "Ouvre un fichier."),
        (" ".join(["word"] * 21) + ".", " ".join(["mot"] * 21) + "."),
        ("Opens the selected file.", "Opens the selected file."),
        ("Opens the selected text file.", "Opens the selected texte file."),
        ("Opens the selected file.", "Ouvre le fichier qui a été sélectionné auparavant par vous."),
        ("See https://example.org for the details.", "Voir https://example.org pour les détails."),
        ("Calls print(x) for every value.", "Appelle print(x) pour chaque valeur."),
        ("Sets the name = value of all.", "Définit le nom = valeur de tout."),
        ("The values 1999 2000 2001 2002 2003.", "Les valeurs 1999 2000 2001 2002 2003."),
        ("Opens the selected file.", "Ouvre le fichier sélectionné"),
        ("12 Opens the selected file.", "12 Ouvre le fichier sélectionné."),
        ("Opens the αβγ file here.", "Ouvre le fichier αβγ ici."),
    ],
)
def test_what_is_no_sentence_to_learn_from(tmp_path: Path, english: str, french: str) -> None:
    write(tmp_path, "en", "p", x=english, y="Closes all open windows.")
    write(tmp_path, "fr", "p", x=french, y="Ferme toutes les fenêtres ouvertes.")
    assert rows(tmp_path) == {("Closes all open windows.", "Ferme toutes les fenêtres ouvertes.")}


def test_korean_to_english_reads_korean(tmp_path: Path) -> None:
    write(
        tmp_path, "en", "p",
        x="Opens the selected file.", y="Deletes the selected column(s) here.",
        z="The LibreOffice Math Formula Editor.",
    )  # fmt: skip
    write(
        tmp_path, "ko", "p",
        x="선택한 파일을 엽니다.", y="선택한 열(모두)을 여기서 삭제합니다.",
        z="LibreOffice Math 편집.",
    )  # fmt: skip
    assert rows(tmp_path, "manual_ko_en") == {
        ("선택한 파일을 엽니다.", "Opens the selected file."),
        ("선택한 열(모두)을 여기서 삭제합니다.", "Deletes the selected column(s) here."),
    }
    corpus = build("manual_ko_en", root=tmp_path)
    assert (corpus.source_language, corpus.target_language) == ("ko", "en")
    assert corpus.tokeniser == corpus.name == "manual_ko_en"
    assert corpus.licence == "MPL-2.0"
    assert corpus.data[0] == {
        "name": "libreoffice-help-ko",
        "version": "7.4",
        "licence": "MPL-2.0",
    }


def test_one_translation_a_source_the_most_frequent() -> None:
    pairs = [Pair("Click OK.", "Cliquez."), *[Pair("click OK", "Validez.", group="2")] * 2]
    assert distinct(pairs) == [Pair("click OK", "Validez.", group="2")]


def test_pages_are_held_out_whole_and_no_sentence_is_on_two_sides() -> None:
    pairs = [
        Pair(f"source {page} {n}", f"target {(page * 7 + n) % 400}", group=f"page {page}")
        for page in range(100)
        for n in range(5)
    ]
    train, valid, test = sides = split(pairs, seed=0)
    assert 30 <= len(test) <= 35 and 15 <= len(valid) <= 25 and len(train) > 350
    for kind in ("source", "target", "group"):
        values = [{getattr(pair, kind) for pair in side} for side in sides]
        assert not (values[0] & values[1] or values[0] & values[2] or values[1] & values[2]), kind
    assert split(pairs, seed=0) == sides
    assert split(pairs, seed=1) != sides


@pytest.mark.parametrize(("missing", "package"), [("en", "en-us"), ("fr", "fr")])
def test_a_missing_package_is_named(tmp_path: Path, missing: str, package: str) -> None:
    for language in {"en", "fr"} - {missing}:
        write(tmp_path, language, "p", x="Opens the selected file.")
    with pytest.raises(SourceError, match=f"apt-get install .*libreoffice-help-{package}$"):
        build("manual_en_fr", root=tmp_path)


def test_the_same_pages_give_the_same_corpus(tmp_path: Path) -> None:
    for number in range(30):
        word = "abcdefghijklmnopqrstuvwxyzabcd"[number] * (1 + number // 26)
        write(tmp_path, "en", f"p{number}", x=f"Opens the file {word} again.")
        write(tmp_path, "fr", f"p{number}", x=f"Ouvre encore le fichier {word}.")
    assert build(root=tmp_path) == build(root=tmp_path)
    assert len(build(root=tmp_path).train) < 30
    assert manual.version(tmp_path / "fr" / "text") == "7.4"
