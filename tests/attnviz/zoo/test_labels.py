"""Class names."""

from __future__ import annotations

from timm.data import ImageNetInfo

from attnviz.zoo import Card, label_names


def test_imagenet_names_are_timms_in_timms_order() -> None:
    names = label_names(Card("m", "M", "vit", labels="imagenet"))
    info = ImageNetInfo("imagenet-1k")
    expected = [info.index_to_description(i, detailed=False).split(",")[0] for i in range(1000)]
    assert names == expected
    assert names[281] == "tabby" and len(names) == 1000


def test_own_names_and_none() -> None:
    assert label_names(Card("m", "M", "vit", labels=("a", "b"))) == ["a", "b"]
    assert label_names(Card("m", "M", "vit")) == []
