"""The closed word lists of the everyday grammar, beside the emoji names of the lexicon.

Each row is English = Korean. A "*" marks a noun that is always plural (glasses), a "~" one without
an article (water, lunch); both are how English counts the thing, as Korean marks neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attnviz.data.korean import Predicate

LEXICON = Path(__file__).parents[1] / "assets" / "lexicon" / "everyday.json"

IRREGULAR_PLURALS = {
    **{"child": "children", "man": "men", "woman": "women", "person": "people", "mouse": "mice"},
    **{"goose": "geese", "ox": "oxen", "die": "dice", "foot": "feet", "tooth": "teeth"},
    **{"knife": "knives", "wolf": "wolves", "leaf": "leaves", "elf": "elves", "shelf": "shelves"},
    **{"wife": "wives", "scarf": "scarves", "hoof": "hooves", "loaf": "loaves", "cactus": "cacti"},
    **dict.fromkeys(("sheep", "deer", "fish", "bison", "squid", "shrimp", "blowfish", "jellyfish")),
    **{"potato": "potatoes", "tomato": "tomatoes", "volcano": "volcanoes", "hero": "heroes"},
    **{"mosquito": "mosquitoes", "octopus": "octopuses", "businessman": "businessmen"},
    **{"buffalo": "buffaloes", "snowman": "snowmen", "policeman": "policemen", "ninja": "ninjas"},
}
"""Plural of a noun's last word; None where it equals the singular."""

AN_DESPITE_THE_LETTER = ("hour", "honest", "honey-")
A_DESPITE_THE_LETTER = ("uni", "one", "euro", "use", "ukulele")


@dataclass(frozen=True, eq=False)
class Noun:
    """A thing to speak of.

    Args:
        en, ko: its name in the singular, or in the plural where `form` says so.
        kind: what can be done with it: "animal", "food", "thing", ...
        form: "count", "mass" (no article) or "plural" (always plural).
    """

    en: str
    ko: str
    kind: str
    form: str = "count"

    @property
    def plural(self) -> str:
        return plural(self.en) if self.form == "count" else self.en


def plural(noun: str) -> str:
    """English plural of a singular noun phrase, by its last word."""
    head, _, last = noun.rpartition(" ")
    if last in IRREGULAR_PLURALS:
        last = IRREGULAR_PLURALS[last] or last
    elif last.endswith(("s", "x", "z", "ch", "sh")):
        last += "es"
    elif last.endswith("y") and last[-2] not in "aeiou":
        last = last[:-1] + "ies"
    else:
        last += "s"
    return f"{head} {last}".strip()


def article(phrase: str) -> str:
    """ "a" or "an", by how the phrase begins when spoken."""
    start = phrase.lower()
    vowel = start[0] in "aeiou" and not start.startswith(A_DESPITE_THE_LETTER)
    return "an" if vowel or start.startswith(AN_DESPITE_THE_LETTER) else "a"


