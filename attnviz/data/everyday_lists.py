"""Who, how, when and where in the everyday grammar: subjects, adjectives, times and places."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.data.everyday_grammar import Modifier, Phrase, Subject, noun_phrase, words
from attnviz.data.everyday_words import Noun, nouns, rows
from attnviz.data.korean import Predicate, particle


def _pronoun(en: str, person: str, polite: str, formal: str, casual: str) -> Subject:
    forms = {"polite": polite, "formal": formal, "casual": casual}
    return Subject(en, person, pronouns={k: tuple(v.split()) for k, v in forms.items()})


I = _pronoun("I", "I", "저는 나는 전", "저는 나는 전", "나는 난 난")  # noqa: E741
YOU = _pronoun("you", "they", "당신은", "당신은", "너는 넌")
HE = _pronoun("he", "he", "그는", "그는", "그는")
SHE = _pronoun("she", "he", "그녀는", "그녀는", "그녀는")
WE = _pronoun("we", "they", "우리는", "우리는 저희는", "우리는 우린")
THEY = _pronoun("they", "they", "그들은", "그들은", "그들은")
PRONOUNS = (I, I, I, I, YOU, HE, SHE, WE, THEY)

NAMES = {
    **{"Minsu": "민수", "Jisu": "지수", "Sujin": "수진", "Yeonghui": "영희", "Cheolsu": "철수"},
    **{"Jimin": "지민", "Seoyeon": "서연", "Hajun": "하준", "Yuna": "유나", "Minji": "민지"},
    **{"Tom": "톰", "Anna": "안나", "Maria": "마리아", "John": "존", "Emily": "에밀리"},
    **{"Lisa": "리사", "Peter": "피터", "Paul": "폴", "Hyeonu": "현우", "Jun": "준"},
}

MEN = ["Minsu", "Cheolsu", "Hajun", "Tom", "John", "Peter", "Paul", "Hyeonu", "Jun"]

FAMILY = {
    **{"younger brother": "남동생", "younger sister": "여동생", "older brother": "형"},
    **{"older sister": "누나", "son": "아들", "daughter": "딸", "husband": "남편"},
    **{"wife": "아내", "cousin": "사촌", "uncle": "삼촌", "aunt": "이모", "roommate": "룸메이트"},
    **{"mother": "어머니", "father": "아버지", "grandmother": "할머니", "grandfather": "할아버지"},
}
"""People who are somebody's: they come with "my"."""

NAMED = tuple(Subject(en, "he", ko, content=(en,)) for en, ko in NAMES.items())

AN_ACTOR = (
    "student", "friend", "child", "doctor", "nurse", "singer", "boy", "girl", "man", "woman",
    "cook", "farmer", "astronaut", "princess",
)  # fmt: skip
ANIMALS = ("dog", "cat", "monkey", "rabbit", "bear", "puppy", "baby", "bird", "horse", "elephant")
"""Nouns that act in sentences: the student, and of what it needs no hands for, the cat."""

MY: dict[str, tuple[str, ...]] = {
    "polite": ("제", "내"),
    "formal": ("제", "내"),
    "casual": ("내", "내"),
}
POSSESSORS: dict[str, dict[str, tuple[str, ...]]] = {
    "my": MY,
    "your": {"polite": ("당신의",), "formal": ("당신의",), "casual": ("너의", "네")},
    "his": dict.fromkeys(MY, ("그의",)),
    "her": dict.fromkeys(MY, ("그녀의",)),
    "our": dict.fromkeys(MY, ("우리",)),
    "their": dict.fromkeys(MY, ("그들의",)),
}


def possessive(word: str, register: str, form: int = 0) -> Modifier:
    """My, your, ... before a noun; 제 in polite Korean, 내 in casual."""
    forms = POSSESSORS[word][register]
    return Modifier(forms[min(form, len(forms) - 1)], word, determiner=True)


OURS = (*("friend", "teacher", "doctor", "neighbor", "coach", "dentist", "lawyer", "secretary"),)
"""People who can be somebody's."""

THIS = Modifier("이", "this", determiner=True, en_plural="these")
THAT = Modifier("저", "that", determiner=True, en_plural="those")


@dataclass(frozen=True)
class Adjective:
    """A quality in both languages.

    Args:
        ko: how Korean inflects it.
        en: the adjective.
        comparative: "bigger"; the same word with "more" where there is no form of its own.
        of: kinds and groups of the nouns that it fits.
    """

    ko: Predicate
    en: str
    comparative: str
    of: str

    @property
    def modifier(self) -> Modifier:
        return Modifier(self.ko.modifier, self.en)


