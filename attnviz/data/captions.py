"""What can truly be said of a scene, in English and Korean, from where its objects lie.

Every word knows the objects that it names, so that attention can be measured against their boxes.
One thing is named with its size, several of a kind with their number, two or three kinds by where
they lie: "a strawberry left of a penguin and above a car" is 펭귄 왼쪽과 자동차 위쪽에 있는 딸기.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from attnviz.data.korean import NATIVE_NUMERALS, particle
from attnviz.data.things import Thing, things

Box = tuple[float, float, float, float]  # top, left, bottom, right; any unit, ends exclusive

SMALL, BIG = 0.3, 0.7  # longer side of a lone object, as a share of the scene's side
BESIDE = 0.05  # gap up to which neighbours stand beside each other, as a share of the scene's side
NUMBERS = ("one", "two", "three", "four")  # more of a kind are "many"
KOREAN_RELATIONS = {
    "left of": "왼쪽",
    "right of": "오른쪽",
    "above": "위쪽",
    "below": "아래쪽",
    "beside": "옆",
    "on": "위",
}
"""How one thing lies to another, and the Korean noun for that place."""

NOTHING = {"en": "nothing", "ko": "아무것도 없음"}
LANGUAGES = tuple(NOTHING)


@dataclass(frozen=True)
class Item:
    """One object of a scene, pasted in order: later ones lie in front.

    Args:
        thing: what it is.
        box: around all of it, whether covered or not; shares of the scene's side.
        area: its visible share of the scene.
    """

    thing: Thing
    box: Box
    area: float


@dataclass(frozen=True)
class Word:
    """A word of a caption.

    Args:
        items: those (by position) that it names; none for "left", "a", …
        by: those that decide a word such as "left" and are not yet named: what another thing is
            left of, or, in Korean, where that is said first, the other thing.
    """

    text: str
    items: tuple[int, ...] = ()
    by: tuple[int, ...] = ()


Caption = tuple[Word, ...]


@dataclass(frozen=True)
class Group:
    """All items of one kind."""

    thing: Thing
    items: tuple[int, ...]
    box: Box
    area: float

    @property
    def front(self) -> int:
        """How far in front its foremost item lies."""
        return max(self.items)


def text(caption: Caption) -> str:
    """The caption as a sentence would be typed."""
    return " ".join(word.text for word in caption)


def caption(items: Sequence[Item], language: str) -> Caption:
    """The caption that recipes teach: what covers most pixels is spoken of first."""
    return _say(groups(items), items, language)


def true_captions(items: Sequence[Item], language: str) -> list[str]:
    """Every caption that is true of the scene: the same things told in any order."""
    return [text(_say(order, items, language)) for order in permutations(groups(items))]


def groups(items: Sequence[Item]) -> list[Group]:
    """Items by kind, the kind that covers most pixels first."""
    kinds: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        kinds.setdefault(item.thing.en, []).append(number)
    found = [
        Group(
            thing=items[members[0]].thing,
            items=tuple(members),
            box=union([items[m].box for m in members]),
            area=sum(items[m].area for m in members),
        )
        for members in kinds.values()
    ]
    return sorted(found, key=lambda group: -group.area)


def union(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of them."""
    tops, lefts, bottoms, rights = zip(*boxes, strict=True)
    return min(tops), min(lefts), max(bottoms), max(rights)


def relation(a: Box, b: Box, in_front: bool) -> str:
    """How `a` lies to `b`; boxes in shares of the scene's side.

    On: in front of it, upright over it and overlapping it from above. Otherwise the longer way
    between the centres decides; neighbours at one height with next to no gap are beside each other.
    """
    across, down = _centre(a)[1] - _centre(b)[1], _centre(a)[0] - _centre(b)[0]
    over = b[1] <= _centre(a)[1] <= b[3]
    if in_front and over and b[0] < a[2] < b[2] and a[0] < b[0] and down < 0:
        return "on"
    if abs(across) < abs(down):
        return "above" if down < 0 else "below"
    gap = max(a[1] - b[3], b[1] - a[3])
    level = abs(a[2] - b[2]) < 2 * BESIDE
    if abs(gap) < BESIDE and level:
        return "beside"
    return "left of" if across < 0 else "right of"


def vocabulary(language: str) -> list[str]:
    """Every word that a caption can hold, sorted."""
    found: set[str] = set()
    if language == "en":
        found.update(["a", "an", "and", "many", "nothing", "big", "small", *NUMBERS[1:]])
        found.update(word for name in KOREAN_RELATIONS for word in name.split())
        for thing in things():
            found.update(thing.named.split())
            found.update(thing.plural.split() if thing.form == "count" else ())
    else:
        found.update(["아무것도", "없음", "큰", "작은", "있는", "여러", *NATIVE_NUMERALS[1:4]])
        found.update(place + "에" for place in KOREAN_RELATIONS.values())
        found.update(_and(place) for place in KOREAN_RELATIONS.values())
        for thing in things():
            found.update([*thing.ko.split(), thing.counter])
    return sorted(found)


def _centre(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _say(order: Sequence[Group], items: Sequence[Item], language: str) -> Caption:
    """The caption that tells the groups in this order; the first is placed by the others."""
    if not order:
        return tuple(map(Word, NOTHING[language].split()))
    subject, *others = order
    size = _size(items[subject.items[0]].box) if len(items) == 1 else ""
    places = [relation(subject.box, o.box, subject.front > o.front) for o in others]
    words = _english if language == "en" else _korean
    return tuple(words(subject, size, list(zip(places, others, strict=True))))


def _size(box: Box) -> str:
    longer = max(box[2] - box[0], box[3] - box[1])
    return "small" if longer < SMALL else "big" if longer > BIG else ""


def _english(subject: Group, size: str, others: list[tuple[str, Group]]) -> Iterator[Word]:
    yield from _english_group(subject, size)
    for number, (place, group) in enumerate(others):
        yield from [Word("and")] * (number > 0)
        yield from (Word(part, by=group.items) for part in place.split())
        yield from _english_group(group)


def _english_group(group: Group, size: str = "") -> Iterator[Word]:
    thing, count = group.thing, len(group.items)
    several = count > 1 and thing.form == "count"
    name = (thing.plural if several else thing.en).split()
    if several:
        yield Word(NUMBERS[count - 1] if count <= len(NUMBERS) else "many")
    elif thing.form == "count":
        yield Word("a" if size else thing.named.split()[0])
    if size:
        yield Word(size)
    yield from (Word(part, group.items) for part in name)


def _korean(subject: Group, size: str, others: list[tuple[str, Group]]) -> Iterator[Word]:
    for number, (place, group) in enumerate(others):
        yield from _korean_group(group)
        noun = KOREAN_RELATIONS[place]
        yield Word(noun + "에" if number == len(others) - 1 else _and(noun), by=subject.items)
    if others:
        yield Word("있는")
    if size:
        yield Word({"small": "작은", "big": "큰"}[size])
    yield from _korean_group(subject)


def _korean_group(group: Group) -> Iterator[Word]:
    count, thing = len(group.items), group.thing
    yield from (Word(part, group.items) for part in thing.ko.split())
    if count > 1 and thing.form == "count":
        yield Word(NATIVE_NUMERALS[count - 1] if count <= len(NUMBERS) else "여러")
        yield Word(thing.counter)


def _and(place: str) -> str:
    return place + particle(place, "과")