COMMON_NOUNS = {
    "person": """
        teacher=선생님, doctor=의사, nurse=간호사, friend=친구, engineer=기술자, lawyer=변호사,
        actor=배우, writer=작가, soldier=군인, driver=운전사, professor=교수, musician=음악가,
        king=왕, queen=여왕, neighbor=이웃, tourist=관광객, customer=손님, reporter=기자,
        programmer=프로그래머, dentist=치과의사, barber=이발사, baker=제빵사, secretary=비서,
        boy=소년, girl=소녀, high school student=고등학생, college student=대학생, pilot=조종사,
        foreigner=외국인, wizard=마법사, hero=영웅, guide=가이드, model=모델, player=선수,
        coach=코치, clown=광대, witch=마녀, poet=시인, chemist=화학자, architect=건축가,
        photographer=사진작가, waiter=웨이터, athlete=운동선수, millionaire=백만장자""",
    "animal": """
        cow=소, sheep=양, puppy=강아지, mouse=쥐, crow=까마귀, dinosaur=공룡,
        kitten=새끼 고양이""",
    "food": """
        apple=사과, orange=오렌지, corn~=옥수수, soup~=수프, meat~=고기, beef~=소고기,
        pork~=돼지고기, rice~=밥, kimchi~=김치, bulgogi~=불고기, bibimbap~=비빔밥, ramen~=라면,
        cake=케이크, chocolate~=초콜릿, sugar~=설탕, cheese~=치즈, noodles*=국수, salad~=샐러드,
        fruit~=과일, vegetables*=채소, steak~=스테이크, sausage=소시지, tofu~=두부, jam~=잼,
        gimbap~=김밥, tteokbokki~=떡볶이, galbi~=갈비, yogurt~=요구르트, pumpkin=호박,
        nuts*=견과류, fried chicken~=치킨, honey~=꿀, cabbage=양배추, persimmon=감, plum=자두,
        apricot=살구""",
    "meal": "breakfast~=아침, lunch~=점심, dinner~=저녁",
    "drink": """
        water~=물, milk~=우유, coffee~=커피, tea~=차, juice~=주스, beer~=맥주, wine~=와인,
        cola~=콜라, green tea~=녹차, orange juice~=오렌지 주스, apple juice~=사과 주스,
        hot chocolate~=핫초코, soju~=소주, lemonade~=레모네이드""",
    "flower": "flower=꽃, rose=장미, lily=백합",
    "sight": "tree=나무, picture=그림, photo=사진, statue=동상, flag=깃발",
    "vehicle": "subway train=지하철, ship=배, boat=보트, yacht=요트",
    "car": "car=자동차, truck=트럭",
    "clothes": """
        shirt=셔츠, skirt=치마, pants*=바지, jeans*=청바지, jacket=재킷, sweater=스웨터,
        suit=정장, uniform=교복, hanbok=한복, blouse=블라우스, raincoat=비옷, pajamas*=잠옷""",
    "headwear": "hat=모자, helmet=헬멧, mask=마스크",
    "footwear": "shoes*=신발, boots*=부츠, sandals*=샌들, sneakers*=운동화, slippers*=슬리퍼",
    "instrument": "piano=피아노, cello=첼로, clarinet=클라리넷, recorder=리코더, ukulele=우쿨렐레",
    "book": """
        book=책, dictionary=사전, magazine=잡지, comic book=만화책, novel=소설, textbook=교과서,
        cookbook=요리책, picture book=그림책""",
    "reading": "letter=편지, poem=시, article=기사, report=보고서, diary=일기, message=메시지",
    "show": """
        movie=영화, drama=드라마, news~=뉴스, television~=텔레비전, soccer game=축구 경기,
        baseball game=야구 경기, cartoon=만화 영화, play=연극, concert=콘서트""",
    "sound": "music~=음악, song=노래, classical music~=클래식 음악, jazz~=재즈",
    "sport": "soccer~=축구, baseball~=야구, golf~=골프, volleyball game=배구 시합, chess~=체스",
    "language": """
        Korean~=한국어, English~=영어, Japanese~=일본어, Chinese~=중국어, French~=프랑스어,
        German~=독일어, Spanish~=스페인어, Italian~=이탈리아어, Russian~=러시아어,
        Arabic~=아랍어""",
    "subject": """
        math~=수학, history~=역사, science~=과학, physics~=물리학, chemistry~=화학,
        biology~=생물학, economics~=경제학, art~=미술, law~=법학, philosophy~=철학""",
    "thing": """
        monitor=모니터, computer=컴퓨터, table=탁자, desk=책상, sofa=소파, bag=가방, box=상자,
        cup=컵, bottle=병, plate=접시, refrigerator=냉장고, lamp=램프, pillow=베개,
        blanket=담요, towel=수건, map=지도, toy=장난감, doll=인형, ball=공, stamp=우표,
        wallet=지갑, card=카드, eraser=지우개, gift=선물, die=주사위, puzzle=퍼즐,
        headphones*=헤드폰, shopping bag=쇼핑백, trash can=휴지통, drawer=서랍, bookshelf=책장,
        closet=옷장, washing machine=세탁기, air conditioner=에어컨, fan=선풍기,
        vacuum cleaner=청소기, tablet=태블릿, radio=라디오, speaker=스피커, sword=칼, pot=냄비,
        fork=포크, carpet=카펫, curtain=커튼, comb=빗, soccer shoes*=축구화, necklace=목걸이,
        bracelet=팔찌, earrings*=귀걸이, passport=여권, vase=꽃병, stapler=스테이플러,
        tape~=테이프, paper~=종이, glue~=풀, microwave oven=전자레인지, rice cooker=밥솥,
        kettle=주전자, racket=라켓, swing=그네, blackboard=칠판, bench=벤치, suitcase=여행 가방,
        drone=드론, engine=엔진""",
    "place": """
        library=도서관, park=공원, restaurant=식당, cafe=카페, office=사무실, market=시장,
        supermarket=슈퍼마켓, bookstore=서점, airport=공항, museum=박물관, zoo=동물원,
        theater=극장, beach=해변, lake=호수, forest=숲, city=도시, village=마을,
        university=대학교, playground=놀이터, gym=체육관, swimming pool=수영장, farm=농장,
        island=섬, store=가게, pharmacy=약국, bakery=빵집, police station=경찰서,
        fire station=소방서, palace=궁전, train station=기차역, subway station=지하철역,
        building=건물, flower shop=꽃집, art gallery=미술관, school=학교, house=집,
        laundry=세탁소, hair salon=미용실, movie theater=영화관, river=강, sea=바다,
        elementary school=초등학교, temple=절""",
    "room": """
        room=방, kitchen=부엌, bathroom=욕실, living room=거실, classroom=교실, garden=정원,
        bedroom=침실, hallway=복도, basement=지하실, garage=차고, balcony=발코니""",
    "country": """
        Korea~=한국, the United States~=미국, the United Kingdom~=영국,
        the Netherlands~=네덜란드, the Philippines~=필리핀, Seoul~=서울, Busan~=부산,
        New York~=뉴욕, London~=런던, Paris~=파리, Tokyo~=도쿄, Berlin~=베를린, Jeju~=제주도""",
}
FORMS = {"~": "mass", "*": "plural"}