def _adjectives(text: str) -> tuple[Adjective, ...]:
    found = []
    for line in text.strip().splitlines():
        korean, english, of = (cell.strip() for cell in line.split("|"))
        en, _, comparative = english.partition(" ")
        stem, infinitive, *loose = korean.split()
        ko = Predicate(stem, infinitive, *loose, adjective=True)
        found.append(Adjective(ko, en, comparative or f"more {en}", of))
    return tuple(found)


ADJECTIVES = _adjectives("""
    크 커 | big bigger | animal thing car place room sight clothes
    작 작아 | small smaller | animal thing car place room clothes
    예쁘 예뻐 | pretty prettier | flower clothes headwear footwear
    귀엽 귀여워 귀여우 | cute cuter | animal
    빠르 빨라 | fast faster | animal vehicle car
    느리 느려 | slow slower | animal vehicle car
    비싸 비싸 | expensive | thing clothes car instrument footwear food
    싸 싸 | cheap cheaper | thing clothes footwear food
    무겁 무거워 무거우 | heavy heavier | thing instrument
    가볍 가벼워 가벼우 | light lighter | thing footwear
    맛있 맛있어 | delicious | food drink
    달 달아 | sweet sweeter | food
    맵 매워 매우 | spicy spicier | food
    신선하 신선해 | fresh fresher | food
    뜨겁 뜨거워 뜨거우 | hot hotter | drink
    차갑 차가워 차가우 | cold colder | drink
    깨끗하 깨끗해 | clean cleaner | room place clothes
    더럽 더러워 더러우 | dirty dirtier | room clothes footwear
    재미있 재미있어 | interesting | book show
    지루하 지루해 | boring | book show
    유명하 유명해 | famous | person place book
    친절하 친절해 | kind kinder | person
    똑똑하 똑똑해 | smart smarter | person animal
    젊 젊어 | young younger | person
    부지런하 부지런해 | diligent | person
    게으르 게을러 | lazy lazier | person animal
    강하 강해 | strong stronger | person animal
    약하 약해 | weak weaker | person animal
    아름답 아름다워 아름다우 | beautiful | flower sight place
    조용하 조용해 | quiet quieter | place room
    시끄럽 시끄러워 시끄러우 | noisy noisier | place room
    위험하 위험해 | dangerous | animal vehicle
    무섭 무서워 무서우 | scary scarier | animal
    어렵 어려워 어려우 | difficult | subject language
    쉽 쉬워 쉬우 | easy easier | subject language
    이상하 이상해 | strange stranger | thing person
    길 길어 | long longer | clothes reading show
    중요하 중요해 | important | subject reading
    편리하 편리해 | convenient | machine vehicle
""")

FEELINGS = _adjectives("""
    행복하 행복해 | happy | all
    슬프 슬퍼 | sad | all
    피곤하 피곤해 | tired | all
    바쁘 바빠 | busy | all
    배고프 배고파 | hungry | all
    목마르 목말라 | thirsty | all
    아프 아파 | sick | all
    졸리 졸려 | sleepy | all
    외롭 외로워 외로우 | lonely | all
    심심하 심심해 | bored | all
    건강하 건강해 | healthy | all
    친절하 친절해 | kind | all
    똑똑하 똑똑해 | smart | all
    춥 추워 추우 | cold | all
""")

COLOURS = {
    **{"red": "빨간", "blue": "파란", "yellow": "노란", "white": "하얀", "black": "검은"},
    **{"green": "초록색", "pink": "분홍색", "purple": "보라색", "brown": "갈색"},
    **{"gray": "회색", "orange": "주황색"},
}
COLOURED = "clothes headwear footwear flower car thing"


def colour(english: str) -> Modifier:
    return Modifier(COLOURS[english], english)


def colour_name(english: str) -> str:
    """The colour as a noun: 빨간색."""
    korean = COLOURS[english]
    return korean if korean.endswith("색") else korean + "색"


# ---- when ----------------------------------------------------------------------------------------

DAYS = dict(
    rows(
        "Monday=월요일, Tuesday=화요일, Wednesday=수요일, Thursday=목요일, Friday=금요일, "
        "Saturday=토요일, Sunday=일요일"
    )
)
MONTHS = dict(
    rows(
        "January=일월, February=이월, March=삼월, April=사월, May=오월, June=유월, July=칠월, "
        "August=팔월, September=구월, October=시월, November=십일월, December=십이월"
    )
)


def _time(preposition: str, english: str, korean: str) -> Phrase:
    """On Monday, 월요일에: the particle belongs to the preposition."""
    en = [*words(preposition, "Dd"), *words(english, "d")]
    return Phrase([(" " + korean, "d"), ("에", "D")], en)


