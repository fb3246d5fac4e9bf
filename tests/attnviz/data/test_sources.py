"""Sources: captions, whole concepts held out, and plain words when a package is missing."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from attnviz.data import sources
from attnviz.data.sources import Cutout, SourceError, head_noun, hold_out


def stamp(folder: Path, name: str, caption: str, *translations: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGBA", (8, 6), (200, 0, 0, 255)).save(path.with_suffix(".png"))
    path.with_suffix(".txt").write_text("\n".join([caption, *translations]), encoding="utf-8")


@pytest.mark.parametrize(
    ("caption", "noun"),
    [
        ("A crow.", "crow"),
        ("A bunch of bananas.", "banana"),
        ("A glass of water.", "glass"),
        ("A dumper. It carries its load in the front.", "dumper"),
        ("A man with bunny ears", "man"),
        ("Grass", "grass"),
    ],
)
def test_the_head_noun_of_a_caption(caption: str, noun: str) -> None:
    assert head_noun(caption) == noun


def test_stamps_come_with_captions_in_order(tmp_path: Path) -> None:
    stamp(
        tmp_path, "animals/crow", "A crow.", "ko.utf8=까마귀", "tlh.utf8=qa'", "de.utf8=Ein Rabe."
    )
    stamp(tmp_path, "animals/cartoon/fox", "A fox.")
    stamp(tmp_path, "animals/fox_mirror", "A fox.")
    Image.new("RGBA", (4, 4)).save(tmp_path / "animals" / "untold.png")
    fox, crow = sources.stamps(tmp_path)
    assert (fox.name, fox.drawn) == ("stamps/animals/cartoon/fox", True)
    assert (crow.name, crow.drawn) == ("stamps/animals/crow", False)
    assert crow.captions == {"en": "A crow", "ko": "까마귀", "de": "Ein Rabe"}
    assert crow.open().mode == "RGBA" and crow.open().size == (8, 6)


def cutout(caption: str, *, drawn: bool = False) -> Cutout:
    return Cutout(f"{caption}/{drawn}", {"en": caption}, lambda: Image.new("RGBA", (2, 2)), drawn)


def test_held_out_concepts_are_held_out_everywhere() -> None:
    photographs = [
        cutout(f"a {colour} {noun}")
        for noun in ("fox", "owl", "cup", "key", "yak", "elk")
        for colour in ("red", "green")
    ]
    drawings = [cutout("fox face", drawn=True), cutout("old key", drawn=True)]
    kept, held = hold_out([*photographs, *drawings], 4, seed=1)
    heads = {c.head for c in held}
    assert len(held) == 4 and len(heads) == 2
    assert all(not set(c.captions["en"].split()) & heads for c in kept)
    assert not any(c.drawn for c in held)
    assert hold_out([*photographs, *drawings], 4, seed=1) == (kept, held)
    drawn_lots = {tuple(c.name for c in hold_out(photographs, 4, seed=s)[1]) for s in range(8)}
    assert len(drawn_lots) > 1


def test_holding_out_more_than_there_is() -> None:
    with pytest.raises(ValueError, match="only 1 photographs can be held out, 3"):
        hold_out([cutout("a fox")], 3)


def test_photographs_inside_a_resource_file(tmp_path: Path) -> None:
    """WebP files between other bytes: large opaque ones come out, small and clear ones not."""

    def webp(size: int, mode: str) -> bytes:
        data = io.BytesIO()
        Image.new(mode, (size, size), "red").save(data, "WEBP", lossless=True)
        return data.getvalue()

    transparent = io.BytesIO()
    Image.new("RGBA", (160, 160), (255, 0, 0, 90)).save(transparent, "WEBP", lossless=True)
    inside = b"qres".join([b"", webp(160, "RGB"), webp(20, "RGB"), transparent.getvalue(), b"end"])
    for activity in sources.GCOMPRIS_ACTIVITIES:
        (tmp_path / f"{activity}.rcc").write_bytes(b"")
    (tmp_path / "details.rcc").write_bytes(inside)
    (found,) = sources.photographs(tmp_path)
    assert found.name == "gcompris/details-0"
    assert found.open().size == (160, 160)


def test_missing_packages_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="apt-get install tuxpaint-stamps-default"):
        sources.stamps(tmp_path / "none")
    with pytest.raises(SourceError, match="apt-get install mate-backgrounds"):
        sources.backgrounds(tmp_path / "none")
    with pytest.raises(SourceError, match="npm install openmoji"):
        sources.emoji(tmp_path)
    with pytest.raises(SourceError, match="gcompris-qt-data"):
        sources.photographs(tmp_path / "none")


def test_emoji_leave_out_flags_and_skin_tones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "find_spec", lambda name: object())
    entries = [
        {"hexcode": "A", "annotation": "fox", "group": "animals-nature", "skintone": ""},
        {"hexcode": "B", "annotation": "flag", "group": "flags", "skintone": ""},
        {"hexcode": "C", "annotation": "hand", "group": "people-body", "skintone": 3},
    ]
    data, drawn = tmp_path / "openmoji/data", tmp_path / "openmoji/color/svg"
    fluent = tmp_path / "@iconify-json/fluent-emoji-flat"
    for folder in (data, drawn, fluent):
        folder.mkdir(parents=True)
    (data / "openmoji.json").write_text(json.dumps(entries))
    for entry in entries:
        (drawn / f"{entry['hexcode']}.svg").write_text("<svg/>")
    icons = {"owl": {"body": ""}, "hand-dark": {"body": ""}, "flag-korea": {"body": ""}}
    (fluent / "icons.json").write_text(json.dumps({"width": 32, "height": 32, "icons": icons}))
    found = sources.emoji(tmp_path)
    assert [c.name for c in found] == ["openmoji/A", "fluent/owl"]
    assert all(c.drawn for c in found)