GROUPS = {
    "container": """
        box, bag, basket, bucket, drawer, refrigerator, car, house, closet, suitcase,
        treasure chest, toolbox, tent, handbag, shopping cart""",
    "surface": "table, desk, chair, bed, sofa, bookshelf, bench, box, carpet, piano",
    "landmark": """
        table, desk, chair, bed, sofa, door, window, car, tree, school, house, hospital, bank,
        library, post office, church, hotel, bus stop, fountain, piano, mirror, park, statue,
        convenience store, building, train station, refrigerator""",
    "opened": "door, window, box, bag, drawer, refrigerator, umbrella, suitcase, toolbox, bottle",
    "machine": """
        computer, monitor, camera, laptop, printer, robot, telephone, mobile phone, tablet,
        refrigerator, washing machine, fan, drone, radio, movie camera, desktop computer,
        fax machine, vacuum cleaner""",
    "thrown": "ball, soccer ball, volleyball, boomerang, coin, rugby football, puzzle, key, brick",
    "collected": "stamp, coin, doll, toy, card, picture, ticket, book, comic book, ring",
    "light": "light bulb, lamp, television, radio, computer, air conditioner, fan, monitor",
}
"""Nouns by name that share a use but not a kind."""


def rows(text: str) -> Iterator[tuple[str, str]]:
    """The (English, Korean) rows of a list written "apple=사과, pear=배"."""
    for row in text.split(","):
        english, _, korean = row.strip().partition("=")
        yield english, korean


