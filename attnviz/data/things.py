"""What scenes are made of: nouns in English and Korean, and the cut-outs that show each.

A row reads ``english=한국어: cut-out cut-out …``. A cut-out in hexadecimal is one of Fluent's 3D
emoji by code point; any other word is the file name of one of Tux Paint's photographed stamps, with
its folder where two share a name. "*" marks a noun that is always plural (scissors), "~" one
without an article (garlic); neither is counted in captions. A cut-out behind "/" is held out: no
recipe learns from it, so that naming a known thing by an unseen picture can be measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from attnviz.data.everyday_words import article, plural

COUNTERS = {
    "animal": "마리",
    "person": "명",
    "vehicle": "대",
    "flower": "송이",
    "tree": "그루",
    "thing": "개",
}
"""What Korean counts a kind of thing in."""

ROWS = {
    "animal": """
        frog=개구리: frog 1f438 / frog-1
        parrot=앵무새: adelaide-rosella rainbow-lorikeet 1f99c
        crow=까마귀: crow
        hen=암탉: hen chicken_profile 1f414
        rooster=수탉: rooster 1f413
        crane=두루미: crowned_crane
        duck=오리: drake 1f986 / duck
        goose=거위: gander 1fabf
        guinea fowl=뿔닭: guineafowl helmeted_guineafowl
        heron=왜가리: heron_greatblue heron_greatblue_flying
        penguin=펭귄: little-penguin penguin 1f427 / magellanic_penguin
        magpie=까치: magpie
        ostrich=타조: ostrich
        owl=올빼미: owl 1f989
        peacock=공작: peacock 1f99a
        pelican=펠리컨: pelican
        pigeon=비둘기: pigeon 1f54a-fe0f
        flamingo=홍학: pink_flamingo 1f9a9
        seagull=갈매기: silver-gull / seagull
        toucan=큰부리새: tucan
        turkey=칠면조: birds/turkey 1f983
        eagle=독수리: 1f985
        swan=백조: 1f9a2
        chick=병아리: chick chick-hatched 1f425 1f424
        fish=물고기: butterflyfish stripedfish moonwrasse 1f41f 1f420 / coraltrout
        clownfish=흰동가리: clownfish
        lobster=바닷가재: lobster 1f99e
        seahorse=해마: seahorse
        shrimp=새우: shrimp 1f990
        shark=상어: 1f988
        octopus=문어: 1f419
        crab=게: 1f980
        turtle=거북: 1f422
        crocodile=악어: 1f40a
        snake=뱀: 1f40d
        dinosaur=공룡: 1f995 1f996
        snail=달팽이: 1f40c
        slug=민달팽이: Brown_slug
        bee=벌: bee 1f41d
        fly=파리: fly 1fab0
        grasshopper=메뚜기: grasshopper 1f997
        mantis=사마귀: mantis
        butterfly=나비: butterfly 1f98b
        ladybug=무당벌레: 1f41e
        ant=개미: 1f41c
        spider=거미: 1f577-fe0f
        iguana=이구아나: iguana
        monkey=원숭이: chimp tamarin_emperor 1f412
        gorilla=고릴라: gorilla 1f98d
        dolphin=돌고래: dolphin 1f42c
        orca=범고래: orca
        whale=고래: whale 1f40b 1f433
        otter=수달: otter 1f9a6
        sea lion=바다사자: sea_lion
        badger=오소리: badger 1f9a1
        bear=곰: bear 1f43b / european-bear
        panda=판다: 1f43c
        bison=들소: bison 1f9ac
        bull=황소: bull 1f402
        cow=소: cow 1f404 / cow_white
        gnu=누: gnu-stand gnu-sitting gnu-baby-stand
        goat=염소: goat mountaingoat 1f410
        sheep=양: sheep sheep_lamb ram 1f411
        yak=야크: yak
        camel=낙타: camel 1f42a 1f42b / dromedary
        lion=사자: lion 1f981 / lion-2
        tiger=호랑이: tiger 1f405 / tiger_sumatran
        leopard=표범: 1f406
        deer=사슴: deer wapiti 1f98c / doe
        dog=개: dog 1f415 1f415-200d-1f9ba 1f429
        cat=고양이: 1f408 1f408-200d-2b1b
        fox=여우: fox 1f98a
        hedgehog=고슴도치: hedgehog 1f994
        elephant=코끼리: elephant 1f418
        donkey=당나귀: donkey 1facf / donkey_eating
        horse=말: horse 1f40e
        zebra=얼룩말: zebra 1f993
        giraffe=기린: giraffe 1f992
        hippo=하마: hippopotamus 1f99b
        pig=돼지: pig pig_golden 1f416 / pig_golden2
        boar=멧돼지: 1f417
        rabbit=토끼: rabbit_little easter/bunny rabbit-2 1f407 / rodents/rabbit
        rhino=코뿔소: rhino_black 1f98f
        beaver=비버: beaver 1f9ab
        capybara=카피바라: capybara
        mouse=쥐: mouse 1f401 1f400 / rat
        squirrel=다람쥐: squirrel 1f43f-fe0f
        kangaroo=캥거루: kangaroo 1f998
        koala=코알라: koala 1f428
        wombat=웜뱃: wombat
        dragon=용: 1f409
        unicorn=유니콘: 1f984""",
    "person": """
        firefighter=소방관: people/fireman240a fireman200b
        astronaut=우주 비행사: spacewalk
        snowman=눈사람: 2603-fe0f 26c4""",
    "thing": """
        button=단추: button
        clothespin=빨래집게: clothespin_new clothespin_old
        fedora=중절모: blue_fedora / green_fedora
        sombrero=솜브레로: sombrero
        top hat=실크해트: tophat 1f3a9
        cap=야구모자: t_baseballcap 1f9e2
        glove=장갑: t_glove
        jacket=재킷: t_jacket
        pants*=바지: t_pants 1f456
        scarf=목도리: t_scarf 1f9e3
        shirt=셔츠: t_shirt
        t-shirt=티셔츠: t_tshirt t_poloshirt 1f455
        sock=양말: t_sock
        shoe=신발: 1f45f 1f45e
        glasses*=안경: 1f453 1f576-fe0f
        apricot=살구: apricot / Apricot_whole
        cherries*=체리: Cherry_Stella 1f352
        strawberry=딸기: fruit/strawberry 1f353 / Strawberry2
        apple=사과: apple_fuji apple_red apple_green apple_sierra_beauty 1f34e / apple_granny_smith
        avocado=아보카도: avocado 1f951
        banana=바나나: banana 1f34c
        grapes*=포도: grapes 1f347
        kiwi=키위: kiwi 1f95d
        lemon=레몬: lemon 1f34b
        mango=망고: mango 1f96d
        orange=오렌지: orange orange_seville mandarine 1f34a / sliced_orange
        peach=복숭아: 1f351
        pear=서양배: pear 1f350
        pineapple=파인애플: pineapple 1f34d
        watermelon=수박: 1f349
        raspberry=산딸기: raspberry
        almond=아몬드: almond
        pecan=피칸: pecan
        walnut=호두: walnut walnut_shelled
        chestnut=밤: 1f330
        egg=달걀: 1f95a
        pizza~=피자: pizza 1f355
        hamburger=햄버거: 1f354
        doughnut=도넛: 1f369
        cake=케이크: 1f382 1f370
        ice cream~=아이스크림: 1f366 1f368
        candy cane=지팡이 사탕: Candy_cane_photo_1 candy_cane / Candy_cane_photo_2
        broccoli~=브로콜리: broccoli 1f966
        carrot=당근: carrot 1f955
        chili pepper=고추: chilepepper 1f336-fe0f
        corn~=옥수수: corn 1f33d
        eggplant=가지: vegetables/eggplant 1f346
        garlic~=마늘: garlic 1f9c4 / garlics
        lettuce~=상추: lettuce redlettuce
        mushroom=버섯: vegetables/mushroom 1f344 cep-1 / cep
        onion=양파: onion 1f9c5
        bell pepper=피망: vegetables/pepper yellowpepper 1fad1
        potato=감자: potato 1f954
        pumpkin=호박: pumpkin_small pattypan_squash
        tomato=토마토: tomato 1f345
        sweet potato=고구마: yam 1f360
        binoculars*=쌍안경: binoculars
        camera=카메라: camera_35mm 1f4f7
        trumpet=트럼펫: trumpet 1f3ba
        drum=북: drum_tomtom_floor 1f941
        violin=바이올린: violin cello 1f3bb
        guitar=기타: guitar2 guitar_classical 1f3b8 guitar_electric_bass / guitar_electric
        saxophone=색소폰: 1f3b7
        accordion=아코디언: 1fa97
        lightbulb=전구: Lightbulb 1f4a1
        pencil=연필: 270f-fe0f
        paintbrush=붓: paintbrush_large 1f58c-fe0f
        scissors*=가위: scissors_small_closed 2702-fe0f / scissors_small_open
        mug=머그잔: mug 2615
        teapot=찻주전자: teapot 1fad6
        kettle=주전자: kettle
        trash can=쓰레기통: garbagecan 1f5d1-fe0f wheelie_bin
        key=열쇠: key 1f511
        rubber duck=고무 오리: rubberduck
        toilet=변기: toilet 1f6bd
        hammer=망치: hammer mallet_metal 1f528
        saw=톱: saw 1fa9a
        shovel=삽: spade
        wrench=렌치: wrench wrench_adjustable 1f527 / wrench_plumbers
        ladder=사다리: 1fa9c
        chair=의자: 1fa91
        clock=시계: 1f570-fe0f 23f0
        laptop=노트북: 1f4bb
        phone=전화기: 1f4f1 260e-fe0f
        umbrella=우산: 2602-fe0f 2614
        bandage=반창고: bandage_adhesive 1fa79
        thermometer=온도계: mercurythermometer 1f321-fe0f
        stethoscope=청진기: stethoscope 1fa7a
        syringe=주사기: syringe 1f489
        tooth=이빨: tooth 1f9b7
        eye=눈: body_parts/eye 1f441-fe0f
        doll=인형: grannysmith
        teddy bear=곰 인형: edward_bear 1f9f8
        candle=촛불: candle 1f56f-fe0f
        present=선물: 1f381
        bow=리본: christmas/bow 1f380
        star=별: christmas/star 2b50
        balloon=풍선: 1f388
        wreath=화환: xmaswreath
        moon=달: moon_full moon_3qt 1f315
        sun=태양: 0_sun 1f31e
        earth~=지구: 3_earth 1f30d 1f30e
        saturn~=토성: 6_saturn 1fa90
        jupiter~=목성: 5_jupiter
        fire~=불: naturalforces/fire 1f525
        lightning~=번개: lightningbolt 26a1
        pinecone=솔방울: pinecone
        football=미식축구공: sports/football 1f3c8
        basketball=농구공: basketball 1f3c0
        soccer ball=축구공: soccer 26bd
        tennis ball=테니스공: tennis_ball 1f3be
        trophy=트로피: trophy_cup 1f3c6
        mailbox=우체통: usps_mailbox uk_post_box 1f4ee
        wheel=바퀴: 7spoke256 wheel_tractor 1f6de
        crown=왕관: 1f451
        book=책: 1f4d5 1f4d7 1f4d8
        die=주사위: 1f3b2""",
    "flower": """
        flower=꽃: flower1 flower2 flower3 flower5 flower6 yellow-flower 1f33c / flower8
        rose=장미: rose 1f339
        daffodil=수선화: easter/daffodil / flowers/daffodil
        hibiscus=무궁화: flower10 chemparathi 1f33a
        iris=붓꽃: flowers/iris
        marigold=금잔화: marigold
        sunflower=해바라기: 1f33b
        tulip=튤립: 1f337""",
    "tree": """
        palm tree=야자나무: liberia-palm 1f334
        oak=떡갈나무: holm_oak 1f333
        fir=전나무: 1f332
        christmas tree=크리스마스트리: Christmas_Tree_photo christmas/tree 1f384
        cactus=선인장: 1f335""",
    "vehicle": """
        car=자동차: beetle sedan 1f697 / sportscar2
        taxi=택시: 1f695
        race car=경주차: indycar 1f3ce-fe0f
        truck=트럭: auto/truck 1f69a dumper
        fire truck=소방차: firetruck 1f692
        garbage truck=쓰레기차: vehicles/garbagetruck
        bus=버스: green_korean_bus 1f68c
        tricycle=세발자전거: pink_tricycle
        bicycle=자전거: 1f6b2
        train=기차: 1f682
        tram=전차: 1f68b
        hot air balloon=열기구: balloon360
        airplane=비행기: 747 2708-fe0f f22_raptor
        helicopter=헬리콥터: 1f681
        rocket=로켓: 1f680
        sailboat=돛단배: walnutBoat chineseJunk 26f5""",
}


@dataclass(frozen=True)
class Thing:
    """Something that a scene can hold.

    Args:
        en, ko: its name in the singular (in the plural where `form` says so).
        kind: key of `COUNTERS`.
        form: "count", "mass" (no article) or "plural" (always plural).
        cutouts: pictures that recipes may learn from, as `ROWS` names them.
        held: pictures that no recipe learns from.
    """

    en: str
    ko: str
    kind: str
    form: str
    cutouts: tuple[str, ...]
    held: tuple[str, ...]

    @property
    def named(self) -> str:
        """One of it, in English: "a frog", "grapes"."""
        return f"{article(self.en)} {self.en}" if self.form == "count" else self.en

    @property
    def plural(self) -> str:
        """Several of it, in English; only things of form "count" are counted."""
        return plural(self.en)

    @property
    def counter(self) -> str:
        """The word that Korean counts it in."""
        return COUNTERS[self.kind]


@cache
def things() -> tuple[Thing, ...]:
    """All of them, in the order of `ROWS`."""
    return tuple(_things())


@cache
def thing_of() -> dict[str, Thing]:
    """Cut-out, as `ROWS` names it, to what it shows."""
    return {cutout: thing for thing in things() for cutout in (*thing.cutouts, *thing.held)}


def _things() -> Iterator[Thing]:
    for kind, rows in ROWS.items():
        for row in filter(None, map(str.strip, rows.splitlines())):
            names, _, pictures = row.partition(": ")
            en, ko = names.split("=")
            shown, _, held = pictures.partition("/ ")
            form = {"*": "plural", "~": "mass"}.get(en[-1], "count")
            yield Thing(en.rstrip("*~"), ko, kind, form, tuple(shown.split()), tuple(held.split()))
