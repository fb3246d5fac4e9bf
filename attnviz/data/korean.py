"""Korean word forms: particles chosen by the last sound, and verbs in the forms that people say.

A Hangul syllable is one code point, ``0xAC00 + (lead * 21 + vowel) * 28 + final``, so the final
consonant that decides between 은 and 는 is one remainder away (Unicode 15, section 3.12).
"""

from __future__ import annotations

from dataclasses import dataclass, field

FIRST_SYLLABLE, LAST_SYLLABLE = 0xAC00, 0xD7A3
FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
"""The 28 finals in Unicode's order; a space stands for none."""

PARTICLES = {
    "은": "는",
    "이": "가",
    "을": "를",
    "과": "와",
    "으로": "로",
    "아": "야",
    "이에요": "예요",
    "이야": "야",
    "이니": "니",
    "이었": "였",
    "이랑": "랑",
}
"""Form after a consonant to the form after a vowel."""

NATIVE_NUMERALS = (
    *("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두"),
)
"""One to twelve as they stand before a counter."""

# How the last sign is read aloud: 영 일 이 삼 사 오 육 칠 팔 구, and the letters 엘 엠 엔 알.
_READ_FINALS = dict(zip("0136789LMNR", "ㅇㄹㅁㄱㄹㄹ ㄹㅁㄴㄹ", strict=True))


def final(word: str) -> str:
    """The final consonant that the word ends in when read aloud, or "" where it ends in a vowel.

    Digits and Latin letters are read one by one ("3" is 삼, "ATM" is 에이티엠); any other sign
    counts as a vowel.
    """
    last = word[-1:].upper()
    if last and FIRST_SYLLABLE <= ord(last) <= LAST_SYLLABLE:
        return FINALS[(ord(last) - FIRST_SYLLABLE) % 28].strip()
    return _READ_FINALS.get(last, "").strip()


def particle(word: str, after_consonant: str) -> str:
    """The form of a particle that fits the word: ``particle("사과", "을")`` is 를.

    Raises:
        KeyError: the particle is none of `PARTICLES`.
    """
    ending = final(word)
    closed = ending not in ("", "ㄹ") if after_consonant == "으로" else ending != ""
    return after_consonant if closed else PARTICLES[after_consonant]


def close(word: str, consonant: str) -> str:
    """The word with a final consonant put under its last, open syllable: 가 + ㅂ is 갑.

    Raises:
        ValueError: the last syllable is not Hangul or already has a final.
    """
    last = word[-1:]
    if not last or not FIRST_SYLLABLE <= ord(last) <= LAST_SYLLABLE or final(word):
        raise ValueError(f"{word!r} does not end in an open Hangul syllable")
    return word[:-1] + chr(ord(last) + FINALS.index(consonant))


@dataclass(frozen=True)
class Predicate:
    """A verb or adjective, given by what cannot be derived.

    Args:
        stem: before 다 in the dictionary: 먹, 듣, 춥.
        infinitive: the stem in 아 or 어, with its contraction: 먹어, 들어, 추워.
        loose: the stem before endings in 으 (먹으, 들으, 추우, 가); by default the stem, with 으
            after a consonant other than ㄹ.
        adjective: True where the form before a noun is that of an adjective (큰 rather than 크는).
    """

    stem: str
    infinitive: str
    loose: str = ""
    adjective: bool = field(default=False, kw_only=True)

    @property
    def _loose(self) -> str:
        return self.loose or (self.stem if final(self.stem) in ("", "ㄹ") else self.stem + "으")

    @property
    def _short(self) -> str:
        """The loose stem as it stands before ㄴ, ㅂ and ㅅ: a final ㄹ falls out (만들 → 만드)."""
        loose = self._loose
        return loose[:-1] + chr(ord(loose[-1]) - FINALS.index("ㄹ")) if final(loose) else loose

    @property
    def past(self) -> str:
        """The stem of the past: 먹었, 갔, 추웠."""
        return close(self.infinitive, "ㅆ")

    @property
    def prospective(self) -> str:
        """Before 거예요 and 수: 먹을, 갈, 만들."""
        return self._loose if final(self._loose) else close(self._loose, "ㄹ")

    @property
    def formal(self) -> str:
        """Before 다 and 까: 먹습니, 갑니, 만듭니."""
        if final(self.stem) in ("", "ㄹ"):
            return close(self._short, "ㅂ") + "니"
        return self.stem + "습니"

    @property
    def request(self) -> str:
        """The polite imperative: 가세요, 읽으세요, 만드세요."""
        return self._short + "세요"

    @property
    def modifier(self) -> str:
        """Before a noun, present: 큰, 귀여운, 재미있는, 긴."""
        if self.adjective and not self.stem.endswith(("있", "없")):
            return close(self._short, "ㄴ")
        base = self._short if final(self.stem) == "ㄹ" else self.stem
        return base + "는"

    @property
    def interrogative(self) -> str:
        """The casual question in 니: 먹니, 가니, 만드니."""
        return (self._short if final(self.stem) == "ㄹ" else self.stem) + "니"

    @property
    def proposal(self) -> str:
        """Before 시다, with which one proposes: 먹읍, 갑, 만듭."""
        return close(self._short, "ㅂ")

    @property
    def past_modifier(self) -> str:
        """Before a noun, past: 먹은, 간, 만든."""
        return close(self._short, "ㄴ")

    @property
    def conditional(self) -> str:
        """If, and with 서 while: 먹으면, 가면, 만들면."""
        return self._loose + "면"