@cache
def nouns() -> dict[str, Noun]:
    """Every noun by its English name: the lexicon's, then those above.

    Raises:
        ValueError: an English or a Korean name stands for two nouns.
    """
    found: dict[str, Noun] = {}
    korean: set[str] = set()
    content = json.loads(LEXICON.read_text(encoding="utf-8"))
    listed = [Noun(r["en"], r["ko"], r["kind"], r.get("form", "count")) for r in content["nouns"]]
    for kind, text in COMMON_NOUNS.items():
        for en, ko in rows(text):
            form = FORMS.get(en[-1], "count")
            listed.append(Noun(en.rstrip("~*"), ko, kind, form))
    for noun in listed:
        if noun.en in found or noun.ko in korean:
            raise ValueError(f"two nouns are called {noun.en!r} or {noun.ko!r}")
        found[noun.en] = noun
        korean.add(noun.ko)
    return found


@cache
def nouns_of(names: str) -> tuple[Noun, ...]:
    """The nouns of some kinds or groups, written "food drink container"."""
    wanted = names.split()
    grouped = {en for name in wanted for en, _ in rows(GROUPS.get(name, ""))}
    return tuple(n for n in nouns().values() if n.kind in wanted or n.en in grouped)


@dataclass(frozen=True)
class Verb:
    """A verb in both languages and what it takes.

    Args:
        ko: how Korean inflects it.
        en: base, past and -ing form; a third person in -s is derived.
        objects: kinds and groups of the nouns that it takes; empty for an intransitive verb.
        rest: English words between the verb and its object ("to" in listen to).
        number: how English names the object: "a" (an apple), "all" (apples) or "the".
        tenses: letters of the tenses it is used in, see `everyday_grammar.TENSES`.
    """

    ko: Predicate
    en: tuple[str, str, str]
    objects: str = ""
    rest: str = ""
    number: str = "a"
    tenses: str = "present past future progressive want can must"

    @property
    def third(self) -> str:
        """The form after he, she and it."""
        base = self.en[0]
        if base.endswith(("s", "sh", "ch", "x", "o")):
            return base + "es"
        if base.endswith("y") and base[-2] not in "aeiou":
            return base[:-1] + "ies"
        return {"have": "has"}.get(base, base + "s")


def _verb(
    ko: str, en: str, objects: str = "", rest: str = "", number: str = "a", tenses: str = ""
) -> Verb:
    base, past, ing = en.split()
    parts = (Predicate(*ko.split()), (base, past, ing), objects, rest, number)
    return Verb(*parts, tenses) if tenses else Verb(*parts)


