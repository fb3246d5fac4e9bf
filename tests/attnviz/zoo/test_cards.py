"""Cards: what the zoo lists, and which card files it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from attnviz.zoo import Card, UnknownModel, ZooError, card, cards
from attnviz.zoo.cards import card_from_dict, read_card
from tests.attnviz.zoo import tiny

BIN = {"from": 1, "to": 4, "count": 20, "exact_match": 0.5, "alignment_accuracy": None}
SNAPSHOT = {"step": 10, "file": "early.safetensors", "sha256": "0" * 64, "scores": {"bleu": 1.5}}


def test_bundled_cards_come_first_and_the_default_leads(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    values = json.loads((tmp_path / "cards" / f"{tiny.NAME}.json").read_text())
    for name in ("a_first_by_name", "hybrid_vit_scenes"):
        (tmp_path / "cards" / f"{name}.json").write_text(json.dumps({**values, "name": name}))
    names = [found.name for found in cards(tmp_path)]
    assert names[:4] == [
        "hybrid_vit_scenes",
        "a_first_by_name",
        "tiny_vit_test",
        "vit_tiny_patch16_224",
    ]
    assert len(names) == len(set(names))
    assert [found.bundled for found in cards(tmp_path)] == [True] * 3 + [False] * (len(names) - 3)


def test_the_shipped_cards_are_valid() -> None:
    for found in cards():
        assert found.title and found.family and found.file and found.parameters > 0
        assert bool(found.sha256) == (found.source != "timm")


def test_a_card_keeps_what_its_file_says(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    found = card(tiny.NAME, tmp_path)
    assert found.labels == tuple(tiny.LABELS)
    assert found.config["image_size"] == (48, 64)
    assert found.preprocess is not None and found.preprocess.size == (48, 64)
    assert found.data[0]["licence"] == "none"
    assert {found: "cards are hashable"}[found]


def test_a_card_survives_json(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    found = card(tiny.NAME, tmp_path)
    assert card_from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_a_translators_card_survives_json(tmp_path: Path) -> None:
    told = {"corpus": "dates_ko_en", "tokeniser": "dates"}
    tiny.write(tmp_path, by_length=[BIN], snapshots=[SNAPSHOT], **told)
    found = card(tiny.NAME, tmp_path)
    assert (found.corpus, found.tokeniser) == ("dates_ko_en", "dates")
    assert found.by_length == (BIN,) and found.snapshots == (SNAPSHOT,)
    assert card_from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert {found: "cards are hashable"}[found]


def test_the_card_of_a_step_tells_of_its_own_weights(tmp_path: Path) -> None:
    tiny.write(tmp_path, by_length=[BIN], snapshots=[SNAPSHOT, SNAPSHOT | {"step": 30}])
    found = card(tiny.NAME, tmp_path)
    early = found.at_step(10)
    assert (early.steps, early.file, early.sha256) == (10, "early.safetensors", "0" * 64)
    assert early.scores == {"bleu": 1.5} and early.by_length == ()
    assert (early.variant, early.config) == (found.variant, found.config)
    with pytest.raises(ZooError, match="no snapshot of step 20; there are: 10, 30"):
        found.at_step(20)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("vit_base_patch16_244", "vit_base_patch16_224"),
        ("deit_small_patch16", "deit_small_patch16_224"),
        ("hybrid_vit_scene", "hybrid_vit_scenes"),
    ],
)
def test_a_wrong_name_gets_near_ones(name: str, near: str, tmp_path: Path) -> None:
    tiny.write(tmp_path, name="hybrid_vit_scenes")
    with pytest.raises(UnknownModel, match=f"did you mean.*{near}"):
        card(name, tmp_path)


def test_a_hopeless_name_gets_the_list() -> None:
    with pytest.raises(LookupError, match="there are: .*vit_tiny_patch16_224"):
        card("zzz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": None}, "lacks title"),
        ({"tilte": "Typo"}, "no card has: tilte"),
        ({"source": "ftp"}, "source is"),
        ({"sha256": None}, "sha256"),
        ({"parameters": "many"}, "'parameters' should be int"),
        ({"parameters": True}, "'parameters' should be int"),
        ({"config": []}, "'config' should be dict"),
        ({"preprocess": {"sizes": 3}}, "preprocess is wrong"),
        ({"corpus": 3}, "'corpus' should be str or null"),
        ({"by_length": {}}, "'by_length' should be list"),
        ({"by_length": [{"from": 1, "to": 4}]}, "by_length 0 .*from, to, count"),
        ({"by_length": [BIN, BIN | {"to": "4"}]}, "by_length 1: 'to' should be int"),
        ({"by_length": [BIN | {"bleu": "high"}]}, "'bleu' should be int or float or null"),
        ({"snapshots": [3]}, "snapshots 0 should be an object"),
        ({"snapshots": [{"step": 1, "file": "a", "scores": {}}]}, "snapshots 0 .*sha256"),
        ({"snapshots": [SNAPSHOT | {"step": 1.5}]}, "'step' should be int"),
    ],
)
def test_a_wrong_card_names_its_file_and_fault(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    tiny.write(tmp_path, **changes)
    with pytest.raises(ZooError, match=message) as caught:
        cards(tmp_path)
    assert f"{tiny.NAME}.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "\0"])
def test_a_file_that_is_no_card(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ZooError, match=r"x\.json"):
        read_card(path)


def test_listing_brings_no_torch() -> None:
    code = (
        "import sys; from attnviz import zoo; zoo.cards(); zoo.card('vit_tiny_patch16_224');"
        "zoo.label_names(zoo.card('vit_tiny_patch16_224'));"
        "sys.exit(bool({'torch', 'timm', 'huggingface_hub'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_card_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Card("a", "b", "c").name = "d"  # type: ignore[misc]
