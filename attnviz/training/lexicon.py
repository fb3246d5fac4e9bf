"""The names of everyday things in English and Korean, chosen from Unicode's names of emoji.

`python -m attnviz.training.lexicon FOLDER` writes ``attnviz/assets/lexicon/everyday.json`` from
the npm packages ``cldr-annotations-full`` and ``cldr-annotations-derived-full`` unpacked in FOLDER
under their names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

VERSION = "48.2.0"
PACKAGES = {
    "cldr-annotations-full": ("annotations", "annotations"),
    "cldr-annotations-derived-full": ("annotationsDerived", "annotationsDerived"),
}
TARGET = Path(__file__).parents[1] / "assets" / "lexicon" / "everyday.json"

# English emoji names by kind. Left out: names whose Korean is another thing (yarn, pick), stands
# for two things in everyday speech (배: pear and ship; 밤: chestnut and night), or describes a
# drawing (filled circle). A name with "=" has no article (mass), one with "*" is always plural.
SELECTION = {
    "person": """
        baby, child, person, man, woman, health worker, student, judge, farmer, cook, mechanic,
        factory worker, office worker, scientist, singer, artist, astronaut, firefighter,
        police officer, detective, ninja, construction worker, prince, princess, pregnant woman,
        fairy, vampire, zombie, ballet dancer, elf, genie, ghost, alien""",
    "animal": """
        monkey, gorilla, orangutan, dog, guide dog, poodle, wolf, fox, raccoon, cat, lion,
        tiger, leopard, donkey, horse, unicorn, zebra, deer, bison, water buffalo, pig, boar,
        goat, camel, llama, giraffe, elephant, mammoth, rhinoceros, hippopotamus, hamster,
        rabbit, chipmunk, beaver, hedgehog, bat, bear, polar bear, koala, panda, sloth, otter,
        skunk, kangaroo, badger, turkey, chicken, rooster, baby chick, bird, penguin, dove,
        eagle, duck, swan, owl, dodo, flamingo, peacock, parrot, goose, phoenix, frog,
        crocodile, turtle, lizard, snake, dragon, whale, dolphin, orca, seal, fish,
        tropical fish, blowfish, shark, octopus, jellyfish, crab, lobster, shrimp, squid, snail,
        butterfly, ant, honeybee, beetle, lady beetle, cricket, cockroach, spider, scorpion,
        mosquito, worm""",
    "food": """
        mushroom, grapes*, melon, watermelon, tangerine, lemon, lime, banana, pineapple, mango,
        peach, cherries*, strawberry, kiwi fruit, tomato, olive, coconut, avocado, potato,
        carrot, bell pepper, cucumber, broccoli=, garlic=, onion, peanuts*, beans*, bread=,
        croissant, pretzel, bagel, pancakes*, waffle, bacon=, hamburger, french fries*, pizza=,
        hot dog, sandwich, taco, burrito, falafel=, egg, popcorn=, butter=, salt=, spaghetti=,
        sushi=, dumpling, moon cake, ice cream=, doughnut, cookie, birthday cake, cupcake, pie,
        candy=, lollipop, curry rice=, oyster, fondue=, fortune cookie""",
    "drink": "bubble tea=, sake=",
    "flower": "cherry blossom, lotus, hibiscus, sunflower, tulip, hyacinth",
    "sight": """
        palm tree, evergreen tree, cactus, maple leaf, spider web, snowflake, snowman, rainbow,
        star, shooting star, full moon, crescent moon, cloud, comet, satellite, tornado,
        cyclone, volcano, mountain, rock, flying saucer, Christmas tree, ferris wheel,
        roller coaster, fountain, sunrise, sunset, fire=, fog=, fireworks*""",
    "vehicle": """
        locomotive, high-speed train, train, tram, monorail, trolleybus, motorcycle,
        motor scooter, bicycle, sailboat, canoe, speedboat, passenger ship, ferry, motor boat,
        airplane, small airplane, helicopter, rocket, aerial tramway, sled, skateboard,
        kick scooter""",
    "car": "bus, minibus, ambulance, fire engine, police car, taxi, pickup truck, tractor",
    "clothes": "coat, dress, kimono, t-shirt, shorts*, lab coat, bikini, safety vest",
    "headwear": "crown, military helmet, graduation cap, billed cap",
    "eyewear": "glasses*, sunglasses*, goggles*",
    "footwear": "socks*",
    "instrument": """
        saxophone, trumpet, trombone, accordion, guitar, violin, banjo, drum, flute, harp""",
    "reading": "newspaper, e-mail, love letter, receipt",
    "thing": """
        skull, feather, bouquet, bone, chopsticks*, spoon, kitchen knife, teapot, wine glass,
        beer mug, baby bottle, compass, world map, brick, tent, anchor, parachute, watch,
        alarm clock, stopwatch, thermometer, umbrella, firecracker, balloon, ribbon, ticket,
        trophy, soccer ball, volleyball, rugby football, fishing pole, kite, yo-yo,
        water pistol, crystal ball, magic wand, teddy bear, mirror ball, sewing needle, necktie,
        scarf, gloves*, handbag, lipstick, ring, loudspeaker, megaphone, microphone,
        mobile phone, telephone, fax machine, battery, light bulb, laptop, desktop computer,
        printer, keyboard, computer mouse, floppy disk, abacus, movie camera, camera, candle,
        flashlight, bookmark, coin, money bag, treasure chest, credit card, envelope, package,
        pencil, notebook, fountain pen, pen, paintbrush, crayon, file folder, calendar,
        clipboard, pushpin, paperclip, triangular ruler, scissors*, wastebasket, key, hammer,
        axe, dagger, bomb, boomerang, shield, wrench, screwdriver, hook, toolbox, magnet,
        ladder, shovel, test tube, microscope, telescope, syringe, pill, adhesive bandage,
        stethoscope, door, mirror, window, bed, chair, toilet, bathtub, mouse trap, razor,
        safety pin, broom, basket, bucket, soap=, toothbrush, sponge, fire extinguisher,
        shopping cart, identification card, robot, joystick""",
    "place": """
        desert, stadium, hospital, post office, bank, hotel, convenience store,
        department store, factory, church, hut, mosque, national park, bus stop,
        office building, restroom, hot springs*""",
    "sport": "tennis=, bowling=, ping pong=, badminton=, basketball=, lacrosse=",
    "country": """
        Argentina, Australia, Austria, Bangladesh, Belgium, Brazil, Bulgaria, Cambodia,
        Cameroon, Canada, Chile, China, Colombia, Croatia, Cuba, Czechia, Denmark, Ecuador,
        Egypt, Estonia, Ethiopia, Finland, France, Germany, Greece, Hungary, Iceland, India,
        Indonesia, Iran, Iraq, Ireland, Israel, Italy, Jamaica, Japan, Jordan, Kenya, Kuwait,
        Laos, Latvia, Lithuania, Madagascar, Malaysia, Mexico, Mongolia, Morocco, Nepal,
        New Zealand, Nigeria, Norway, Pakistan, Panama, Peru, Poland, Portugal, Qatar, Romania,
        Russia, Rwanda, Saudi Arabia, Senegal, Serbia, Singapore, Slovakia, Slovenia, Spain,
        Sri Lanka, Sweden, Switzerland, Taiwan, Tanzania, Thailand, Tunisia, Türkiye, Uganda,
        Ukraine, Uruguay, Uzbekistan, Venezuela, Vietnam, Zambia""",
}
FORMS = {"=": "mass", "*": "plural"}


def names(folder: Path) -> dict[str, str]:
    """English emoji name to the Korean one, without the words that only describe the drawing.

    Raises:
        FileNotFoundError: FOLDER holds no unpacked package of that name.
    """
    found: dict[str, str] = {}
    for package, (directory, key) in PACKAGES.items():
        tables = []
        for language in ("en", "ko"):
            path = folder / package / directory / language / "annotations.json"
            content = json.loads(path.read_text(encoding="utf-8"))
            tables.append(content[key]["annotations"])
        english, korean = tables
        for sign, entry in english.items():
            if "tts" in entry and "tts" in korean.get(sign, {}):
                name = entry["tts"][0].removeprefix("flag: ")
                found[name] = korean[sign]["tts"][0].removeprefix("깃발: ").removesuffix(" 얼굴")
    return found


def nouns(folder: Path) -> list[dict[str, str]]:
    """The chosen names as rows of "en", "ko", "kind" and, where they need one, "form".

    Raises:
        KeyError: a chosen name is not among the emoji names.
        ValueError: two rows share an English or a Korean name.
    """
    korean = names(folder)
    rows = []
    for kind, listed in SELECTION.items():
        for name in (name.strip() for name in listed.split(",")):
            english = name.rstrip("".join(FORMS))
            row = {"en": english, "ko": korean[english], "kind": kind}
            rows.append(row | ({"form": FORMS[name[-1]]} if name[-1] in FORMS else {}))
    for side in ("en", "ko"):
        seen = [row[side] for row in rows]
        twice = sorted({word for word in seen if seen.count(word) > 1})
        if twice:
            raise ValueError(f"names of two things: {', '.join(twice)}")
    return rows


def write(folder: Path, target: Path = TARGET) -> None:
    """Write the chosen nouns with their source and licence."""
    content = {
        "source": [f"{name} {VERSION}" for name in PACKAGES],
        "licence": "Unicode-3.0",
        "nouns": nouns(folder),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in content.pop("nouns"))
    head = json.dumps(content, ensure_ascii=False)[:-1]
    target.write_text(f'{head},\n "nouns": [\n  {rows}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