def _adverb(english: str, korean: str) -> Phrase:
    return Phrase([(" " + korean, "d")], words(english, "d"))


ANY_TIME = (
    *(_time("on", en, ko) for en, ko in DAYS.items()),
    _time("in", "the morning", "아침"),
    _time("in", "the afternoon", "오후"),
    _time("in", "the evening", "저녁"),
    _time("at", "night", "밤"),
    _time("on", "the weekend", "주말"),
    *(_time("in", en, ko) for en, ko in rows("spring=봄, summer=여름, fall=가을, winter=겨울")),
)
_HOURS = (
    ("one", "한"), ("two", "두"), ("three", "세"), ("four", "네"), ("five", "다섯"),
    ("six", "여섯"), ("seven", "일곱"), ("eight", "여덟"), ("nine", "아홉"), ("ten", "열"),
)  # fmt: skip
CLOCK = tuple(_time("at", f"{en} o'clock", f"{ko} 시") for en, ko in _HOURS)
TIMES = {
    "present": (*(_adverb(*r) for r in rows("every day=매일, often=자주")), *ANY_TIME, *CLOCK),
    "past": (
        *(_adverb(*r) for r in rows("yesterday=어제, today=오늘")),
        _adverb("last week", "지난주에"),
        _adverb("last year", "작년에"),
        *ANY_TIME,
        *CLOCK,
    ),
    "future": (
        *(_adverb(*r) for r in rows("tomorrow=내일, today=오늘")),
        _adverb("next week", "다음 주에"),
        _adverb("next year", "내년에"),
        *ANY_TIME,
        *CLOCK,
    ),
    "progressive": (_adverb("now", "지금"),),
    "want": (*(_adverb(*r) for r in rows("tomorrow=내일, today=오늘, now=지금")), *ANY_TIME),
    "can": (*(_adverb(*r) for r in rows("tomorrow=내일, today=오늘")),),
    "must": (
        *(_adverb(*r) for r in rows("tomorrow=내일, today=오늘, now=지금")),
        *ANY_TIME,
        *CLOCK,
    ),
}

# ---- where ---------------------------------------------------------------------------------------

ON_PLACES = ("island", "balcony", "farm")
IN_PLACES = [
    "park",
    "library",
    "city",
    "village",
    "forest",
    "garden",
    "kitchen",
    "classroom",
    "bathroom",
    "room",
    "restroom",
    "hut",
    "desert",
    "office",
    "mountain",
    "store",
    "hallway",
    "basement",
    "garage",
    "bedroom",
]


def place(noun: Noun, mode: str) -> Phrase:
    """A place as a goal (mode "to", 에), as where something is ("at", 에)
    or happens ("do", 에서).
    """
    mark = "에서" if mode == "do" else "에"
    if noun.en == "house":  # 집 as a place is home
        at_home = words("at", "Pp") if mode != "to" else []
        return Phrase([(" 집", "p"), (mark, "P")], [*at_home, *words("home", "p")])
    inside = noun.kind in ("country", "room") or noun.en.split()[-1] in IN_PLACES
    preposition = "to" if mode == "to" else "in" if inside else "at"
    if preposition != "to" and noun.en in ON_PLACES:
        preposition = "on"
    number = "bare" if noun.kind == "country" or noun.en == "school" else "the"
    name = noun_phrase(noun, number, "p")
    return Phrase([*name.ko, (mark, "P")], [*words(preposition, "Pp"), *name.en])


RELATIONS = {
    "in": "안",
    "on": "위",
    "under": "아래",
    "next to": "옆",
    "in front of": "앞",
    "behind": "뒤",
    "near": "근처",
}


def located(noun: Noun, relation: str, variant: bool = False) -> Phrase:
    """In the box, 상자 안에."""
    name = noun_phrase(noun, "the", "g")
    korean = "밑" if variant and relation == "under" else RELATIONS[relation]
    en = [*words(relation, "r"), *name.en]
    return Phrase([*name.ko, (" " + korean, "r"), ("에", "r")], en)


def ground_kinds(relation: str) -> str:
    """Kinds and groups of what something can be in, on, or somewhere near."""
    return {"in": "container", "on": "surface", "under": "surface"}.get(relation, "landmark")


def companion(subject_en: str, subject_ko: str, determined: bool, variant: bool) -> Phrase:
    """With a friend, 친구와 함께; names and "my ..." have no article."""
    joint = "하고 같이" if variant else particle(subject_ko, "과") + " 함께"
    en = words(subject_en, "c") if determined else noun_phrase(nouns()[subject_en], "a", "c").en
    return Phrase([(" " + subject_ko, "c"), (joint, "w")], [*words("with", "w"), *en])