_GOODS = "food drink thing clothes headwear footwear eyewear flower book instrument car"
_STATE = "present past"
TRANSITIVE = (
    _verb("먹 먹어", "eat ate eating", "food meal"),
    _verb("마시 마셔", "drink drank drinking", "drink"),
    _verb("사 사", "buy bought buying", _GOODS),
    _verb("팔 팔아", "sell sold selling", _GOODS),
    _verb(
        "보 봐", "see saw seeing", "animal person sight vehicle car flower", tenses="past want can"
    ),
    _verb(
        "좋아하 좋아해",
        "like liked liking",
        "animal food drink thing flower sport show sound subject",
        number="all",
        tenses=_STATE,
    ),
    _verb(
        "싫어하 싫어해",
        "hate hated hating",
        "animal food drink thing sport subject",
        number="all",
        tenses=_STATE,
    ),
    _verb("사랑하 사랑해", "love loved loving", "animal flower sound", number="all", tenses=_STATE),
    _verb("읽 읽어", "read read reading", "book reading"),
    _verb("쓰 써", "write wrote writing", "book reading"),
    _verb("그리 그려", "draw drew drawing", "animal person flower sight vehicle car thing"),
    _verb("만들 만들어", "make made making", "food clothes thing"),
    _verb("사용하 사용해", "use used using", "thing machine"),
    _verb("타 타", "ride rode riding", "vehicle car"),
    _verb("운전하 운전해", "drive drove driving", "car"),
    _verb("입 입어", "wear wore wearing", "clothes"),
    _verb("쓰 써", "wear wore wearing", "headwear eyewear"),
    _verb("신 신어", "wear wore wearing", "footwear"),
    _verb("연주하 연주해", "play played playing", "instrument", number="the"),
    _verb("하 해", "play played playing", "sport"),
    _verb("하 해", "speak spoke speaking", "language", tenses="present can must want"),
    _verb("듣 들어 들으", "listen listened listening", "sound", rest="to"),
    _verb("보 봐", "watch watched watching", "show"),
    _verb("공부하 공부해", "study studied studying", "language subject"),
    _verb("배우 배워", "learn learned learning", "language subject"),
    _verb("가르치 가르쳐", "teach taught teaching", "language subject"),
    _verb("만나 만나", "meet met meeting", "person"),
    _verb("도와주 도와줘", "help helped helping", "person"),
    _verb("기다리 기다려", "wait waited waiting", "person vehicle car", rest="for"),
    _verb(
        "찾 찾아", "look looked looking", "person animal thing", rest="for", tenses="progressive"
    ),
    _verb("알 알아", "know knew knowing", "person", number="the", tenses="present"),
    _verb(
        "기억하 기억해",
        "remember remembered remembering",
        "person",
        number="the",
        tenses="present past",
    ),
    _verb("청소하 청소해", "clean cleaned cleaning", "room", number="the"),
    _verb("열 열어", "open opened opening", "opened", number="the"),
    _verb("닫 닫아", "close closed closing", "opened", number="the"),
    _verb("켜 켜", "turn turned turning", "light", rest="on", number="the"),
    _verb("끄 꺼", "turn turned turning", "light", rest="off", number="the"),
    _verb("고치 고쳐", "fix fixed fixing", "machine car", number="the"),
    _verb("던지 던져", "throw threw throwing", "thrown"),
    _verb("모으 모아", "collect collected collecting", "collected", number="all"),
    _verb("요리하 요리해", "cook cooked cooking", "food"),
    _verb("주문하 주문해", "order ordered ordering", "food drink"),
    _verb("잃어버리 잃어버려", "lose lost losing", "thing", tenses="past"),
    _verb("빌리 빌려", "borrow borrowed borrowing", "book thing car"),
    _verb("가져오 가져와", "bring brought bringing", "food drink thing flower"),
    _verb("키우 키워", "raise raised raising", "animal"),
    _verb("잡 잡아", "catch caught catching", "animal"),
    _verb("심 심어", "plant planted planting", "flower"),
    _verb("방문하 방문해", "visit visited visiting", "place country", number="the"),
)
GIVING = (
    _verb("주 줘", "give gave giving", "thing flower book food drink"),
    _verb("보내 보내", "send sent sending", "reading thing flower"),
    _verb("보여주 보여줘", "show showed showing", "thing book sight animal"),
    _verb("가르치 가르쳐", "teach taught teaching", "language subject"),
)
INTRANSITIVE = (
    _verb("자 자", "sleep slept sleeping"),
    _verb("달리 달려", "run ran running"),
    _verb("수영하 수영해", "swim swam swimming"),
    _verb("걷 걸어 걸으", "walk walked walking"),
    _verb("춤추 춤춰", "dance danced dancing"),
    _verb("노래하 노래해", "sing sang singing"),
    _verb("울 울어", "cry cried crying"),
    _verb("웃 웃어", "laugh laughed laughing"),
    _verb("일하 일해", "work worked working"),
    _verb("쉬 쉬어", "rest rested resting"),
    _verb("놀 놀아", "play played playing"),
    _verb("공부하 공부해", "study studied studying"),
    _verb("요리하 요리해", "cook cooked cooking"),
    _verb("운동하 운동해", "exercise exercised exercising"),
    _verb("기다리 기다려", "wait waited waiting"),
    _verb("이야기하 이야기해", "talk talked talking"),
)
GOING = (
    _verb("가 가", "go went going"),
    _verb("오 와", "come came coming"),
)
